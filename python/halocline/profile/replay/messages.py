"""Matching of sends and receives: flows from one rank to another, of one kind on each side."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace

from halocline.profile.profile import NO_PEER, NOBODY, UNKNOWN_PEER
from halocline.profile.replay.persistent import STARTS, started_parts, starts_of_nobody
from halocline.profile.replay.rows import Deviations, Row

SENDS = {"Send": "Send", "Ssend": "Ssend", "Isend": "Isend", "Issend": "Issend"}
# These need a posted receive; replaced as follows if a plan cannot guarantee it.
READY = {"Rsend": "Send", "Irsend": "Isend"}
INSTEAD = {"Bsend": "Send", "Ibsend": "Isend"}  # without an attached buffer
RECEIVES = {"Recv": "Recv", "Irecv": "Irecv"}
EXCHANGE = "Sendrecv"


@dataclass(frozen=True)
class Side:
    """Calls that send or receive: their number, bytes and communicator."""

    function: str
    communicator: int
    count: int
    total: int  # bytes
    size_class: int
    wild: bool = False  # a receive from any source

    def first(self, count: int) -> Side:
        """The first of the calls, with their share of the bytes."""
        return replace(self, count=count, total=self.total * count // self.count)

    def without(self, part: Side) -> Side:
        """The rest."""
        return replace(self, count=self.count - part.count, total=self.total - part.total)


@dataclass(frozen=True)
class Flow:
    """Messages from one rank to another; NOBODY instead of a missing rank."""

    source: int
    destination: int
    communicator: int
    count: int
    sent: int
    room: int
    send: str  # the function; empty where nobody sends
    receive: str
    wild: bool


def flows_of(rows: list[Row], deviations: Deviations) -> list[Flow]:
    """All point-to-point messages; unmatched ones are reported."""
    sends: dict[tuple[int, int, int], list[Side]] = defaultdict(list)
    receives: dict[tuple[int, int, int], list[Side]] = defaultdict(list)
    wild: dict[tuple[int, int], list[Side]] = defaultdict(list)
    flows: list[Flow] = []
    # The largest first: a receive from a named sender usually has room for exactly its
    # messages, and the rest goes to wildcard receives.
    for row, is_send in _messages_of(rows):
        part = row.count == 0  # of a call that is counted elsewhere
        count = row.messages if part else row.count
        function = INSTEAD.get(row.function, row.function)
        if function != row.function:
            deviations.add(f"MPI_{row.function} replayed as MPI_{function}", count)
        side = Side(
            function, row.communicator, count, row.sent if is_send else row.received, row.size_class
        )
        if not count:
            continue
        if row.communicator < 0:
            deviations.add(f"MPI_{row.function} with an unknown communicator left out", count)
        elif row.peer == NOBODY:
            flows.append(_to_nobody(row.rank, side, is_send))
        elif row.peer == NO_PEER:
            deviations.add(f"MPI_{row.function} of a persistent collective left out", count)
        elif row.peer == UNKNOWN_PEER and not is_send:
            wild[row.rank, row.communicator].append(replace(side, wild=True))
        elif row.peer < 0:
            deviations.add(f"MPI_{row.function} to an unknown rank left out", count)
        elif is_send:
            sends[row.rank, row.peer, row.communicator].append(side)
        else:
            receives[row.peer, row.rank, row.communicator].append(side)
    left: dict[tuple[int, int], list[tuple[int, Side]]] = defaultdict(list)
    for key in sorted({*sends, *receives}):
        source, destination, communicator = key
        met, more, unmet = _met(key, sends[key], receives[key])
        flows += met
        left[destination, communicator] += [(source, side) for side in more]
        for side in unmet:
            deviations.add(f"MPI_{side.function} without a matching send left out", side.count)
    flows += _from_anybody(left, wild, deviations)
    return flows


def _messages_of(rows: list[Row]) -> Iterator[tuple[Row, bool]]:
    """Point-to-point messages, largest first, and whether each is sent."""
    for row in sorted(rows, key=lambda row: (-row.size_class, -row.sent - row.received)):
        part = row.count == 0
        if row.function in SENDS or row.function in READY or row.function in INSTEAD:
            yield row, True
        elif row.function in RECEIVES:
            yield row, False
        elif row.function == EXCHANGE:
            yield row, not part
        elif row.function in STARTS and part:  # else the call itself: its messages are its parts
            yield from zip(started_parts(row, rows), (True, False), strict=True)
    for row in starts_of_nobody(rows):
        yield from zip(started_parts(row, rows), (True, False), strict=True)


def _to_nobody(rank: int, side: Side, is_send: bool) -> Flow:
    ends = (rank, NOBODY) if is_send else (NOBODY, rank)
    names = (side.function, "") if is_send else ("", side.function)
    return Flow(*ends, side.communicator, side.count, side.total, side.total, *names, False)


def _met(
    key: tuple[int, int, int], sends: list[Side], receives: list[Side]
) -> tuple[list[Flow], list[Side], list[Side]]:
    """Match sends and receives of the same size class, then any; returns the unmatched ones too."""
    flows: list[Flow] = []
    waiting: list[Side] = []
    posted = list(receives)
    for size_class in dict.fromkeys(side.size_class for side in sends):
        alike = [side for side in posted if side.size_class == size_class]
        rest = [side for side in posted if side.size_class != size_class]
        given = [side for side in sends if side.size_class == size_class]
        met, left, unmet = _paired(key, given, alike)
        flows += met
        waiting += left
        posted = sorted([*rest, *unmet], key=lambda side: -side.size_class)
    met, waiting, posted = _paired(key, waiting, posted)
    return [*flows, *met], waiting, posted


def _paired(
    key: tuple[int, int, int], sends: list[Side], receives: list[Side]
) -> tuple[list[Flow], list[Side], list[Side]]:
    """Match in order, both from the largest."""
    flows = []
    waiting, posted = list(sends), list(receives)
    even = sum(s.total for s in sends) == sum(r.total for r in receives)
    while waiting and posted:
        count = min(waiting[0].count, posted[0].count)
        given, taken = waiting[0].first(count), posted[0].first(count)
        if even:  # then the rest of either side determines the other's part
            if count == posted[0].count:
                given = replace(given, total=min(taken.total, waiting[0].total))
            if count == waiting[0].count:
                given = replace(given, total=waiting[0].total)
            if count != posted[0].count:
                taken = replace(taken, total=min(given.total, posted[0].total))
        flows.append(
            Flow(*key, count, given.total, taken.total, given.function, taken.function, taken.wild)
        )
        waiting[0], posted[0] = waiting[0].without(given), posted[0].without(taken)
        waiting, posted = [s for s in waiting if s.count], [r for r in posted if r.count]
    return flows, waiting, posted


def _from_anybody(
    left: dict[tuple[int, int], list[tuple[int, Side]]],
    wild: dict[tuple[int, int], list[Side]],
    deviations: Deviations,
) -> list[Flow]:
    flows = []
    for destination, communicator in sorted({*left, *wild}):
        senders = left[destination, communicator]
        posted = list(wild[destination, communicator])
        for source, side in sorted(senders, key=lambda item: -item[1].total / item[1].count):
            met, more, posted = _met((source, destination, communicator), [side], posted)
            flows += met
            for rest in more:
                deviations.add(
                    f"MPI_{rest.function} without a matching receive left out", rest.count
                )
        for unmet in posted:
            deviations.add(f"MPI_{unmet.function} without a matching send left out", unmet.count)
    return flows
