"""Cases of a coupled model whose components' times are given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from halocline.specification.cases import AxisValue
from halocline.summary.bounds import Work
from halocline.summary.metrics import Metric
from halocline.summary.phases import PhaseSummary
from halocline.summary.summary import CaseSummary
from model.machine import case

MODEL: dict[str, AxisValue] = {"truncation": 21, "protocol": "isend_irecv"}


def metric(name: str, value: float) -> Metric:
    return Metric(name, "s", value, None, None, value, 1, 1, (), 0.0, 0.0)


def phase(name: str, slowest_s: float) -> PhaseSummary:
    time, nothing = metric("time", slowest_s), Work(0, 0)
    return PhaseSummary(
        name, time, time, time, time, None, None, (slowest_s,), nothing, nothing, nothing
    )


def coupled(
    arrangement: str,
    time_s: float,
    ranks: Mapping[str, int],
    run_s: Mapping[str, float],
    coupling_s: float,
    **facts: float,
) -> CaseSummary:
    """A case of these components, in one launch."""
    axes: dict[str, AxisValue] = {**MODEL, "arrangement": arrangement}
    found = case("coupled", [time_s], axes, ranks=max(ranks.values()))
    counts = {f"{name}_ranks": float(count) for name, count in ranks.items()}
    metrics = tuple(metric(name, value) for name, value in {**counts, **facts}.items())
    phases = tuple(phase(f"{name}_run", run_s[name]) for name in ranks)
    also = (phase("coupling", coupling_s), phase("files", 0.0))
    return replace(found, metrics=(*found.metrics, *metrics), phases=(*phases, *also))
