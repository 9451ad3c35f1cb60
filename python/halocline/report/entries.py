"""The table that sections and figures draw from: a row for each case, named and placed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from halocline.base.units import counted
from halocline.specification.cases import AxisValue
from halocline.specification.configuration import layout_of
from halocline.summary.metrics import Metric, is_wide
from halocline.summary.summary import CaseSummary, Summary

ONE_WAY = "pingpong"
BOTH_WAYS = "pingping"
ON_NODE = "on node"

_ON_CURVES = ("protocol", "bytes", "words")  # what a curve's points differ in
_DEFAULTS = "defaults"  # next to series with other settings
_NAMES = (
    (re.compile(r"MPICH Version:\s*(\S+)"), "MPICH"),
    (re.compile(r"Intel\(R\) MPI Library (\S+)"), "Intel MPI"),
    (re.compile(r"Open MPI v?([^\s,]+)"), "Open MPI"),
    (re.compile(r"SMPI Version\s*(\S+)"), "SimGrid"),
)


@dataclass(frozen=True)
class Entry:
    """One case. Its series is its library, with what else distinguishes it, and its place."""

    series: str
    library: str  # the series without its place
    place: str
    variant: str  # the workload with its varying axes but for protocol and size
    summary: CaseSummary

    @property
    def workload(self) -> str:
        return self.summary.case.workload

    @cached_property
    def axes(self) -> Mapping[str, AxisValue]:
        return dict(self.summary.case.axes)

    @property
    def protocol(self) -> str:
        return self.word("protocol")

    @property
    def size(self) -> int:
        """Its bytes, or the words of a row."""
        return self.number("words" if "words" in self.axes else "bytes")

    @cached_property
    def measured(self) -> bool:
        return self.metric("time") is not None

    @cached_property
    def time(self) -> Metric:
        """Its time; ValueError if it was not measured."""
        time = self.metric("time")
        if time is None:
            raise ValueError(f"{self.summary.case.id} has no time")
        return time

    def word(self, axis: str) -> str:
        """An axis as text; empty where the workload has no such axis."""
        return str(self.axes.get(axis, ""))

    def number(self, axis: str) -> int:
        """An axis as a number; 0 where the workload has no such axis."""
        return int(self.axes.get(axis, 0))

    def metric(self, name: str) -> Metric | None:
        return self.summary.metric(name)


def every_case(
    summaries: Sequence[Summary], workloads: Sequence[str] | None = None
) -> tuple[Entry, ...]:
    """Every case of these workloads, or of all, in order, with a time or without."""
    cases = [
        (summary, case)
        for summary in summaries
        for case in summary.cases
        if workloads is None or case.case.workload in workloads
    ]
    axes = [dict(case.case.axes) for _, case in cases]
    further = varying(axes, _ON_CURVES)
    places = [_place(summary, case) for summary, case in cases]
    libraries = _libraries(cases)
    elsewhere = {
        library for library, place in zip(libraries, places, strict=True) if place != ON_NODE
    }
    return tuple(
        Entry(
            series=f"{library}, {place}" if library in elsewhere else library,
            library=library,
            place=place,
            variant=", ".join([case.case.workload, *(f"{n}={of[n]}" for n in further if n in of)]),
            summary=case,
        )
        for library, place, of, (_, case) in zip(libraries, places, axes, cases, strict=True)
    )


def entries(summaries: Sequence[Summary], workloads: Sequence[str]) -> tuple[Entry, ...]:
    """Every case of these workloads that was measured."""
    return tuple(entry for entry in every_case(summaries, workloads) if entry.measured)


def points(
    summaries: Sequence[Summary], workloads: Sequence[str] = (ONE_WAY, BOTH_WAYS)
) -> tuple[Entry, ...]:
    """The points of the curves: every case of these workloads that has a protocol and a size."""
    return tuple(
        entry
        for entry in every_case(summaries, workloads)
        if "protocol" in entry.axes and entry.axes.keys() & {"bytes", "words"}
    )


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

    @property
    def wide(self) -> bool:
        """Whether the interval is wider than the ratio."""
        return is_wide(self.median, self.low, self.high)


def over(above: Metric, below: Metric) -> Ratio:
    """The ratio of two metrics."""
    bounds = (above.low, above.high, below.low, below.high)
    median = above.median / below.median
    if any(bound is None for bound in bounds):
        return Ratio(median, None, None)
    low, high, other_low, other_high = (bound or 0.0 for bound in bounds)
    return Ratio(median, low / other_high, high / other_low)


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


def library_name(label: str, library_version: str) -> str:
    """A library's usual name, `Intel MPI 2021.18`; its label if the text is unknown."""
    for pattern, name in _NAMES:
        match = pattern.search(library_version)
        if match:
            return f"{name} {match[1].rstrip('.,')}"
    return label


def varying(axes: Sequence[Mapping[str, AxisValue]], besides: Sequence[str]) -> list[str]:
    """The names of the other axes with several values."""
    names = dict.fromkeys(name for of in axes for name in of if name not in besides)
    return [name for name in names if len({of[name] for of in axes if name in of}) > 1]


def ordered(values: Iterable[str]) -> tuple[str, ...]:
    """Each value once, in order of appearance."""
    return tuple(dict.fromkeys(values))


def _place(summary: Summary, summarised: CaseSummary) -> str:
    case = summarised.case
    library = summary.libraries.get(case.label)
    nodes = (library.nodes if library else 0) or layout_of(case.configuration, case.ranks).nodes
    if nodes < 2:
        return ON_NODE
    if nodes == case.ranks == 2:
        return summary.between
    shape = f"{nodes} nodes × {case.ranks // nodes}"
    return shape if summary.made_rate is None else f"{shape} {summary.between}"


def _libraries(cases: Sequence[tuple[Summary, CaseSummary]]) -> list[str]:
    """The name of each case's library, with what else varies."""
    keys = _varying_keys(cases)
    parts = [_parts(summary, case, keys) for summary, case in cases]
    names = _names(dict.fromkeys(parts))
    return [names[part] for part in parts]


# Library, settings, MPI, run, machine, ranks: add parts until the names are unique.
_Parts = tuple[str, str, str, str, str, str]


def _parts(summary: Summary, summarised: CaseSummary, keys: Sequence[str]) -> _Parts:
    case = summarised.case
    library = summary.libraries.get(case.label)
    name = library_name(case.mpi, library.library_version if library else "")
    own = [f"{key}={value}" for key, value in case.configuration if key in keys]
    settings = " ".join(own) or _DEFAULTS
    return name, settings, case.mpi, summary.name, case.machine, counted(case.ranks, "rank")


def _varying_keys(cases: Sequence[tuple[Summary, CaseSummary]]) -> list[str]:
    """The settings that differ among the cases; the place of the ranks is given in words."""
    keys = dict.fromkeys(key for summary, _ in cases for key in summary.swept if key != "layout")
    settings = [case.case.settings(keys) for _, case in cases]
    return [key for key in keys if len({of[key] for of in settings if key in of}) > 1]


def _names(keys: Iterable[_Parts]) -> dict[_Parts, str]:
    known = list(keys)
    names: dict[_Parts, str] = {key: key[0] for key in known}
    for part in range(1, len(_Parts.__args__)):  # type: ignore[attr-defined]
        shared = Counter(names.values())
        varies = {
            name
            for name in names.values()
            if len({key[part] for key in known if names[key] == name}) > 1
        }
        names = {
            key: f"{name}, {key[part]}" if shared[name] > 1 and name in varies else name
            for key, name in names.items()
        }
    return names
