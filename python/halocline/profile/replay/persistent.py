"""Persistent requests: created once, started many times."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from halocline.profile.profile import NOBODY, UNKNOWN_PEER, class_limit
from halocline.profile.replay.rounds import Rounds
from halocline.profile.replay.rows import Deviations, Row

STARTS = ("Start", "Startall")
PREPARED = {"Send_init": "Send_init", "Ssend_init": "Ssend_init", "Recv_init": "Recv_init"}
# As for messages: these need a posted receive, or an attached buffer.
PREPARED_INSTEAD = {
    **{"Rsend_init": "Send_init", "Bsend_init": "Send_init"},
    **{"Psend_init": "Send_init", "Precv_init": "Recv_init"},
}
RECEIVE = "Recv_init"
MOST_IDLE = 1000  # requests of a rank that are created but never started

Values = tuple[int, ...]
_Peer = tuple[int, int]  # a communicator and a rank of the world


def is_prepared(function: str) -> bool:
    """Whether the function creates a persistent request that can be replayed."""
    return function in PREPARED or function in PREPARED_INSTEAD


def started_parts(row: Row, rows: Sequence[Row]) -> tuple[Row, Row]:
    """Split messages started with a peer into sent and received ones.

    A row of one size class holds both. They are separated by how many requests of each kind
    the rank has created, unless that contradicts the size class; then by their bytes.
    """
    requests = Counter[bool]()
    for other in rows:
        ends = (other.rank, other.peer, other.communicator)
        if ends == (row.rank, row.peer, row.communicator) and is_prepared(other.function):
            requests[_function(other) == RECEIVE] += other.count
    sends, rest = divmod(row.messages * requests[False], max(1, requests.total()))
    receives = row.messages - sends
    if rest or not (_of_class(row, row.sent, sends) and _of_class(row, row.received, receives)):
        sends = round(row.messages * row.sent / max(1, row.sent + row.received))
    return (
        replace(row, messages=sends, received=0),
        replace(row, messages=row.messages - sends, sent=0),
    )


def _of_class(row: Row, total: int, messages: int) -> bool:
    """Whether this number of messages with these bytes fits the row's size class."""
    if row.size_class == 0:
        return total == 0
    most, least = class_limit(row.size_class), class_limit(row.size_class - 1) + 1
    return messages * least <= total <= messages * most


def _function(row: Row) -> str:
    return PREPARED_INSTEAD.get(row.function, row.function)


def starts_of_nobody(rows: Sequence[Row]) -> list[Row]:
    """Calls of MPI_Start for a request to MPI_PROC_NULL: those without a message."""
    calls: Counter[int] = Counter()
    nobody: dict[int, Row] = {}
    for row in rows:
        if row.function == "Start":
            calls[row.rank] += row.count - row.messages
            if row.count == 0 and row.peer == NOBODY:
                nobody[row.rank] = row
    return [replace(row, messages=calls[rank]) for rank, row in nobody.items() if calls[rank] > 0]


@dataclass(frozen=True)
class End:
    """One end of messages between two ranks: those that a function starts."""

    function: str
    rank: int
    communicator: int
    peer: int  # as passed by the program when it made the request
    receives: bool
    count: int


@dataclass
class _OfRank:
    """The requests of a rank, in order of creation."""

    made: list[tuple[str, Values]] = field(default_factory=list)
    known: dict[tuple[str, Values], list[int]] = field(default_factory=lambda: defaultdict(list))
    wanted: dict[_Peer, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))


class Starts:
    """How many calls of MPI_Startall each rank makes in a block."""

    def __init__(self, rows: Sequence[Row], deviations: Deviations) -> None:
        self._deviations = deviations
        self._all: Counter[int] = Counter()
        for row in rows:
            if row.function == "Startall":
                self._all[row.rank] += row.count
        self._left = self._all.copy()

    def least(self, ends: Iterable[End]) -> list[int]:
        """The start calls of each rank, an upper limit for the rounds."""
        ranks = {end.rank for end in ends if end.function == "Startall"}
        return [max(1, self._all[rank]) for rank in sorted(ranks)]

    def take(self, rank: int, needed: bool, rounds: Rounds, body: bool) -> int:
        """The calls of this block: at least one if anything is started."""
        wanted = rounds.body(self._all[rank]) if body else self._left[rank]
        calls = max(wanted, int(needed))
        times = rounds.repeats if body else 1
        added = max(0, calls * times - self._left[rank])
        self._deviations.add("MPI_Startall added", added)
        self._left[rank] -= calls * times - added
        return calls


