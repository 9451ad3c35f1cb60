"""Merge the processes' files: ranks, communicators, call sites and clocks of one job."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from halocline.profile.clocks import Clock, clocks_of, host_shifts_ns, shifted
from halocline.profile.files import FilesOf, merged_files
from halocline.profile.parts import NO_COMMUNICATOR, Group, Part
from halocline.profile.parts import NO_PEER as NO_ARGUMENT
from halocline.profile.profile import (
    FROM_ROOT,
    NO_PEER,
    NOBODY,
    OTHER_WORLD,
    TO_ROOT,
    UNKNOWN_PEER,
    Abi,
    Arrivals,
    Calls,
    Communicator,
    Events,
    Integers,
    Memory,
    Mpi,
    Profile,
    Rank,
    Regions,
    Site,
)

Table = TypeVar("Table", Calls, Arrivals, Events, Memory, Regions)
_ABIS: tuple[Abi, ...] = ("none", "mpi-5", "mpich", "openmpi")
_NULL_RANK = {"mpi-5": -3, "mpich": -1, "openmpi": -2, "none": NO_ARGUMENT}
_OWN_RANK = -2  # in older profiles of MPI sessions: the rank itself
_MOST_MISSING = 1 << 16  # that are named
_INITIALIZED, _FINALIZED, _EXITED, _ABORTED = 1, 2, 4, 8


@dataclass(frozen=True)
class Functions:
    """The profiled functions: names, what each moves, and whether it only prepares a transfer."""

    names: tuple[str, ...]
    moves: tuple[str, ...]
    prepares: tuple[bool, ...]


@dataclass(frozen=True)
class Job:
    """Facts about the job that its processes did not write."""

    folder: Path
    command: tuple[str, ...]
    exit_code: int | None
    functions: Functions


@dataclass
class _Numbers:
    """Numbers new items consecutively."""

    known: dict[Any, int] = field(default_factory=dict)

    def of(self, thing: Any) -> int:
        return self.known.setdefault(thing, len(self.known))


def merge(parts: Sequence[Part], job: Job) -> Profile:
    """The profile of all processes."""
    placed = _ranks(parts)
    clocks, started_ns = clocks_of(parts)
    hosts, sites, communicators = _Numbers(), _Numbers(), _Numbers()
    regions = _Numbers()
    processes = [
        _Process(place, clocks[place.host], job.functions, sites, communicators) for place in placed
    ]
    arrivals = _joined(
        Arrivals, [process.arrivals(index) for process in processes for index in process.threads]
    )
    if len(clocks) > 1:
        host_of = {place.rank: place.host for place in placed}
        between = [at for (_, _, remote, _), at in communicators.known.items() if remote]
        within = arrivals.where(~np.isin(arrivals.communicator, between))
        by_ns = host_shifts_ns(clocks, host_of, within, job.functions.names)
        arrivals = shifted(arrivals, {rank: by_ns[host] for rank, host in host_of.items()})
        clocks = {host: clock.shifted(by_ns[host]) for host, clock in clocks.items()}
    ranks, calls, events, memory, parts_of_program = [], [], [], [], []
    for place, process in zip(placed, processes, strict=True):
        process.clock = clocks[place.host]
        by_thread = [process.calls(index) for index in process.threads]
        calls += by_thread
        events += [process.events(index) for index in process.threads]
        memory.append(process.memory())
        parts_of_program.append(process.regions(regions))
        ranks.append(_rank(place, hosts.of(place.host), process.clock, by_thread))
    files, io, io_bin_ns = merged_files(
        [
            FilesOf(
                place.rank,
                place.part.file_rows,
                place.part.bin_ticks,
                place.part.file_names,
                clocks[place.host],
            )
            for place in placed
        ]
    )
    first = placed[0].part
    path = first.text("library")
    return Profile(
        folder=job.folder,
        command=job.command,
        started=datetime.fromtimestamp(started_ns / 1e9, UTC),
        exit_code=job.exit_code,
        mpi=Mpi(Path(path).name, path, _ABIS[int(first.header["abi"])]),
        hosts=tuple(hosts.known),
        cores=tuple(_cores(parts, host) for host in hosts.known),
        functions=tuple(f"MPI_{name}" for name in job.functions.names),
        moves=job.functions.moves,
        missing=_missing(placed),
        communicators=tuple(
            Communicator(name, members, remote)
            for (name, members, remote, _) in communicators.known
        ),
        sites=tuple(sites.known),
        ranks=tuple(ranks),
        calls=_joined(Calls, calls),
        arrivals=arrivals,
        region_names=tuple(regions.known),
        regions=_joined(Regions, parts_of_program),
        memory=_joined(Memory, memory),
        events=_joined(Events, events),
        files=files,
        io=io,
        io_bin_ns=io_bin_ns,
    )


def profile_ranks(members: NDArray[np.int32], own: int, offset: int) -> Integers:
    """Map group members from ranks in a world, which begins at `offset`, to the profile's ranks."""
    ranks: Integers = np.where(members < 0, OTHER_WORLD, members.astype(np.int64) + offset)
    ranks[members == _OWN_RANK] = own
    return ranks


