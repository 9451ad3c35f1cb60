"""The plan of a replay: for each rank its calls, in rounds, in an order without deadlock."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from halocline.base.errors import UserError
from halocline.profile.functions import is_local, short
from halocline.profile.profile import NOBODY, UNKNOWN_PEER, Profile
from halocline.profile.replay.collectives import FUNCTIONS, STARTED, Collective, collectives_of
from halocline.profile.replay.exchanges import OUTSIDE, Edge, calls_of, circles
from halocline.profile.replay.messages import (
    EXCHANGE,
    INSTEAD,
    READY,
    RECEIVES,
    SENDS,
    Flow,
    flows_of,
)
from halocline.profile.replay.one_sided import ACCESSES, FENCE, Windows
from halocline.profile.replay.order import check_order
from halocline.profile.replay.persistent import STARTS, End, Requests, Starts, is_prepared
from halocline.profile.replay.rounds import Rounds, rounds_of
from halocline.profile.replay.rows import Deviations, Row, rows_of

COMPLETIONS = ("Wait", "Waitall", "Waitany", "Waitsome")
TESTS = ("Test", "Testall", "Testany", "Testsome")
LOOK = "Iprobe"
MOST_CALLS = 5_000_000  # in the file, over all ranks
_REASONS = 3  # reasons listed if nothing can be replayed
_TAGS = 32_000  # supported by every MPI library
_SILENT = ("Init", "Init_thread", "Finalize")  # every program has them, including the replay


@dataclass(frozen=True)
class Call:
    """A call with its arguments, in the driver's format."""

    function: str
    values: tuple[int, ...] = ()

    def __str__(self) -> str:
        return " ".join([self.function, *map(str, self.values)])


@dataclass
class Block:
    """Calls of each rank that are repeated together."""

    repeats: int
    calls: dict[int, list[Call]] = field(default_factory=lambda: defaultdict(list))

    def add(self, calls: Iterable[tuple[int, str, tuple[int, ...]]]) -> None:
        """Append calls: rank, function, and arguments."""
        for rank, function, values in calls:
            self.calls[rank].append(Call(function, values))


@dataclass(frozen=True)
class Plan:
    """Everything that is replayed; `deviations` say what is not.

    A window has the ranks of a communicator, and a size in bytes per rank.
    """

    ranks: int
    communicators: tuple[tuple[int, ...], ...]
    windows: tuple[tuple[int, int], ...]
    blocks: tuple[Block, ...]
    moved_bytes: int
    deviations: tuple[str, ...]

    def lines(self) -> Iterator[str]:
        """The file that the driver reads."""
        yield f"halocline-replay-1 {self.ranks} {self.moved_bytes}"
        for members in self.communicators:
            yield " ".join(["communicator", *map(str, members)])
        for window in self.windows:
            yield " ".join(["window", *map(str, window)])
        for block in self.blocks:
            yield f"block {block.repeats}"
            for rank in range(self.ranks):
                yield f"rank {rank}"
                yield from map(str, block.calls[rank])
        yield "end"


