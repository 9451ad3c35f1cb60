"""Summaries of cases whose times are given."""

from __future__ import annotations

import csv
import random
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from halocline.specification.cases import AxisValue, Case
from halocline.summary.bounds import Work
from halocline.summary.metrics import Metric
from halocline.summary.phases import PhaseSummary
from halocline.summary.stats import interval
from halocline.summary.summary import CaseSummary, Summary

LAUNCHES = range(1, 41)  # as many as an experiment may have
ON_NODE, OFF_NODE = "1N2P", "2N1P"
RECORDED = Path(__file__).parents[2] / "data" / "compare" / "alike-under-load.csv"
HALF = 0.5
FEW = range(1, 9)  # as few as an experiment may have


@cache
def recorded_logs(column: str = "4 KiB") -> tuple[float, ...]:
    """What launches of one library differed by when they were recorded: logarithms, centred."""
    lines = [line for line in RECORDED.read_text().splitlines() if not line.startswith("#")]
    logs = np.array([float(row[column]) / 1000 for row in csv.DictReader(lines) if row[column]])
    return tuple(map(float, logs - np.median(logs)))


def noise(chance: random.Random, spread: float | None = None) -> float:
    """One recorded launch's; with a spread two thirds of them are within it, tails kept."""
    logs = recorded_logs()
    scale = 1.0 if spread is None else spread / float(np.quantile(np.abs(logs), 0.683))
    return min(max(scale * chance.choice(logs), -6.0), 6.0)


def measured(
    workload: str,
    time_s: float,
    layout: str = ON_NODE,
    ranks: int = 2,
    settings: Mapping[str, str] | None = None,
    **axes: AxisValue,
) -> CaseSummary:
    """A case whose launches differ as recorded ones did."""
    found = {**dict(_settings(layout)), **(settings or {})}
    case = Case(
        workload, tuple(sorted(axes.items())), "mpich", "here", ranks, tuple(sorted(found.items()))
    )
    return with_time(CaseSummary(case, "measured", "", 0.0), time_s)


def with_phases(
    each: CaseSummary, times_s: Mapping[str, float], spread: float | None = None, seed: str = ""
) -> CaseSummary:
    """The same with phases, each of which differs by itself."""
    none = Work(0, 0)

    def phase(name: str, time_s: float) -> PhaseSummary:
        figures = _figures(f"{each.case}{name}{seed}", time_s, spread)
        around = interval(list(figures.values()))

        def metric(what: str, unit: str, scale: float) -> Metric:
            low, high = around.low or time_s, around.high or time_s
            numbers = (scale * around.median, scale * low, scale * high, scale * low)
            return Metric(what, unit, *numbers, len(figures), 100, (), 0.0, 0.0)

        time = metric("time", "s", 1)
        share = metric("share", "", 1 / sum(times_s.values()))
        even = Metric("imbalance", "", 1, 1, 1, 1, len(figures), 100, (), 0.0, 0.0)
        return PhaseSummary(
            name, time, time, share, even, None, None, (), none, none, none, figures_s=figures
        )

    return replace(each, phases=tuple(phase(name, time_s) for name, time_s in times_s.items()))


def shaken(found: Summary, spread: float, seed: int) -> Summary:
    """The same cases in few launches that differ so much more."""
    return replace(found, cases=tuple(_shaken(each, spread, str(seed)) for each in found.cases))


def _shaken(each: CaseSummary, spread: float, seed: str) -> CaseSummary:
    if not each.figures_s:
        return each
    phases = {phase.name: float(np.median(list(phase.figures_s.values()))) for phase in each.phases}
    timed = with_time(each, float(np.median(list(each.figures_s.values()))), spread, seed)
    return with_phases(timed, phases, spread, seed) if phases else timed


def _figures(of: str, time_s: float, spread: float | None) -> dict[int, float]:
    """Launches that differ as recorded ones, or so much more."""
    chance = random.Random(of)
    return {n: time_s * float(np.exp(noise(chance, spread))) for n in (FEW if spread else LAUNCHES)}


def with_time(
    each: CaseSummary, time_s: float, spread: float | None = None, seed: str = ""
) -> CaseSummary:
    figures = _figures(f"{each.case}{seed}", time_s, spread)
    around = interval(list(figures.values()))
    low, high = around.low or time_s, around.high or time_s

    def metric(name: str, unit: str, value: float, low: float, high: float) -> Metric:
        return Metric(name, unit, value, low, high, low, len(figures), 100, (), 0.0, 0.0)

    metrics = [metric("time", "s", around.median, low, high)]
    if size := int(dict(each.case.axes).get("bytes", 0)):
        metrics.append(metric("bandwidth", "B/s", size / around.median, size / high, size / low))
    # What does not hang on times stays as it is.
    metrics += [kept for kept in each.metrics if kept.name not in ("time", "bandwidth")]
    return replace(each, metrics=tuple(metrics), figures_s=figures)


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