@dataclass(frozen=True)
class _Placed:
    """A process, its rank in the profile, and the rank at which its world begins."""

    part: Part
    rank: int
    offset: int
    world: int

    @property
    def host(self) -> str:
        return self.part.text("host")

    def ranks(self, members: NDArray[np.int32]) -> Integers:
        """Group members as ranks of the profile."""
        return profile_ranks(members, self.rank, self.offset)


def _ranks(parts: Sequence[Part]) -> list[_Placed]:
    """The processes in order of rank.

    A command may run several worlds: one after another, nested, at once, or through
    MPI_Comm_spawn. A process belongs to the first that lacks its rank, of its own program if there
    is one. Processes that ranks forked belong to none.
    """
    worlds: list[dict[int, Part]] = []
    for part in sorted(parts, key=lambda part: int(part.header["start"]["realtime_ns"])):
        if any(part.rank in world and _is_forked(part, world[part.rank]) for world in worlds):
            continue
        lacking = [world for world in worlds if _lacks(world, part)]
        program = part.text("program")
        own = [w for w in lacking if program in {other.text("program") for other in w.values()}]
        if lacking:
            (own or lacking)[0][part.rank] = part
        else:
            worlds.append({part.rank: part})
    placed, begin = [], 0
    for number, world in enumerate(worlds):
        placed += [_Placed(world[rank], begin + rank, begin, number) for rank in sorted(world)]
        begin += max(max(int(part.header["size"]), rank + 1) for rank, part in world.items())
    return placed


def _is_forked(part: Part, rank: Part) -> bool:
    """Whether a process without MPI began while the rank of its number ran, as its child."""
    same = all(part.text(field) == rank.text(field) for field in ("host", "program"))
    begins = int(part.header["start"]["realtime_ns"])
    # A session has a size, but does not initialize.
    without = not int(part.header["stages"]) & _INITIALIZED and not int(part.header["size"])
    return same and without and begins < int(rank.header["latest"]["realtime_ns"])


def _lacks(world: Mapping[int, Part], part: Part) -> bool:
    """Whether a world of this size has no such rank yet."""
    size = int(part.header["size"])
    sizes = {int(other.header["size"]) for other in world.values()} - {0}
    return part.rank not in world and (not size or not sizes or size in sizes)


def _missing(placed: Sequence[_Placed]) -> tuple[int, ...]:
    """The ranks of which nothing was found, in worlds of known size."""
    sizes: Counter[int] = Counter()
    for place in placed:
        sizes[place.offset] = max(sizes[place.offset], int(place.part.header["size"]))
    there = {place.rank for place in placed}
    every = (begin + rank for begin, size in sizes.items() for rank in range(size))
    return tuple(islice((rank for rank in every if rank not in there), _MOST_MISSING))


def _cores(parts: Iterable[Part], host: str) -> int:
    """The number of a host's cores that its processes may use."""
    masks = [part.header["cores"] for part in parts if part.text("host") == host]
    return sum(int(word).bit_count() for word in np.bitwise_or.reduce(masks))


