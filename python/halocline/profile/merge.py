"""Put the processes' files together: ranks, communicators, call sites and clocks of one job."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from halocline.profile.files import FilesOf, merged_files
from halocline.profile.parts import NO_COMMUNICATOR, Group, Part
from halocline.profile.parts import NO_PEER as NO_ARGUMENT
from halocline.profile.profile import (
    NO_PEER,
    NOBODY,
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
ROOTED = ("broadcast", "gather", "scatter", "reduce")
_ABIS: tuple[Abi, ...] = ("none", "mpi-5", "mpich", "openmpi")
_NULL_RANK = {"mpi-5": -3, "mpich": -1, "openmpi": -2, "none": NO_ARGUMENT}
_INITIALIZED, _FINALIZED, _EXITED, _ABORTED = 1, 2, 4, 8


@dataclass(frozen=True)
class Functions:
    """The profiled functions: names, what each moves, and whether it only prepares that."""

    names: tuple[str, ...]
    moves: tuple[str, ...]
    prepares: tuple[bool, ...]


@dataclass(frozen=True)
class Job:
    """What is known of the job beside what its processes wrote."""

    folder: Path
    command: tuple[str, ...]
    exit_code: int | None
    functions: Functions


@dataclass
class _Numbers:
    """Gives each new thing the next number."""

    known: dict[Any, int] = field(default_factory=dict)

    def of(self, thing: Any) -> int:
        return self.known.setdefault(thing, len(self.known))


@dataclass(frozen=True)
class _Clock:
    """Ticks of a host's processor to nanoseconds since the job began."""

    ticks: int
    at_ns: int
    ns_per_tick: float

    def __call__(self, ticks: Any) -> Integers:
        passed = np.asarray(ticks).astype(np.int64) - self.ticks
        since: Integers = np.rint(passed * self.ns_per_tick).astype(np.int64)
        return since + self.at_ns


def merge(parts: Sequence[Part], job: Job) -> Profile:
    """The profile of all processes."""
    placed = _ranks(parts)
    clocks, started_ns = _clocks(parts)
    hosts, sites, communicators = _Numbers(), _Numbers(), _Numbers()
    regions = _Numbers()
    ranks, calls, arrivals, events, memory, parts_of_program = [], [], [], [], [], []
    for rank, (part, offset) in enumerate(placed):
        clock = clocks[part.text("host")]
        of_process = _Process(part, rank, offset, clock, job.functions, sites, communicators)
        made = [of_process.calls(index) for index in range(len(part.threads))]
        calls += made
        arrivals += [of_process.arrivals(index) for index in range(len(part.threads))]
        events += [of_process.events(index) for index in range(len(part.threads))]
        memory.append(of_process.memory())
        parts_of_program.append(of_process.regions(regions))
        ranks.append(_rank(part, rank, hosts.of(part.text("host")), clock, made))
    files, io = merged_files(
        [
            FilesOf(
                rank, part.file_rows, part.bin_ticks, part.file_names, clocks[part.text("host")]
            )
            for rank, (part, _) in enumerate(placed)
        ]
    )
    first = placed[0][0]
    path = first.text("library")
    return Profile(
        folder=job.folder,
        command=job.command,
        started=datetime.fromtimestamp(started_ns / 1e9, UTC),
        exit_code=job.exit_code,
        mpi=Mpi(Path(path).name, path, _ABIS[int(first.header["abi"])]),
        hosts=tuple(hosts.known),
        functions=tuple(f"MPI_{name}" for name in job.functions.names),
        moves=job.functions.moves,
        communicators=tuple(
            Communicator(name, members, remote)
            for (name, members, remote, _) in communicators.known
        ),
        sites=tuple(Site(module, offset) for module, offset in sites.known),
        ranks=tuple(ranks),
        calls=_joined(Calls, calls),
        arrivals=_joined(Arrivals, arrivals),
        region_names=tuple(regions.known),
        regions=_joined(Regions, parts_of_program),
        memory=_joined(Memory, memory),
        events=_joined(Events, events),
        files=files,
        io=io,
    )


def _ranks(parts: Sequence[Part]) -> list[tuple[Part, int]]:
    """The processes in order of rank, each with the rank at which its world begins.

    A command may run several worlds, one after another or by MPI_Comm_spawn.
    """
    worlds: list[dict[int, Part]] = []
    for part in sorted(parts, key=lambda part: int(part.header["start"]["realtime_ns"])):
        rank, size = max(0, int(part.header["rank"])), int(part.header["size"])
        for world in worlds:
            others = {int(other.header["size"]) for other in world.values()} - {0}
            if rank not in world and (not size or not others or size in others):
                world[rank] = part
                break
        else:
            worlds.append({rank: part})
    placed, begin = [], 0
    for world in worlds:
        placed += [(world[rank], begin) for rank in sorted(world)]
        begin += len(world)
    return placed


def _clocks(parts: Iterable[Part]) -> tuple[dict[str, _Clock], int]:
    """Each host's clock, and when the job began on the clock of the world."""
    by_host = defaultdict(list)
    for part in parts:
        by_host[part.text("host")].append(part.header)
    begin_ns = min(
        int(header["start"]["realtime_ns"]) for all_ in by_host.values() for header in all_
    )
    clocks = {}
    for host, headers in by_host.items():
        start = min((header["start"] for header in headers), key=lambda moment: moment["ticks"])
        latest = max((header["latest"] for header in headers), key=lambda moment: moment["ticks"])
        ticks = int(latest["ticks"]) - int(start["ticks"])
        passed_ns = int(latest["monotonic_ns"]) - int(start["monotonic_ns"])
        clocks[host] = _Clock(
            ticks=int(start["ticks"]),
            at_ns=int(start["realtime_ns"]) - begin_ns,
            ns_per_tick=passed_ns / ticks if ticks > 0 else 1.0,
        )
    return clocks, begin_ns


