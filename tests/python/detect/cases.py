"""Summaries of cases with given figures of their launches."""

from __future__ import annotations

from typing import Any

import numpy as np

from halocline.detect.curves import Curve
from halocline.specification.cases import AxisValue, Case
from halocline.summary.metrics import Metric
from halocline.summary.stats import interval
from halocline.summary.summary import CaseSummary

Sized = list[tuple[int, CaseSummary]]


def time(figures_s: list[float], *, samples: int = 0, minimum: float | None = None) -> Metric:
    found = interval(figures_s)
    return Metric(
        name="time",
        unit="s",
        median=found.median,
        low=found.low,
        high=found.high,
        minimum=min(figures_s) if minimum is None else minimum,
        launches=len(figures_s),
        samples=samples or 40 * len(figures_s),
        modes=(),
        preempted_share=0.0,
        displaced_share=0.0,
    )


def case(
    workload: str,
    axes: dict[str, AxisValue],
    figures_s: list[float],
    **changes: Any,
) -> CaseSummary:
    """Measured in launches 1, 2 …; not a number: none in this launch."""
    known = {n: s for n, s in enumerate(figures_s, start=1) if np.isfinite(s)}
    metrics = (time(list(known.values()), **changes),) if known else ()
    named = Case(workload, tuple(sorted(axes.items())), "mpich", "here", 2)
    return CaseSummary(named, "measured", "", 0.0, metrics, figures_s=known)


def sized(curve: Curve, protocol: str, workload: str = "pingpong") -> Sized:
    """A case for every column of a curve of times."""
    return [
        (at, case(workload, {"bytes": at, "protocol": protocol}, list(map(float, column))))
        for at, column in zip(curve.at, curve.figures.T, strict=True)
    ]
