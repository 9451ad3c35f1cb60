"""Collective operations: what each rank of a communicator sends and receives."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from halocline.profile.profile import Integers
from halocline.profile.replay.rounds import Rounds
from halocline.profile.replay.rows import Deviations, Row

PLAIN = ("Barrier", "Ibarrier")
ROOTED = ("Bcast", "Ibcast", "Reduce", "Gather", "Scatter")
ALIKE = (*("Allreduce", "Iallreduce", "Scan", "Exscan", "Allgather", "Alltoall", "Ialltoall"),)
VARYING = ("Gatherv", "Scatterv", "Allgatherv", "Alltoallv")
FUNCTIONS = (*PLAIN, *ROOTED, *ALIKE, *VARYING)
MEETINGS = ("Allreduce", "Allgather", "Alltoall")  # if not empty, they synchronise all ranks
STARTED = ("Ibarrier", "Ibcast", "Iallreduce", "Ialltoall")  # they return a request


@dataclass(frozen=True)
class Collective:
    """Operations of one function, over one communicator, with one root."""

    function: str
    communicator: int
    members: tuple[int, ...]  # ranks of the world, in order
    root: int  # of the communicator as it is replayed; -1 for none
    count: int
    sent: tuple[int, ...]  # bytes, by member
    received: tuple[int, ...]

    def values(self, rounds: Rounds) -> tuple[_Values, Sequence[_Values]]:
        """Arguments by member: of the call in a round, and of each call in the rest."""
        if self.function in PLAIN:
            plain: _Values = [()] * len(self.members)
            return plain, [plain] * rounds.rest(self.count)
        if self.function not in VARYING:
            round_size, rest = rounds.sizes(self.count, self._unit())
            head = (self.root,) if self.function in ROOTED else ()
            ranks = len(self.members)
            return [(*head, round_size)] * ranks, [[(*head, size)] * ranks for size in rest]
        if self.function == "Alltoallv":
            totals = transported(self.sent, self.received)
        else:
            own = self.received if self.function == "Scatterv" else self.sent
            totals = np.array([own], np.int64)
        body, rest_of = _split(totals, self.count, rounds)
        return self._varying(body), [self._varying(amounts) for amounts in rest_of]

    def calls(self, rounds: Rounds, body: bool) -> Sequence[_Values]:
        """The arguments of each call of a block."""
        in_round, rest = self.values(rounds)
        return [in_round] * rounds.body(self.count) if body else rest

    def meets(self, rounds: Rounds, body: bool) -> bool:
        """Whether it synchronises all its ranks in a block."""
        calls = self.calls(rounds, body)
        if self.function == "Barrier":
            return bool(calls)
        return self.function in MEETINGS and any(values[0][-1] > 0 for values in calls)

    def _unit(self) -> int:
        """The bytes of one rank's part, summed over the calls."""
        if self.function in ("Bcast", "Ibcast"):
            return self.sent[self.root]
        if self.function == "Scatter":
            return self.received[self.root]
        if self.function in ("Alltoall", "Ialltoall"):
            return self.sent[0] // len(self.members)
        return self.sent[0]

    def _varying(self, bytes_: Integers) -> _Values:
        if self.function == "Alltoallv":
            return [
                (*bytes_[rank].tolist(), *bytes_[:, rank].tolist())
                for rank in range(len(self.members))
            ]
        parts = bytes_[0].tolist()
        if self.function == "Allgatherv":
            return [(part, *parts) for part in parts]
        return [
            (self.root, part, *(parts if rank == self.root else ()))
            for rank, part in enumerate(parts)
        ]


_Values = list[tuple[int, ...]]


def collectives_of(
    rows: list[Row], members: Sequence[tuple[int, ...]], deviations: Deviations
) -> list[Collective]:
    """All collectives; calls not made by all members of a communicator are dropped."""
    groups: dict[tuple[str, int, int, int], list[Row]] = defaultdict(list)
    within = [frozenset(ranks) for ranks in members]
    for row in rows:
        if row.function not in FUNCTIONS:
            continue
        if row.communicator < 0 or row.rank not in within[row.communicator]:
            deviations.add(f"MPI_{row.function} with an unknown communicator left out", row.count)
            continue
        # Parts of varying sizes, and those of a scatter, differ in class between ranks.
        alike = row.function not in VARYING and row.function != "Scatter"
        size_class = row.size_class if alike else -1
        groups[row.function, row.communicator, row.root, size_class].append(row)
    collectives = []
    for (function, communicator, root, _), group in sorted(groups.items()):
        ordered = tuple(sorted(members[communicator]))
        totals = {rank: [0, 0, 0] for rank in ordered}
        for row in group:
            for place, number in enumerate((row.count, row.sent, row.received)):
                totals[row.rank][place] += number
        count = min(counts := [total[0] for total in totals.values()])
        deviations.add(
            f"MPI_{function} not made by all ranks left out", sum(counts) - count * len(counts)
        )
        if count:
            scaled = [[part * count // total[0] for part in total] for total in totals.values()]
            collectives.append(
                Collective(
                    function,
                    communicator,
                    ordered,
                    ordered.index(root) if root in ordered else -1,
                    count,
                    tuple(amounts[1] for amounts in scaled),
                    tuple(amounts[2] for amounts in scaled),
                )
            )
    return collectives


def transported(sent: Sequence[int], received: Sequence[int]) -> Integers:
    """A byte matrix with these row and column sums, as even as possible."""
    gives, takes = np.array(sent, np.int64), np.array(received, np.int64)
    whole = int(gives.sum())
    if whole != int(takes.sum()) or not whole:
        # Calls not made by all ranks were dropped: use the bytes sent.
        takes = gives if whole else np.zeros_like(gives)
    shares = gives[:, None].astype(np.float64) * takes / max(1, whole)
    amounts = np.floor(shares).astype(np.int64)
    row_left, column_left = gives - amounts.sum(axis=1), takes - amounts.sum(axis=0)
    row = column = 0
    while row < len(gives) and column < len(takes):
        moved = min(row_left[row], column_left[column])
        amounts[row, column] += moved
        row_left[row] -= moved
        column_left[column] -= moved
        if row_left[row]:
            column += 1
        else:
            row += 1
    return amounts


def _split(totals: Integers, count: int, rounds: Rounds) -> tuple[Integers, list[Integers]]:
    """Bytes of each call in a round, and of each call in the rest; they add up to the totals."""
    per_call = totals // count
    rest = rounds.rest(count)
    left = totals - rounds.repeats * rounds.body(count) * per_call
    base, more = left // max(1, rest), left % max(1, rest)
    return per_call, [base + (place < more) for place in range(rest)]