def _rank(part: Part, rank: int, host: int, clock: _Clock, made: Sequence[Calls]) -> Rank:
    header = part.header
    start_ns = int(clock(header["start"]["ticks"]))
    signs = [int(clock(header["latest"]["ticks"]))]
    signs += [int(calls.last_ns.max()) for calls in made if len(calls)]
    return Rank(
        rank=rank,
        host=host,
        pid=int(header["pid"]),
        threads=len(part.threads),
        started_ns=start_ns,
        wall_ns=max(signs) - start_ns,
        mpi_ns=sum(int(calls.time_ns.sum()) for calls in made),
        calls=sum(int(calls.count.sum()) for calls in made),
        peak_memory_bytes=int(header["peak_memory_bytes"]),
        ended=_ended(int(header["stages"])),
        merged_calls=sum(thread.merged + thread.lost for thread in part.threads),
        untracked=int(header["untracked"]),
        dropped_events=sum(thread.dropped_events for thread in part.threads),
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
    """One process on the way into the profile."""

    def __init__(
        self,
        part: Part,
        rank: int,
        offset: int,
        clock: _Clock,
        functions: Functions,
        sites: _Numbers,
        communicators: _Numbers,
    ) -> None:
        self._part, self._rank, self._clock, self._functions = part, rank, clock, functions
        self._offset = offset
        self._groups = {group.number: group for group in part.groups}
        self._communicators = _communicators(part, offset, communicators)
        self._sites = sites
        modules = sorted(part.modules)
        self._bases = np.array([base for base, _ in modules], np.uint64)
        program = part.text("program")
        self._paths = [path or program for _, path in modules]
        self._null = _NULL_RANK[_ABIS[int(part.header["abi"])]]
        moves = np.array(functions.moves)
        self._rooted = np.isin(moves, ROOTED)
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
            time_ns=np.rint(rows["ticks"] * self._clock.ns_per_tick).astype(np.int64),
            bytes_sent=sent,
            bytes_received=received,
            first_ns=self._clock(rows["first"]),
            last_ns=self._clock(rows["last"]),
        )

    def arrivals(self, thread: int) -> Arrivals:
        table = self._part.threads[thread].arrivals
        return Arrivals(
            rank=np.full(len(table), self._rank),
            function=table["function"].astype(np.int64),
            communicator=self._numbers(table["communicator"].astype(np.int64)),
            sequence=table["sequence"].astype(np.int64),
            site=self._numbered_sites(table["site"]),
            enter_ns=self._clock(table["enter"]),
            leave_ns=self._clock(table["leave"]),
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
            enter_ns=self._clock(table["enter"]),
            leave_ns=self._clock(table["leave"]),
            bytes=np.where(other == NOBODY, 0, table["bytes"].astype(np.int64)),
            peer=np.where(self._rooted[function], NO_PEER, other),
        )

    def memory(self) -> Memory:
        header = self._part.header
        samples = header["memory"][: int(header["memory_samples"])]
        return Memory(
            rank=np.full(len(samples), self._rank),
            t_ns=self._clock(samples["ticks"]),
            resident_bytes=samples["bytes"].astype(np.int64),
        )

    def regions(self, numbers: _Numbers) -> Regions:
        header = self._part.header
        table = header["region"][: int(header["regions"])]
        names = [bytes(name).decode(errors="replace") for name in table["name"]]
        time_ns, mpi_ns = (
            np.rint(table[name] * self._clock.ns_per_tick).astype(np.int64)
            for name in ("ticks", "mpi_ticks")
        )
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
        for one in np.unique(number):
            group = self._groups.get(int(one))
            if group is None or not len(group.peers):
                continue
            members = group.peers.astype(np.int64)
            chosen = (number == one) & (argument >= 0) & (argument < len(members))
            found = members[argument[chosen]]
            other[chosen] = np.where(found < 0, UNKNOWN_PEER, found + self._offset)
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
        return np.array([self._site(int(one)) for one in unique], np.int64)[inverse]

    def _site(self, address: int) -> int:
        if address == 0 or not len(self._bases):
            return -1
        at = int(np.searchsorted(self._bases, address, "right")) - 1
        if at < 0:
            return self._sites.of(("", address))
        return self._sites.of((self._paths[at], address - int(self._bases[at])))


def _communicators(part: Part, offset: int, numbers: _Numbers) -> Mapping[int, int]:
    """Communicators of the same members are the same one where they were made in the same turn."""
    turns: Counter[tuple[Any, ...]] = Counter()
    found = {}
    for group in part.groups:
        name = _name(group)
        same = (name, _world(group.local, offset), _world(group.remote, offset))
        found[group.number] = numbers.of((*same, turns[same]))
        turns[same] += 1
    return found


def _world(members: NDArray[np.int32], offset: int) -> tuple[int, ...]:
    shifted = np.where(members < 0, UNKNOWN_PEER, members + offset)
    return tuple(int(member) for member in shifted)


def _name(group: Group) -> str:
    if group.window:
        return "window"
    return "MPI_COMM_WORLD" if group.number == 0 else ""


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
