"""Names of series: the library, what distinguishes it, and where its ranks are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from halocline.base.units import counted
from halocline.specification.configuration import layout_of
from halocline.summary.summary import CaseSummary, Summary

ON_NODE = "on node"

_DEFAULTS = "defaults"  # next to series with other settings
_NAMES = (
    (re.compile(r"MPICH Version:\s*(\S+)"), "MPICH"),
    (re.compile(r"Intel\(R\) MPI Library (\S+)"), "Intel MPI"),
    (re.compile(r"Open MPI v?([^\s,]+)"), "Open MPI"),
    (re.compile(r"SMPI Version\s*(\S+)"), "SimGrid"),
)


@dataclass(frozen=True)
class Series:
    """The name of a curve; `library` is the same without the place."""

    name: str
    library: str
    place: str


def library_name(label: str, library_version: str) -> str:
    """A library's usual name, `Intel MPI 2021.18`; its label if the text is unknown."""
    for pattern, name in _NAMES:
        match = pattern.search(library_version)
        if match:
            return f"{name} {match[1].rstrip('.,')}"
    return label


def series(cases: Sequence[tuple[Summary, CaseSummary]]) -> list[Series]:
    """The series of each case: a library, and what else varies."""
    keys = _varying_keys(cases)
    parts = [_parts(summary, case, keys) for summary, case in cases]
    names = _names(dict.fromkeys(parts))
    places = [_place(summary, case) for summary, case in cases]
    libraries = [names[part] for part in parts]
    several = {
        library
        for library, places_of in _grouped(zip(libraries, places, strict=True)).items()
        if places_of != {ON_NODE}
    }
    return [
        Series(f"{library}, {place}" if library in several else library, library, place)
        for library, place in zip(libraries, places, strict=True)
    ]


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
    values = _grouped(item for _, case in cases for item in case.case.settings(keys).items())
    return [key for key in keys if len(values[key]) > 1]


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


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, set[str]]:
    groups: dict[str, set[str]] = {}
    for key, value in pairs:
        groups.setdefault(key, set()).add(value)
    return groups