def _rank(place: _Placed, host: int, clock: Clock, made: Sequence[Calls]) -> Rank:
    part = place.part
    header = part.header
    before, after = header["running_at_start"], header["running_latest"]
    delays = int(before["delayed_ns"]), int(after["delayed_ns"])
    start_ns = int(clock(header["start"]["ticks"]))
    signs = [int(clock(header["latest"]["ticks"]))]
    signs += [int(calls.last_ns.max()) for calls in made if len(calls)]
    return Rank(
        rank=place.rank,
        host=host,
        pid=int(header["pid"]),
        threads=len(part.threads),
        started_ns=start_ns,
        wall_ns=max(signs) - start_ns,
        mpi_ns=sum(int(calls.time_ns.sum()) for calls in made),
        calls=sum(int(calls.count.sum()) for calls in made),
        peak_memory_bytes=int(header["peak_memory_bytes"]),
        ended=_ended(int(header["stages"])),
        merged_calls=sum(thread.merged for thread in part.threads),
        untracked=int(header["untracked"]),
        dropped_events=sum(thread.dropped_events for thread in part.threads),
        lost_calls=int(header["unrecorded"]) + sum(thread.lost for thread in part.threads),
        processor_ns=int(after["processor_ns"]) - int(before["processor_ns"]),
        delayed_ns=-1 if min(delays) < 0 else delays[1] - delays[0],
        world=place.world,
        program=part.text("program"),
    )


def _ended(stages: int) -> str:
    if stages & _ABORTED:
        return "MPI_Abort"
    if stages & _FINALIZED:
        return "finalized"
    if stages & _EXITED:
        return "exit without MPI_Finalize"
    return "killed or crashed"


