"""The file of ways that a search writes for the redistribution library to use by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from halocline.samples.dataset import Dataset
from halocline.samples.records import Start
from halocline.specification.cases import AxisValue, Case
from halocline.tune.candidates import Candidate, Space

NAME = "ways.txt"
WORKLOAD = "redistribution"
_FIRST_LINE = "halocline ways 1"  # src/halocline/bundle/known_ways.cpp reads it
_WAYS = ("protocol", "packing", "bundle", "near")


def text(space: Space, chosen: Candidate, samples: Dataset, sentence: str) -> str | None:
    """A line for each problem, with the way that is best for all of them here.

    None if the library cannot use it: for another workload, on a simulated machine, or by a
    protocol that only programs may choose.
    `samples` has launches of the space's candidates.
    """
    # The bytes moved do not depend on the way, so any candidate's launches have them.
    every = [
        [candidate.cases[at] for candidate in space.candidates] for at in range(space.problems)
    ]
    lines = [_line(space, chosen, cases, samples) for cases in every]
    if not all(lines):
        return None
    needs = [key for key in chosen.changes(space.default) if key not in dict(chosen.ways)]
    remarks = [sentence, "machine | MPI library | problem | way"]
    if needs:
        remarks.insert(1, f"found with {', '.join(needs)} as in settings.sh")
    return "\n".join([_FIRST_LINE, *(f"# {remark}" for remark in remarks), *map(str, lines)]) + "\n"


def _line(space: Space, chosen: Candidate, cases: Sequence[Case], samples: Dataset) -> str | None:
    case = cases[0]
    measured = [record for some in cases for record in samples.measured(some.id)]
    if case.workload != WORKLOAD or not measured:
        return None
    start = samples.start(measured[0].label)
    if start is None or start.simulated or not start.machine:
        return None
    way = _way(dict(chosen.ways), start.nodes)
    if way.get("protocol") in space.restricted:  # programs that left it open may deadlock with it
        return None
    problem = {
        "nodes": "one" if start.nodes == 1 else "several",
        "memory": dict(case.axes)["memory"],
        "ranks": case.ranks,
        "bytes": max(1, measured[0].moved_bytes // case.ranks),
    }
    return " | ".join(_columns(start, problem, way))


def _columns(
    start: Start, problem: Mapping[str, AxisValue], way: Mapping[str, AxisValue]
) -> tuple[str, ...]:
    def joined(words: Mapping[str, AxisValue]) -> str:
        return " ".join(f"{key}={value}" for key, value in words.items())

    return start.machine, " ".join(start.library_version.split()), joined(problem), joined(way)


def _way(ways: Mapping[str, AxisValue], nodes: int) -> dict[str, AxisValue]:
    """The way in the library's terms.

    Derived datatypes belong to the protocol there; without messages there is none.
    """
    way = {key: ways[key] for key in _WAYS if key in ways}
    if way.get("packing") == "type":
        way["packing"] = "rank"
    if nodes == 1 and way.get("near") == "shared":
        way.pop("protocol", None)
    return way
