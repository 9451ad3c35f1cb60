"""Who measures what in a launch: a seat for the default, one for each configuration beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from halocline.configuration import Configuration
from halocline.plan import shuffled
from halocline.tune.candidates import Candidate, Space, Values

DEFAULT_SEAT = 0


@dataclass(frozen=True)
class Row:
    """The seats that measure in turn, with the candidate of each but the default's."""

    problem: int
    name: str  # under which the default's times are recorded
    candidates: Mapping[int, Candidate]  # by seat

    @property
    def seats(self) -> tuple[int, ...]:
        return (DEFAULT_SEAT, *sorted(self.candidates))


@dataclass(frozen=True)
class Table:
    """A launch: the configurations of its seats after the default's, and its rows in order."""

    configurations: tuple[Configuration, ...]
    rows: tuple[Row, ...]

    def of_seat(self, seat: int) -> list[tuple[Row, Candidate]]:
        """What a seat measures, one after the other."""
        return [(row, row.candidates[seat]) for row in self.rows if seat in row.candidates]


def table_of(space: Space, batch: Sequence[Candidate], launch: int) -> Table:
    """A row for each way and problem, in an order of this launch's own."""
    configurations = tuple(dict.fromkeys(each.configuration for each in batch))
    seat_of = {each: seat for seat, each in enumerate(configurations, start=1)}
    of_ways: dict[Values, dict[int, Candidate]] = {}
    for each in batch:
        of_ways.setdefault(each.ways, {})[seat_of[each.configuration]] = each
    rows = {}
    for found in of_ways.values():
        for problem in range(space.problems):
            name = space.row(next(iter(found.values())), problem)
            rows[name] = Row(problem, name, found)
    return Table(configurations, tuple(rows[name] for name in shuffled(list(rows), launch)))
