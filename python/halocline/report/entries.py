"""The measured cases of given workloads, input of the sections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from halocline.base.units import counted
from halocline.report.points import chosen, varying
from halocline.report.series import series
from halocline.specification.cases import AxisValue
from halocline.summary.metrics import Metric
from halocline.summary.summary import CaseSummary, Summary


@dataclass(frozen=True)
class Ratio:
    """One quantity over another, from independent intervals, so the bounds are conservative."""

    median: float
    low: float | None
    high: float | None

    @property
    def apart(self) -> bool:
        """Whether it differs significantly from 1."""
        return self.low is not None and self.high is not None and not self.low <= 1 <= self.high


@dataclass(frozen=True)
class Entry:
    """One case that has a time."""

    series: str
    library: str
    place: str
    time: Metric
    summary: CaseSummary

    @property
    def workload(self) -> str:
        return self.summary.case.workload

    @cached_property
    def axes(self) -> Mapping[str, AxisValue]:
        return dict(self.summary.case.axes)

    def word(self, axis: str) -> str:
        """An axis as text; empty where the workload has no such axis."""
        return str(self.axes.get(axis, ""))

    def number(self, axis: str) -> int:
        """An axis as a number; 0 where the workload has no such axis."""
        return int(self.axes.get(axis, 0))

    def metric(self, name: str) -> Metric | None:
        return self.summary.metric(name)


def entries(summaries: Sequence[Summary], workloads: Sequence[str]) -> tuple[Entry, ...]:
    """Every case of these workloads that was measured, in order."""
    cases = chosen(summaries, workloads)
    return tuple(
        Entry(curve.name, curve.library, curve.place, time, case)
        for curve, (_, case) in zip(series(cases), cases, strict=True)
        if (time := case.metric("time"))
    )


def names(cases: Sequence[Entry]) -> list[str]:
    """Names of cases, by what differs among them."""
    axes = varying([entry.axes for entry in cases], ())
    several = {
        "series": len({entry.series for entry in cases}) > 1,
        "workload": len({entry.workload for entry in cases}) > 1,
        "ranks": len({entry.summary.case.ranks for entry in cases}) > 1,
    }
    named = []
    for entry in cases:
        words = [entry.series] if several["series"] else []
        words += [entry.workload] if several["workload"] or not (axes or words) else []
        words += [f"{axis}={entry.word(axis)}" for axis in axes if axis in entry.axes]
        words += [counted(entry.summary.case.ranks, "rank")] if several["ranks"] else []
        named.append(", ".join(words))
    return named


def over(above: Metric, below: Metric) -> Ratio:
    """The ratio of two metrics."""
    bounds = (above.low, above.high, below.low, below.high)
    median = above.median / below.median
    if any(bound is None for bound in bounds):
        return Ratio(median, None, None)
    low, high, other_low, other_high = (bound or 0.0 for bound in bounds)
    return Ratio(median, low / other_high, high / other_low)