def plan_of(profile: Profile) -> Plan:
    """The plan of a profile; UserError if nothing can be replayed."""
    ranks = [rank.rank for rank in profile.ranks]
    if profile.missing or ranks != list(range(len(ranks))):
        raise UserError(
            f"{profile.folder} lacks ranks, so some messages have only one end",
            remedy="profile the program again and gather the parts of all hosts",
        )
    deviations = Deviations()
    rows = rows_of(profile, deviations)
    members = [communicator.members for communicator in profile.communicators]
    for row in rows:
        if not _is_replayed(row.function):
            deviations.add(f"MPI_{row.function} left out", row.count)
    flows = flows_of(rows, deviations)
    collectives = collectives_of(rows, members, deviations)
    windows = Windows(rows, members, deviations)
    if not flows and not collectives and not windows.accesses:
        why = f": {', '.join(deviations.lines[:_REASONS])}" if deviations.lines else ""
        raise UserError(
            f"{profile.folder} has no call that can be replayed{why}",
            allowed="between ranks of one world, "
            + ", ".join((*SENDS, *READY, *RECEIVES, EXCHANGE, *FUNCTIONS)),
            remedy="profile a program that sends messages",
        )
    asked = [row for row in rows if row.function in (*COMPLETIONS, *TESTS, LOOK)]
    starts, requests = Starts(rows, deviations), Requests(rows, deviations)
    ends = [end for flow in flows for end in _started(flow)]
    counts = [
        *(flow.count for flow in flows),
        *(collective.count for collective in collectives),
        *(row.count for row in asked),
        *windows.counts,
        *(row.count for row in rows if row.function == "Startall" and row.count),
    ]
    rounds = rounds_of(counts, requests.limits(ends), starts.least(ends))
    if sum(rounds.body(c) + rounds.rest(c) for c in counts) > MOST_CALLS:
        raise UserError(
            f"the plan of {profile.folder} would have more than {MOST_CALLS} lines",
            remedy="profile a shorter run of the program",
        )
    used = sorted(
        {f.communicator for f in flows} | {c.communicator for c in collectives} | {*windows.fences}
    )
    if not _halves_agree(flows, lambda count: count):
        raise UserError(
            f"the two halves of MPI_Sendrecv in {profile.folder} do not belong together",
            remedy="profile a whole run of the program: some ranks ended early in this one",
        )
    if not _halves_agree(flows, rounds.body):
        rounds = Rounds(0)
    maker = _Maker(
        rounds,
        {number: tuple(sorted(members[number])) for number in used},
        deviations,
        starts,
        requests,
        windows,
    )
    blocks = maker.blocks(flows, collectives, asked, len(ranks))
    prepared, rooms = maker.prepared(), tuple(maker.rooms())
    for block in blocks:
        check_order(block.calls, maker.members, prepared.calls, rooms, str(profile.folder))
    if any(prepared.calls.values()):
        blocks = [prepared, *blocks]
    moved = sum(f.sent for f in flows) + sum(sum(c.sent) for c in collectives)
    moved += windows.moved_bytes
    worlds = len({rank.world for rank in profile.ranks})
    lines = (
        *deviations.lines,
        *([f"{worlds} worlds of MPI replayed as one"] if worlds > 1 else []),
    )
    return Plan(len(ranks), tuple(maker.members), rooms, tuple(blocks), moved, lines)


def _is_replayed(function: str) -> bool:
    name = short(function)
    if name in (*SENDS, *READY, *INSTEAD, *RECEIVES, EXCHANGE, *FUNCTIONS):
        return True
    if name in (*COMPLETIONS, *TESTS, LOOK, *ACCESSES, FENCE):
        return True
    if name in STARTS or is_prepared(name):
        return True
    return is_local(name) or name in _SILENT


def _started(flow: Flow) -> list[End]:
    """The flow's ends that are persistent."""
    sender = UNKNOWN_PEER if flow.wild else flow.source
    ends = (
        End(flow.receive, flow.destination, flow.communicator, sender, True, flow.count),
        End(flow.send, flow.source, flow.communicator, flow.destination, False, flow.count),
    )
    return [end for end in ends if end.function in STARTS]


def _edge(flow: Flow, given: tuple[int, ...], taken: tuple[int, ...]) -> Edge:
    """A message with at least one end in an exchange."""
    other = None
    if flow.send not in ("", EXCHANGE, *STARTS):
        other = (flow.source, flow.send, given)
    elif flow.receive == "Recv":
        other = (flow.destination, "Recv", taken)
    source = flow.source if flow.send == EXCHANGE else OUTSIDE
    destination = flow.destination if flow.receive == EXCHANGE else OUTSIDE
    return Edge(source, destination, given, taken, other)


def _halves_agree(flows: Sequence[Flow], number: Callable[[int], int]) -> bool:
    """Whether each rank has as many first as second halves of exchanges."""
    more: dict[tuple[int, int], int] = defaultdict(int)
    for flow in flows:
        if flow.send == EXCHANGE:
            more[flow.source, flow.communicator] += number(flow.count)
        if flow.receive == EXCHANGE:
            more[flow.destination, flow.communicator] -= number(flow.count)
    return not any(more.values())


