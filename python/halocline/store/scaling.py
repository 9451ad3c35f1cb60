"""Store over the number of ranks, as a run measured it, next to the paper."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from halocline.store.growth import Growth, growth
from halocline.store.paper import FIRST_RANKS, GRID, REDISTRIBUTED_BYTES, STORE_S
from halocline.summary.metrics import Metric
from halocline.summary.summary import CaseSummary, Summary

STORE = "redistribution_store"
EXCHANGE = "redistribution"
TABLE_1 = "table1"
WHOLE = "whole"
CHOSEN = "chosen"


def experiment_file(simulated: bool) -> Path:
    """The experiment that measures it."""
    return Path(__file__).with_name(f"scaling{'-simulated' if simulated else ''}.toml")


@dataclass(frozen=True)
class Stored:
    """The time of Store, or of an exchange, on this many ranks, and where it was measured."""

    ranks: int
    grid: str
    mpi: str
    machine: str
    run: str
    time: Metric
    boxes: Metric | None  # of a rank's route

    @property
    def place(self) -> Mapping[str, str]:
        """Where it was measured."""
        return {"MPI": self.mpi, "machine": self.machine, "run": self.run}

    @property
    def series(self) -> tuple[str, ...]:
        """What it shares with times for other numbers of ranks."""
        return (*self.place.values(), self.grid)

    @property
    def paper_s(self) -> float | None:
        """ESMF's time for the same number of ranks; it includes the precomputation."""
        return STORE_S.get(self.ranks)


StoredRow = TypeVar("StoredRow", bound=Stored)


@dataclass(frozen=True)
class Planned(Stored):
    """Store on one rank, for ranks that need not exist."""

    memory: Metric | None
    redistributed: Metric | None

    @property
    def paper_bytes(self) -> int | None:
        """Table 1's total; None for another grid or number of ranks."""
        return REDISTRIBUTED_BYTES.get(self.ranks) if self.grid == GRID else None

    @property
    def to_the_byte(self) -> bool | None:
        """Whether the routes move as much as in Table 1; None if not in the table."""
        if self.paper_bytes is None or self.redistributed is None:
            return None
        return self.redistributed.median == self.paper_bytes


def planned(summaries: Sequence[Summary]) -> tuple[Planned, ...]:
    """The cases of planned ranks with the table's layouts, by series and ranks."""
    rows = [
        Planned(
            ranks=int(case.case.axis("planned_ranks")),
            grid=str(case.case.axis("grid")),
            mpi=case.case.mpi,
            machine=case.case.machine,
            run=summary.name,
            time=time,
            boxes=case.metric("route boxes"),
            memory=case.metric("route memory"),
            redistributed=case.metric("redistributed"),
        )
        for summary in summaries
        for case in summary.cases
        if _is_planned(case) and (time := case.metric("time"))
    ]
    return tuple(sorted(rows, key=lambda each: (*each.series, each.ranks)))


def whole(summaries: Sequence[Summary]) -> tuple[Stored, ...]:
    """The cases in which all that a program does once was timed, by series and ranks.

    On ranks that exist: the route, the way, buffers, protocol.
    """
    return _on_ranks(
        summaries,
        lambda case: (
            case.case.workload == STORE
            and dict(case.case.axes).get("store") == WHOLE
            and dict(case.case.axes).get("way", CHOSEN) == CHOSEN
        ),
    )


def exchanged(summaries: Sequence[Summary]) -> tuple[Stored, ...]:
    """The exchanges in the fastest way of each place and number of ranks, by series and ranks."""
    fastest: dict[tuple[tuple[str, ...], int], Stored] = {}
    for row in _on_ranks(summaries, lambda case: case.case.workload == EXCHANGE):
        place = (row.series, row.ranks)
        if place not in fastest or row.time.median < fastest[place].time.median:
            fastest[place] = row
    return tuple(fastest.values())


def _on_ranks(
    summaries: Sequence[Summary], belongs: Callable[[CaseSummary], bool]
) -> tuple[Stored, ...]:
    """Cases with the table's layouts on ranks that exist, by series and ranks."""
    rows = [
        Stored(
            ranks=case.case.ranks,
            grid=str(case.case.axis("grid")),
            mpi=case.case.mpi,
            machine=case.case.machine,
            run=summary.name,
            time=time,
            boxes=case.metric("route boxes"),
        )
        for summary in summaries
        for case in summary.cases
        if belongs(case) and case.case.axis("layouts") == TABLE_1 and (time := case.metric("time"))
    ]
    return tuple(sorted(rows, key=lambda each: (*each.series, each.ranks)))


def distinct(rows: Sequence[Stored], *always: str) -> tuple[str, ...]:
    """The names of what says where rows were measured: these, and those that differ."""
    return tuple(
        name
        for name in (rows[0].place if rows else ())
        if name in always or len({row.place[name] for row in rows}) > 1
    )


def largest_series(rows: Sequence[StoredRow]) -> tuple[StoredRow, ...]:
    """The first series with the most rank counts, from the paper's first one up."""
    series: dict[tuple[str, ...], list[StoredRow]] = {}
    for row in rows:
        if row.ranks >= FIRST_RANKS:
            series.setdefault(row.series, []).append(row)
    longest = sorted(series.values(), key=len, reverse=True)[:1]
    return tuple(entry for entries in longest for entry in entries)


def grows(rows: Sequence[Stored]) -> Growth | None:
    """How the time of a series grows with the ranks; None where a time is too uncertain."""
    reach_of: dict[int, float] = {}
    for row in rows:
        if row.time.bounds is None:
            return None
        low_s, high_s = row.time.bounds
        reach_of[row.ranks] = math.log(high_s / low_s) / 2
    return growth({row.ranks: row.time.median for row in rows}, reach_of)


def _is_planned(case: CaseSummary) -> bool:
    axes = dict(case.case.axes)
    return (
        case.case.workload == STORE
        and bool(axes.get("planned_ranks"))
        and axes.get("layouts") == TABLE_1
    )
