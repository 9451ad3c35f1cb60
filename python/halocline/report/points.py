"""The points of the curves: cases that have a protocol and a size, by series."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from halocline.metrics import Metric
from halocline.summary import CaseSummary, Summary

_NAMES = (
    (re.compile(r"MPICH Version:\s*(\S+)"), "MPICH"),
    (re.compile(r"Intel\(R\) MPI Library (\S+)"), "Intel MPI"),
    (re.compile(r"Open MPI v?([^\s,]+)"), "Open MPI"),
    (re.compile(r"SMPI Version\s*(\S+)"), "SimGrid"),
)


@dataclass(frozen=True)
class Point:
    """One case of one series; `time` is None where it was not measured."""

    series: str
    workload: str
    protocol: str
    size: int
    nodes: int  # that its library's ranks were spread over
    summary: CaseSummary

    @property
    def time(self) -> Metric | None:
        return self.summary.metric("time")

    @property
    def bandwidth(self) -> Metric | None:
        return self.summary.metric("bandwidth")


def library_name(label: str, library_version: str) -> str:
    """A library as people call it, `Intel MPI 2021.18`; its label where the text is unknown."""
    for pattern, name in _NAMES:
        found = pattern.search(library_version)
        if found:
            return f"{name} {found[1].rstrip('.,')}"
    return label


def points(summaries: Sequence[Summary]) -> tuple[Point, ...]:
    """All points of all runs; a series is a library, by run, machine and ranks where they vary."""
    cases = [(summary, case) for summary in summaries for case in summary.cases]
    keys = [_key(summary, case) for summary, case in cases]
    names = _series_names(dict.fromkeys(keys))
    return tuple(
        Point(
            series=names[key],
            workload=case.case.workload,
            protocol=str(axes["protocol"]),
            size=int(axes["bytes"]),
            nodes=library.nodes if (library := summary.libraries.get(case.case.mpi)) else 1,
            summary=case,
        )
        for key, (summary, case) in zip(keys, cases, strict=True)
        if {"protocol", "bytes"} <= (axes := dict(case.case.axes)).keys()
    )


def ordered(values: Iterable[str]) -> tuple[str, ...]:
    """Each value once, in order of appearance."""
    return tuple(dict.fromkeys(values))


# Library, label, run, machine, ranks: the first says enough, or the others are added to it.
_Key = tuple[str, str, str, str, str]


def _key(summary: Summary, summarised: CaseSummary) -> _Key:
    case = summarised.case
    library = summary.libraries.get(case.mpi)
    name = library_name(case.mpi, library.library_version if library else "")
    return name, case.mpi, summary.path.name, case.machine, f"{case.ranks} ranks"


def _series_names(keys: Iterable[_Key]) -> dict[_Key, str]:
    known = list(keys)
    names: dict[_Key, str] = {key: key[0] for key in known}
    for part in range(1, len(_Key.__args__)):  # type: ignore[attr-defined]
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
