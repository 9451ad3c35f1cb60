"""Store over the number of ranks, as a run measured it, next to the paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from halocline.store.growth import Growth, growth
from halocline.store.paper import FIRST_RANKS, GRID, REDISTRIBUTED_BYTES, STORE_S
from halocline.summary.metrics import Metric
from halocline.summary.summary import CaseSummary, Summary

STORE = "redistribution_store"
TABLE_1 = "table1"


def experiment_file() -> Path:
    """The experiment that measures it."""
    return Path(__file__).with_name("scaling.toml")


@dataclass(frozen=True)
class Planned:
    """Store on one rank for this many ranks."""

    ranks: int
    grid: str
    mpi: str
    time: Metric
    memory: Metric | None
    boxes: Metric | None
    redistributed: Metric | None

    @property
    def paper_s(self) -> float | None:
        """ESMF's time for the same number of ranks."""
        return STORE_S.get(self.ranks)

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
    """The cases of planned ranks with the table's layouts, by library, grid and ranks."""
    found = [
        Planned(
            ranks=int(case.case.axis("planned_ranks")),
            grid=str(case.case.axis("grid")),
            mpi=case.case.mpi,
            time=time,
            memory=case.metric("route memory"),
            boxes=case.metric("route boxes"),
            redistributed=case.metric("redistributed"),
        )
        for summary in summaries
        for case in summary.cases
        if _is_planned(case) and (time := case.metric("time"))
    ]
    return tuple(sorted(found, key=lambda each: (each.mpi, each.grid, each.ranks)))


def largest_series(found: Sequence[Planned]) -> tuple[Planned, ...]:
    """The first library and grid with the most rank counts, from the paper's first one up."""
    series: dict[tuple[str, str], list[Planned]] = {}
    for each in found:
        if each.ranks >= FIRST_RANKS:
            series.setdefault((each.mpi, each.grid), []).append(each)
    longest = sorted(series.values(), key=len, reverse=True)[:1]
    return tuple(each for one in longest for each in one)


def grows(found: Sequence[Planned]) -> Growth | None:
    """How the time of a series grows with the ranks."""
    return growth({each.ranks: each.time.median for each in found})


def _is_planned(case: CaseSummary) -> bool:
    axes = dict(case.case.axes)
    return (
        case.case.workload == STORE
        and bool(axes.get("planned_ranks"))
        and axes.get("layouts") == TABLE_1
    )