class _Maker:
    """Builds the blocks: a repeated body, and a rest."""

    def __init__(
        self,
        rounds: Rounds,
        members: dict[int, tuple[int, ...]],
        deviations: Deviations,
        starts: Starts,
        requests: Requests,
        windows: Windows,
    ) -> None:
        self._rounds = rounds
        self._windows = windows
        self._starts = starts
        self._requests = requests
        self._place = {number: place for place, number in enumerate(members)}
        self.members = list(members.values())
        self._deviations = deviations
        self._put_off: dict[tuple[int, str], int] = defaultdict(int)  # calls, deferred to the rest

    def blocks(
        self, flows: list[Flow], collectives: list[Collective], asked: list[Row], ranks: int
    ) -> list[Block]:
        tags = _tags(flows)
        blocks = []
        for body in (True, False):
            block = Block(self._rounds.repeats if body else 1)
            if not block.repeats:
                continue
            requests: dict[int, int] = defaultdict(int)
            self._started(block, flows, tags, body, ranks, requests)
            meetings = [
                {*collective.members}
                for collective in collectives
                if collective.meets(self._rounds, body)
            ]
            usual = [self._as_promised(flow, meetings, block.repeats, body) for flow in flows]
            block.add(self._windows.accesses_in(self._rounds, body))
            self._messages(block, usual, tags, body, ranks, requests)
            self._collectives(block, collectives, body, requests)
            block.add(self._windows.fences_in(self._rounds, body))
            self._ready(block, usual, tags, body, requests)
            self._asked(block, asked, body, requests)
            if any(block.calls.values()):
                blocks.append(block)
        return blocks

    def _as_promised(
        self, flow: Flow, meetings: Sequence[set[int]], repeats: int, body: bool
    ) -> Flow:
        """Ready sends are kept if both ranks synchronise between the receive and the send."""
        if flow.destination == NOBODY:
            return flow
        posted = flow.receive in ("Irecv", *STARTS)
        ends = {flow.source, flow.destination}
        if flow.send not in READY or (posted and any(ends <= ranks for ranks in meetings)):
            return flow
        instead = READY[flow.send]
        count = repeats * len(self._sizes(flow, body))
        self._deviations.add(f"MPI_{flow.send} replayed as MPI_{instead}", count)
        return replace(flow, send=instead)

    def _ready(
        self,
        block: Block,
        flows: list[Flow],
        tags: list[int],
        body: bool,
        requests: dict[int, int],
    ) -> None:
        """Ready sends follow the collectives, before which their receives are posted."""
        for flow, tag in zip(flows, tags, strict=True):
            if flow.send in READY:
                for sent, room in self._sizes(flow, body):
                    given, _ = self._ends(flow, tag, sent, room)
                    block.calls[flow.source].append(Call(flow.send, given))
                    requests[flow.source] += flow.send == "Irsend"

    def prepared(self) -> Block:
        """The calls that create the persistent requests of all blocks, and the first fences."""
        block = Block(1)
        block.add(self._requests.made(self._place, self.members))
        block.add(self._windows.first_fences())
        return block

    def rooms(self) -> Iterator[tuple[int, int]]:
        """For each window its communicator, and the bytes for each of its ranks."""
        for window, room in self._windows.rooms(self._rounds).items():
            yield self._place[window], room

    def _started(
        self,
        block: Block,
        flows: list[Flow],
        tags: list[int],
        body: bool,
        ranks: int,
        requests: dict[int, int],
    ) -> None:
        """Persistent requests wait for nothing, so they come first."""
        self._requests.begin_block()
        together: dict[int, list[int]] = defaultdict(list)
        for flow, tag in zip(flows, tags, strict=True):
            for sent, room in self._sizes(flow, body):
                given, taken = self._ends(flow, tag, sent, room)
                for end in _started(flow):
                    number = self._requests.start(end, taken if end.receives else given)
                    requests[end.rank] += 1
                    if end.function == "Startall":
                        together[end.rank].append(number)
                    else:
                        block.calls[end.rank].append(Call("Start", (number,)))
        for rank in range(ranks):
            numbers = together[rank]
            calls = self._starts.take(rank, bool(numbers), self._rounds, body)
            for at in range(calls):
                share = numbers[len(numbers) * at // calls : len(numbers) * (at + 1) // calls]
                block.calls[rank].append(Call("Startall", tuple(share)))

    def _messages(
        self,
        block: Block,
        flows: list[Flow],
        tags: list[int],
        body: bool,
        ranks: int,
        requests: dict[int, int],
    ) -> None:
        """First all non-blocking receives; then the other calls, all ranks in one order."""
        ordered = sorted(
            range(len(flows)),
            key=lambda at: ((flows[at].destination - flows[at].source) % ranks, at),
        )
        exchanged: dict[int, list[Edge]] = defaultdict(list)
        for at in ordered:
            flow = flows[at]
            for sent, room in self._sizes(flow, body):
                _, taken = self._ends(flow, tags[at], sent, room)
                if flow.receive == "Irecv":
                    block.calls[flow.destination].append(Call("Irecv", taken))
                    requests[flow.destination] += 1
        for at in ordered:
            flow = flows[at]
            for sent, room in self._sizes(flow, body):
                given, taken = self._ends(flow, tags[at], sent, room)
                if EXCHANGE in (flow.send, flow.receive):
                    exchanged[flow.communicator].append(_edge(flow, given, taken))
                    continue
                if flow.send and flow.send not in (*STARTS, *READY):
                    block.calls[flow.source].append(Call(flow.send, given))
                if flow.receive == "Recv":
                    block.calls[flow.destination].append(Call("Recv", taken))
        for edges in exchanged.values():
            for circle in circles(edges):
                block.add(calls_of(circle))
        for flow in flows:
            if flow.send in ("Isend", "Issend"):
                requests[flow.source] += sum(1 for _ in self._sizes(flow, body))

    def _ends(
        self, flow: Flow, tag: int, sent: int, room: int
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The arguments of the send and of the receive."""
        place = self._place[flow.communicator]
        ranks = {rank: at for at, rank in enumerate(self.members[place])}
        source = -1 if flow.source == NOBODY else ranks[flow.source]
        destination = -1 if flow.destination == NOBODY else ranks[flow.destination]
        peer = -2 if flow.wild else source
        sender = -1 if flow.source == NOBODY else flow.source
        return (place, destination, tag, sent), (place, peer, tag, room, sender, sent)

    def _peer(self, row: Row) -> int:
        """The peer of a probe."""
        if row.peer < 0:
            return -1 if row.peer == NOBODY else -2
        return self.members[self._place[row.communicator]].index(row.peer)

    def _sizes(self, flow: Flow, body: bool) -> list[tuple[int, int]]:
        """The bytes and the buffer size of each message in this block."""
        size, rest = self._rounds.sizes(flow.count, flow.sent)
        room, rest_room = self._rounds.sizes(flow.count, flow.room)
        if body:
            return [(size, max(size, room))] * self._rounds.body(flow.count)
        return [(s, max(s, r)) for s, r in zip(rest, rest_room, strict=True)]

    def _collectives(
        self, block: Block, collectives: list[Collective], body: bool, requests: dict[int, int]
    ) -> None:
        for collective in collectives:
            for values in collective.calls(self._rounds, body):
                for rank, own in zip(collective.members, values, strict=True):
                    call = Call(collective.function, (self._place[collective.communicator], *own))
                    block.calls[rank].append(call)
                    requests[rank] += collective.function in STARTED

    def _asked(self, block: Block, asked: list[Row], body: bool, requests: dict[int, int]) -> None:
        """Tests, then waits: single ones first, MPI_Waitall for the rest."""
        wanted: dict[int, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        for row in asked:
            count = self._rounds.body(row.count) if body else self._rounds.rest(row.count)
            if row.function == LOOK:
                if row.communicator not in self._place:
                    self._deviations.add("MPI_Iprobe left out", count * block.repeats)
                    continue
                call = Call(LOOK, (self._place[row.communicator], self._peer(row)))
                block.calls[row.rank] += [call] * count
            else:
                wanted[row.rank][row.function] += count
        for rank in sorted({*wanted, *requests}):
            calls = block.calls[rank]
            for name in TESTS:
                calls += [Call(name)] * wanted[rank][name]
            left = requests[rank]
            for name in ("Wait", "Waitany", "Waitsome"):
                number = wanted[rank][name]
                if body and number > left:
                    # If a round waits for nothing, the rest may lack waits too.
                    self._put_off[rank, name] = (number - left) * block.repeats
                    number = left
                elif not body:
                    number += self._put_off[rank, name]
                calls += [Call(name)] * number
                left = max(0, left - number)
            whole = wanted[rank]["Waitall"]
            for number in range(whole):
                share = left * (number + 1) // whole - left * number // whole
                calls.append(Call("Waitall", (share,)))
            if left and not whole:
                calls.append(Call("Waitall", (left,)))
                self._deviations.add("MPI_Waitall added, as too few calls complete", block.repeats)


def _tags(flows: Sequence[Flow]) -> list[int]:
    """One tag per flow of a receiver, so that messages cannot be confused."""
    used: dict[int, int] = defaultdict(int)
    tags = []
    for flow in flows:
        tags.append(1 + used[flow.destination] % _TAGS)
        used[flow.destination] += 1
    return tags
