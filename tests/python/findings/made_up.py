"""Summaries of cases whose times are given."""

from __future__ import annotations

import math
import random
from pathlib import Path

from halocline.cases import AxisValue, Case
from halocline.metrics import Metric
from halocline.summary import CaseSummary, Summary

LAUNCHES = range(1, 13)
ON_NODE, OFF_NODE = "1N2P", "2N1P"


def measured(
    workload: str, time_s: float, layout: str = ON_NODE, ranks: int = 2, **axes: AxisValue
) -> CaseSummary:
    """A case of twelve launches that differ by half a percent."""
    chance = random.Random(f"{workload}{layout}{axes}")
    case = Case(workload, tuple(sorted(axes.items())), "mpich", "here", ranks, _settings(layout))
    figures = {launch: time_s * math.exp(chance.gauss(0, 0.005)) for launch in LAUNCHES}

    def metric(name: str, unit: str, value: float) -> Metric:
        low, high = 0.99 * value, 1.01 * value
        return Metric(name, unit, value, low, high, low, len(figures), 100, (), 0.0, 0.0)

    metrics = [metric("time", "s", time_s)]
    if size := int(axes.get("bytes", 0)):
        metrics.append(metric("bandwidth", "B/s", size / time_s))
    return CaseSummary(case, "measured", "", 0.0, tuple(metrics), figures_s=figures)


def skipped(workload: str, reason: str, layout: str = ON_NODE, **axes: AxisValue) -> CaseSummary:
    case = Case(workload, tuple(sorted(axes.items())), "mpich", "here", 2, _settings(layout))
    return CaseSummary(case, "skipped", reason, 0.0)


def summary(*cases: CaseSummary, cores: int = 2) -> Summary:
    return Summary(
        path=Path("run"),
        title="made up",
        machine="here",
        experiment="",
        half_width=0.01,
        started="",
        complete=True,
        libraries={},
        failures=(),
        displaced_share=0.0,
        environment={"processor": {"cores": cores}},
        cases=cases,
    )


def _settings(layout: str) -> tuple[tuple[str, str], ...]:
    return () if layout == ON_NODE else (("layout", layout),)
