"""Puts and gets between fences."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from halocline.profile.profile import NOBODY
from halocline.profile.replay.rounds import Rounds
from halocline.profile.replay.rows import Deviations, Row

ACCESSES = ("Put", "Get")
FENCE = "Win_fence"
FEWEST_FENCES = 2  # one begins what the next ends
_Planned = tuple[int, str, tuple[int, ...]]  # rank, function, and its numbers


@dataclass(frozen=True)
class Access:
    """Accesses of one rank to another's memory: their number and total bytes."""

    function: str
    rank: int
    peer: int  # NOBODY for MPI_PROC_NULL
    window: int
    count: int
    total: int

    def sizes(self, rounds: Rounds, body: bool) -> list[int]:
        """The bytes of each call in a block."""
        size, rest = rounds.sizes(self.count, self.total)
        return [size] * rounds.body(self.count) if body else list(rest)


class Windows:
    """The windows whose accesses are replayed, with the fences around them."""

    def __init__(
        self, rows: Sequence[Row], members: Sequence[Sequence[int]], deviations: Deviations
    ) -> None:
        self.fences = _fences_of(rows, members, deviations)
        self._number = {window: at for at, window in enumerate(sorted(self.fences))}
        self._members = {window: sorted(members[window]) for window in self.fences}
        self.accesses: list[Access] = []
        for row in rows:
            if row.function not in ACCESSES:
                continue
            if row.communicator in self.fences and (row.peer >= 0 or row.peer == NOBODY):
                total = row.sent if row.function == "Put" else row.received
                self.accesses.append(
                    Access(row.function, row.rank, row.peer, row.communicator, row.count, total)
                )
            else:
                deviations.add(f"MPI_{row.function} outside fences left out", row.count)

    @property
    def counts(self) -> list[int]:
        """How often each call is made, limited by the rounds."""
        return [*(access.count for access in self.accesses), *(n - 1 for n in self.fences.values())]

    @property
    def moved_bytes(self) -> int:
        """The bytes of all accesses."""
        return sum(access.total for access in self.accesses)

    def rooms(self, rounds: Rounds) -> dict[int, int]:
        """Per window, the bytes that accesses need at every rank."""
        rooms = dict.fromkeys(sorted(self.fences), 0)
        for access in self.accesses:
            sizes = [*access.sizes(rounds, True), *access.sizes(rounds, False)]
            rooms[access.window] = max(rooms[access.window], *sizes)
        return rooms

    def accesses_in(self, rounds: Rounds, body: bool) -> Iterator[_Planned]:
        """The calls of a block."""
        for access in self.accesses:
            ranks = self._members[access.window]
            peer = -1 if access.peer == NOBODY else ranks.index(access.peer)
            for size in access.sizes(rounds, body):
                yield access.rank, access.function, (self._number[access.window], peer, size)

    def fences_in(self, rounds: Rounds, body: bool) -> Iterator[_Planned]:
        """The fences that end the accesses of a block."""
        for window in self._number:
            rest = self.fences[window] - 1
            for _ in range(rounds.body(rest) if body else rounds.rest(rest)):
                yield from self._fence(window)

    def first_fences(self) -> Iterator[_Planned]:
        """One fence per window before all rounds."""
        for window in self._number:
            yield from self._fence(window)

    def _fence(self, window: int) -> Iterator[_Planned]:
        for rank in self._members[window]:
            yield rank, FENCE, (self._number[window],)


def _fences_of(
    rows: Sequence[Row], members: Sequence[Sequence[int]], deviations: Deviations
) -> dict[int, int]:
    """The fences per window that all its ranks called."""
    by_window: dict[int, Counter[int]] = defaultdict(Counter)
    for row in rows:
        if row.function == FENCE:
            by_window[row.communicator][row.rank] += row.count
    fences = {}
    for window, counts in by_window.items():
        ranks = members[window] if window >= 0 else ()
        count = min((counts[rank] for rank in ranks), default=0)
        if count >= FEWEST_FENCES:
            fences[window] = count
        else:
            count = 0
        deviations.add(
            f"MPI_{FENCE} not made by all ranks left out", counts.total() - count * len(ranks)
        )
    return fences