class Requests:
    """The persistent requests that the ranks of a plan need: as many as the program created, if
    that is enough for the messages in flight at the same time.
    """

    def __init__(self, rows: Sequence[Row], deviations: Deviations) -> None:
        self._ranks: dict[int, _OfRank] = defaultdict(_OfRank)
        self._deviations = deviations
        self._used: Counter[tuple[int, str, Values]] = Counter()
        for row in rows:
            if is_prepared(row.function):
                function = _function(row)
                if function != row.function:
                    deviations.add(f"MPI_{row.function} replayed as MPI_{function}", row.count)
                self._ranks[row.rank].wanted[row.communicator, row.peer][function] += row.count

    def limits(self, ends: Iterable[End]) -> list[tuple[int, int]]:
        """For each end, the number of its messages and of the requests that suffice for them."""
        alike: dict[tuple[int, int, int, bool], list[int]] = defaultdict(list)
        for end in ends:
            alike[end.rank, end.communicator, end.peer, end.receives].append(end.count)
        limits = []
        for (rank, communicator, peer, receives), counts in alike.items():
            wanted = self._ranks[rank].wanted[communicator, peer]
            requests = wanted[RECEIVE] if receives else wanted.total() - wanted[RECEIVE]
            limits += [(count, max(1, requests // len(counts))) for count in counts]
        return limits

    def begin_block(self) -> None:
        """Messages of earlier blocks have completed."""
        self._used.clear()

    def start(self, end: End, values: Values) -> int:
        """The request number for a message with these arguments."""
        rank, own = end.rank, self._ranks[end.rank]
        kind = RECEIVE if end.receives else "send"
        use = self._used[rank, kind, values]
        self._used[rank, kind, values] += 1
        known = own.known[kind, values]
        if use == len(known):
            known.append(len(own.made))
            own.made.append((self._function(own.wanted[end.communicator, end.peer], kind), values))
        return known[use]

    def _function(self, wanted: Counter[str], kind: str) -> str:
        for function in (RECEIVE,) if kind == RECEIVE else ("Send_init", "Ssend_init"):
            if wanted[function]:
                wanted[function] -= 1
                return function
        function = RECEIVE if kind == RECEIVE else "Send_init"
        self._deviations.add(f"MPI_{function} added, as sizes vary or several are in flight", 1)
        return function

    def made(
        self, place: dict[int, int], members: Sequence[Sequence[int]]
    ) -> Iterator[tuple[int, str, Values]]:
        """All created requests: rank, function, and arguments; those never started come last.

        `place` maps a communicator to its index in the plan; `members` are its world ranks.
        """
        for rank, own in sorted(self._ranks.items()):
            for function, values in own.made:
                yield rank, function, values
            idle = 0
            for (communicator, peer), wanted in sorted(own.wanted.items()):
                for function, count in sorted(wanted.items()):
                    if communicator not in place:
                        self._deviations.add(
                            f"MPI_{function} that is never started left out", count
                        )
                        continue
                    at = place[communicator]
                    receives = function == RECEIVE
                    other = -2 if receives and peer == UNKNOWN_PEER else -1
                    to = members[at].index(peer) if peer in members[at] else other
                    values = (at, to, 0, 0, -1, 0) if receives else (at, to, 0, 0)
                    number = min(count, MOST_IDLE - idle)
                    idle += number
                    self._deviations.add(
                        f"MPI_{function} left out, as fewer are enough", count - number
                    )
                    for _ in range(number):
                        yield rank, function, values
