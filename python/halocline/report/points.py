"""The points of the curves: cases that have a protocol and a size, by series."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from halocline.report.series import series
from halocline.specification.cases import AxisValue
from halocline.summary.metrics import Metric
from halocline.summary.summary import CaseSummary, Summary

ONE_WAY = "pingpong"
BOTH_WAYS = "pingping"


@dataclass(frozen=True)
class Point:
    """One case of one series; `time` is None if not measured."""

    series: str
    library: str  # the series without its place
    place: str
    workload: str  # with its other varying axes
    protocol: str
    size: int
    summary: CaseSummary

    @property
    def time(self) -> Metric | None:
        return self.summary.metric("time")

    @property
    def bandwidth(self) -> Metric | None:
        return self.summary.metric("bandwidth")


def points(
    summaries: Sequence[Summary],
    workloads: Sequence[str] = (ONE_WAY, BOTH_WAYS),
    size_axis: str = "bytes",
) -> tuple[Point, ...]:
    """All points of these workloads in all runs."""
    cases = chosen(summaries, workloads)
    axes = [dict(case.case.axes) for _, case in cases]
    further = varying(axes, ("protocol", size_axis))
    return tuple(
        Point(
            series=curve.name,
            library=curve.library,
            place=curve.place,
            workload=", ".join([case.case.workload, *(f"{n}={of[n]}" for n in further if n in of)]),
            protocol=str(of["protocol"]),
            size=int(of[size_axis]),
            summary=case,
        )
        for curve, (_, case), of in zip(series(cases), cases, axes, strict=True)
        if {"protocol", size_axis} <= of.keys()
    )


def chosen(
    summaries: Sequence[Summary], workloads: Sequence[str]
) -> list[tuple[Summary, CaseSummary]]:
    """The cases of these workloads, each with its run."""
    return [
        (summary, case)
        for summary in summaries
        for case in summary.cases
        if case.case.workload in workloads
    ]


def varying(axes: Sequence[Mapping[str, AxisValue]], besides: Sequence[str]) -> list[str]:
    """The names of the other axes with several values."""
    names = dict.fromkeys(name for of in axes for name in of if name not in besides)
    return [name for name in names if len({of[name] for of in axes if name in of}) > 1]


def ordered(values: Iterable[str]) -> tuple[str, ...]:
    """Each value once, in order of appearance."""
    return tuple(dict.fromkeys(values))
