"""Verified combinations as a table: one row per protocol, one column per workload."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from halocline.verify.combinations import Combination

NO_PROTOCOL = "(no protocol)"
MARKS = {"verified": "✓", "skipped": "–", "failed": "✗"}


@dataclass(frozen=True)
class Grid:
    """The table of one library: cells by (protocol, workload), and the notes they refer to."""

    mpi: str
    protocols: tuple[str, ...]
    workloads: tuple[str, ...]
    cells: Mapping[tuple[str, str], str]
    notes: tuple[str, ...]  # the first is number 1


def grids(combinations: Sequence[Combination]) -> tuple[Grid, ...]:
    """A grid for each library, in order of appearance."""
    libraries = dict.fromkeys(combination.mpi for combination in combinations)
    return tuple(_grid(mpi, [c for c in combinations if c.mpi == mpi]) for mpi in libraries)


def _grid(mpi: str, combinations: Sequence[Combination]) -> Grid:
    notes: dict[str, int] = {}
    by_place: dict[tuple[str, str], list[Combination]] = {}
    for combination in combinations:
        place = (combination.protocol or NO_PROTOCOL, combination.workload)
        by_place.setdefault(place, []).append(combination)
    ranks = {combination.ranks for combination in combinations}
    cells = {place: _cell(at_place, notes, ranks) for place, at_place in by_place.items()}
    return Grid(
        mpi=mpi,
        protocols=tuple(dict.fromkeys(protocol for protocol, _ in cells)),
        workloads=tuple(dict.fromkeys(workload for _, workload in cells)),
        cells=cells,
        notes=tuple(notes),
    )


def _cell(combinations: Sequence[Combination], notes: dict[str, int], all_ranks: Set[int]) -> str:
    """`✓` if it ran on all numbers of ranks, otherwise the result by ranks: `✓ 2; – 4, 8 [1]`."""
    ranks_of: dict[tuple[str, str], list[int]] = {}
    for combination in combinations:
        note = (
            f" [{notes.setdefault(combination.reason, len(notes) + 1)}]"
            if combination.reason
            else ""
        )
        ranks_of.setdefault((MARKS[combination.status], note), []).append(combination.ranks)
    if len(ranks_of) == 1 and {combination.ranks for combination in combinations} == all_ranks:
        return "".join(next(iter(ranks_of)))
    return "; ".join(
        f"{mark} {', '.join(map(str, ranks))}{note}" for (mark, note), ranks in ranks_of.items()
    )