class _Process:
    """Converts one process's records into the profile's tables."""

    def __init__(
        self,
        place: _Placed,
        clock: Clock,
        functions: Functions,
        sites: _Numbers,
        communicators: _Numbers,
    ) -> None:
        part = place.part
        self._part, self._rank, self._functions = part, place.rank, functions
        self.clock = clock
        self.threads = range(len(part.threads))
        self._place = place
        self._groups = {group.number: group for group in part.groups}
        self._communicators = _communicators(place, communicators)
        self._sites = sites
        modules = sorted(part.modules)
        self._bases = np.array([base for base, _ in modules], np.uint64)
        program = part.text("program")
        self._paths = [path or program for _, path in modules]
        self._null = _NULL_RANK[_ABIS[int(part.header["abi"])]]
        moves = np.array(functions.moves)
        self._rooted = np.isin(moves, (*FROM_ROOT, *TO_ROOT))
        self._moving = (moves != "none") & ~np.array(functions.prepares)

    def calls(self, thread: int) -> Calls:
        rows = self._part.threads[thread].rows
        kind = rows["kind"]
        argument = (kind & 0xFFFFFFFF).astype(np.uint32).view(np.int32).astype(np.int64)
        function = ((kind >> 32) & 0xFFF).astype(np.int64)
        number = (kind >> 52).astype(np.int64)
        part_of = ((kind >> 51) & 1).astype(bool)
        count = rows["count"].astype(np.int64)
        other = self._world_ranks(argument, number)
        rooted = self._rooted[function]
        nobody = (other == NOBODY) & ~rooted
        sent, received = (
            np.where(nobody, 0, rows[name].astype(np.int64))
            for name in ("bytes_sent", "bytes_received")
        )
        return Calls(
            rank=np.full(len(rows), self._rank),
            thread=np.full(len(rows), thread),
            function=function,
            size_class=((kind >> 44) & 0x7F).astype(np.int64),
            communicator=self._numbers(number),
            site=self._numbered_sites(rows["site"]),
            peer=np.where(rooted, NO_PEER, other),
            root=np.where(rooted, other, NO_PEER),
            count=np.where(part_of, 0, count),
            messages=np.where((self._moving[function] | part_of) & ~nobody, count, 0),
            time_ns=self.clock.spent(rows["ticks"]),
            bytes_sent=sent,
            bytes_received=received,
            first_ns=self.clock(rows["first"]),
            last_ns=self.clock(rows["last"]),
        )

    def arrivals(self, thread: int) -> Arrivals:
        table = self._part.threads[thread].arrivals
        function = table["function"].astype(np.int64)
        number = table["communicator"].astype(np.int64)
        root = self._world_ranks(table["root"].astype(np.int64), number)
        return Arrivals(
            rank=np.full(len(table), self._rank),
            function=function,
            communicator=self._numbers(number),
            sequence=table["sequence"].astype(np.int64),
            site=self._numbered_sites(table["site"]),
            root=np.where(self._rooted[function], root, NO_PEER),
            enter_ns=self.clock(table["enter"]),
            leave_ns=self.clock(table["leave"]),
        )

    def events(self, thread: int) -> Events:
        table = self._part.threads[thread].events
        kind = table["kind"]
        argument = (kind & 0xFFFFFFFF).astype(np.uint32).view(np.int32).astype(np.int64)
        function = ((kind >> 32) & 0xFFF).astype(np.int64)
        other = self._world_ranks(argument, (kind >> 52).astype(np.int64))
        return Events(
            rank=np.full(len(table), self._rank),
            thread=np.full(len(table), thread),
            function=function,
            enter_ns=self.clock(table["enter"]),
            leave_ns=self.clock(table["leave"]),
            bytes=np.where(other == NOBODY, 0, table["bytes"].astype(np.int64)),
            peer=np.where(self._rooted[function], NO_PEER, other),
        )

    def memory(self) -> Memory:
        header = self._part.header
        samples = header["memory"][: int(header["memory_samples"])]
        return Memory(
            rank=np.full(len(samples), self._rank),
            t_ns=self.clock(samples["ticks"]),
            resident_bytes=samples["bytes"].astype(np.int64),
        )

    def regions(self, numbers: _Numbers) -> Regions:
        header = self._part.header
        table = header["region"][: int(header["regions"])]
        names = [bytes(name).decode(errors="replace") for name in table["name"]]
        time_ns, mpi_ns = (self.clock.spent(table[name]) for name in ("ticks", "mpi_ticks"))
        return Regions(
            rank=np.full(len(table), self._rank),
            region=np.array([numbers.of(name) for name in names], np.int64),
            count=table["count"].astype(np.int64),
            time_ns=time_ns,
            mpi_ns=mpi_ns,
            bytes=table["bytes"].astype(np.int64),
        )

    def _world_ranks(self, argument: Integers, number: Integers) -> Integers:
        other = np.full(len(argument), UNKNOWN_PEER)
        for local in np.unique(number):
            group = self._groups.get(int(local))
            if group is None or not len(group.peers):
                continue
            members = self._place.ranks(group.peers)
            chosen = (number == local) & (argument >= 0) & (argument < len(members))
            other[chosen] = members[argument[chosen]]
        other[argument == self._null] = NOBODY
        other[argument == NO_ARGUMENT] = NO_PEER
        return other

    def _numbers(self, number: Integers) -> Integers:
        table = np.full(NO_COMMUNICATOR + 1, -1)
        for local, known in self._communicators.items():
            table[local] = known
        return table[number]

    def _numbered_sites(self, addresses: NDArray[np.uint64]) -> Integers:
        unique, inverse = np.unique(addresses, return_inverse=True)
        return np.array([self._site(int(address)) for address in unique], np.int64)[inverse]

    def _site(self, address: int) -> int:
        if address in self._part.python:
            file, function, line = self._part.python[address]
            return self._sites.of(Site(file, 0, function, file, line))
        if address == 0 or not len(self._bases):
            return -1
        at = int(np.searchsorted(self._bases, address, "right")) - 1
        if at < 0:
            return self._sites.of(Site("", address))
        return self._sites.of(Site(self._paths[at], address - int(self._bases[at])))


def _communicators(place: _Placed, numbers: _Numbers) -> Mapping[int, int]:
    """Communicators with the same members are matched by order of creation."""
    turns: Counter[tuple[Any, ...]] = Counter()
    merged = {}
    for group in place.part.groups:
        sides = (place.ranks(side) for side in (group.local, group.remote))
        same = (_name(place.part, group), *(tuple(side.tolist()) for side in sides))
        merged[group.number] = numbers.of((*same, turns[same]))
        turns[same] += 1
    return merged


def _name(part: Part, group: Group) -> str:
    if group.window:
        return "window"
    has_world = int(part.header["stages"]) & _INITIALIZED
    return "MPI_COMM_WORLD" if group.number == 0 and has_world else ""


def _joined(kind: type[Table], tables: Sequence[Table]) -> Table:
    names = list(kind.__dataclass_fields__)
    return kind(
        **{
            name: np.concatenate([getattr(table, name) for table in tables])
            if tables
            else np.zeros(0, np.int64)
            for name in names
        }
    )
