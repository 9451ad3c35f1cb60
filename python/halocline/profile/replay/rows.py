"""The calls of a profile, aggregated for a replay."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from halocline.base.units import counted
from halocline.profile.functions import is_local, short
from halocline.profile.profile import Communicator, Profile


@dataclass
class Row:
    """Calls of one function by one rank, to one peer or root, of one class of sizes."""

    rank: int
    function: str
    communicator: int
    peer: int
    root: int
    size_class: int
    count: int = 0
    messages: int = 0
    sent: int = 0
    received: int = 0


class Deviations:
    """What is not replayed exactly: each kind once, with its number of calls."""

    def __init__(self) -> None:
        self._calls: dict[str, int] = defaultdict(int)

    def add(self, what: str, calls: int) -> None:
        """Count more calls of this kind."""
        if calls:
            self._calls[what] += calls

    @property
    def lines(self) -> tuple[str, ...]:
        """One line per kind, most calls first."""
        ordered = sorted(self._calls.items(), key=lambda item: (-item[1], item[0]))
        return tuple(f"{kind}: {counted(calls, 'call')}" for kind, calls in ordered)


def _left_out(communicator: Communicator) -> str:
    """Why calls over it are not replayed; empty if they are."""
    if min((*communicator.members, *communicator.remote), default=0) < 0:
        return "with ranks of another world"
    return "over an intercommunicator" if communicator.remote else ""


def rows_of(profile: Profile, deviations: Deviations) -> list[Row]:
    """Aggregate over threads and call sites; drop calls to ranks missing in the plan."""
    calls = profile.calls
    reasons = [_left_out(comm) for comm in profile.communicators]
    within = [frozenset(comm.members) for comm in profile.communicators]
    names = [short(name) for name in profile.functions]
    rows: dict[tuple[int, ...], Row] = {}
    columns = (
        *(calls.rank, calls.function, calls.communicator, calls.peer, calls.root),
        *(calls.size_class, calls.count, calls.messages, calls.bytes_sent, calls.bytes_received),
    )
    for *key, count, messages, sent, received in zip(
        *(column.tolist() for column in columns), strict=True
    ):
        rank, function, communicator, peer, root, size_class = key
        reason = reasons[communicator] if communicator >= 0 else ""
        if reason:
            if not is_local(names[function]):
                deviations.add(f"MPI_{names[function]} {reason} left out", count)
            continue
        named = {rank, *(partner for partner in (peer, root) if partner >= 0)}
        if communicator >= 0 and not named <= within[communicator]:
            key[2] = communicator = -1
        # The halves of an exchange stay separate, as they have different peers.
        halves = (*key, int(count == 0))
        row = rows.setdefault(
            halves, Row(rank, names[function], communicator, peer, root, size_class)
        )
        row.count += count
        row.messages += messages
        row.sent += sent
        row.received += received
    return list(rows.values())
