"""Who measures what in a launch: a seat for the default, and one per other configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from halocline.campaign.plan import shuffled
from halocline.specification.configuration import Configuration
from halocline.tune.candidates import Candidate, Space, Values

DEFAULT_SEAT = 0


@dataclass(frozen=True)
class Row:
    """The seats that measure in turn, with each one's candidate except the default's."""

    problem: int
    name: str  # label of the default's records
    candidates: Mapping[int, Candidate]  # by seat

    @property
    def seats(self) -> tuple[int, ...]:
        return (DEFAULT_SEAT, *sorted(self.candidates))


@dataclass(frozen=True)
class Table:
    """A launch: the configurations of the other seats, and its rows in order."""

    configurations: tuple[Configuration, ...]
    rows: tuple[Row, ...]

    def of_seat(self, seat: int) -> list[tuple[Row, Candidate]]:
        """The cases of a seat, in order."""
        return [(row, row.candidates[seat]) for row in self.rows if seat in row.candidates]


def table_of(space: Space, batch: Sequence[Candidate], launch: int) -> Table:
    """A row for each candidate and problem, in an order randomised per launch."""
    configurations = tuple(dict.fromkeys(candidate.configuration for candidate in batch))
    seat_of = {configuration: seat for seat, configuration in enumerate(configurations, start=1)}
    of_ways: dict[Values, dict[int, Candidate]] = {}
    for candidate in batch:
        of_ways.setdefault(candidate.ways, {})[seat_of[candidate.configuration]] = candidate
    rows = {}
    for cases in of_ways.values():
        for problem in range(space.problems):
            name = space.row(next(iter(cases.values())), problem)
            rows[name] = Row(problem, name, cases)
    return Table(configurations, tuple(rows[name] for name in shuffled(list(rows), launch)))
