"""A made-up model: halos, sums, a broadcast at the start, files at three moments."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from halocline.profile.profile import (
    NO_PEER,
    Arrivals,
    Calls,
    Communicator,
    FileInput,
    Integers,
    Memory,
    Mpi,
    Profile,
    Rank,
    Site,
    size_class,
)

FUNCTIONS = (
    *("MPI_Init", "MPI_Comm_rank", "MPI_Isend", "MPI_Irecv", "MPI_Waitall", "MPI_Allreduce"),
    *("MPI_Bcast", "MPI_Barrier", "MPI_Gather", "MPI_Finalize"),
)
MOVES = (
    *("none", "none", "send", "receive", "none", "all_reduce", "broadcast", "barrier", "gather"),
    "none",
)
INIT, COMM_RANK, ISEND, IRECV, WAITALL, ALLREDUCE, BCAST, BARRIER, GATHER, FINALIZE = range(10)
SECOND_NS = 1_000_000_000
STEPS = 200
HALOS = (40, 64, 4096, 65_536)  # bytes of the fields that a step exchanges
OFFSETS = (1, 2, -1, -2)  # of the neighbours
NAMELIST_BYTES = 2000
WALL_NS = 60 * SECOND_NS
BURSTS = (0.05, 0.5, 0.95)  # of the run, when it writes
BURST_BYTES = 80_000_000
SLOW = 0.25  # more computing on the last rank
ARRIVALS = 32
FILE = "history.nc"


@dataclass(frozen=True)
class Truth:
    """What the model moves, worked out from what it is."""

    messages: int
    bytes: int
    bytes_of_rank: int  # of any but rank 0


def truth(ranks: int) -> Truth:
    """Of so many ranks."""
    sides = _sides(ranks)
    halo = STEPS * sides * len(HALOS)
    halo_bytes = STEPS * sides * sum(HALOS)
    own = halo_bytes + STEPS * 8 + 8
    messages = ranks * (halo + STEPS + STEPS + 1 + 1)  # sums, barriers, broadcast, gather
    return Truth(messages, ranks * own + NAMELIST_BYTES, own)


def model(ranks: int, folder: Path = Path("model.profile")) -> Profile:
    """The profile of its run on so many ranks."""
    calls = _calls(ranks)
    mpi = np.zeros(ranks, np.int64)
    np.add.at(mpi, calls.rank, calls.time_ns)
    count = np.zeros(ranks, np.int64)
    np.add.at(count, calls.rank, calls.count)
    return Profile(
        folder=folder,
        command=("mpiexec", "-n", str(ranks), "./model", "-v"),
        started=datetime(2026, 1, 1, 12, 30, tzinfo=UTC),
        exit_code=0,
        mpi=Mpi("libmpi_abi.so.1", "/usr/lib/libmpi_abi.so.1", "mpi-5"),
        hosts=("node0", "node1"),
        functions=FUNCTIONS,
        moves=MOVES,
        communicators=(Communicator("MPI_COMM_WORLD", tuple(range(ranks))),),
        sites=tuple(
            Site("/home/me/model", 64 * line, "step", "/home/me/model.F90", line)
            for line in (390, 400, 410, 411, 415, 430, 31, 412, 440)
        ),
        ranks=tuple(
            Rank(
                rank=rank,
                host=2 * rank // ranks,
                pid=1000 + rank,
                threads=1,
                started_ns=0,
                wall_ns=WALL_NS,
                mpi_ns=int(mpi[rank]),
                calls=int(count[rank]),
                peak_memory_bytes=(1 << 30) + (rank << 20),
                ended="finalized",
                merged_calls=0,
                untracked=0,
            )
            for rank in range(ranks)
        ),
        calls=calls,
        arrivals=_arrivals(ranks),
        files=(FILE, "namelist"),
        io=_files(),
        memory=_memory(ranks),
    )


def died(ranks: int) -> Profile:
    """The same, but its last rank crashed."""
    whole = model(ranks)
    lost = replace(whole.ranks[-1], ended="signal 11")
    return replace(whole, ranks=(*whole.ranks[:-1], lost), exit_code=139)


def on_cores(profile: Profile, cores: int, processor: float, delayed: float) -> Profile:
    """Its ranks had a processor for a share of their time, and waited for one for another."""
    ranks = tuple(
        replace(
            each,
            processor_ns=int(each.wall_ns * processor),
            delayed_ns=int(each.wall_ns * delayed) if delayed >= 0 else -1,
        )
        for each in profile.ranks
    )
    return replace(profile, ranks=ranks, hosts=("node0",), cores=(cores,))


def _sides(ranks: int) -> int:
    return len({offset % ranks for offset in OFFSETS} - {0})


def _calls(ranks: int) -> Calls:
    parts: list[dict[str, Integers]] = []
    everyone = np.arange(ranks)

    def add(function: int, time_ns: int | Integers, **columns: int | Integers) -> None:
        row: dict[str, int | Integers] = {
            "thread": 0,
            "size_class": 0,
            "communicator": 0,
            "site": function - 1,
        }
        row |= {"peer": NO_PEER, "root": NO_PEER, "count": STEPS, "messages": 0, "bytes_sent": 0}
        row |= {"bytes_received": 0, "first_ns": 0, "last_ns": WALL_NS, "rank": everyone}
        row |= {"function": function, "time_ns": time_ns} | columns
        parts.append({name: np.broadcast_to(value, ranks) for name, value in row.items()})

    late = everyone == ranks - 1
    # Who computes longer waits less.
    waits = np.where(late, SECOND_NS // 50, int(SLOW * 40 * SECOND_NS))
    add(INIT, SECOND_NS // 10, site=-1, count=1, communicator=-1)
    add(COMM_RANK, 1000, count=3)
    for offset in sorted({offset % ranks for offset in OFFSETS} - {0}):
        for size in HALOS:
            moved = {"size_class": size_class(size), "messages": STEPS}
            time_ns = STEPS * (300 + size // 10)
            sent, got = {"bytes_sent": STEPS * size}, {"bytes_received": STEPS * size}
            add(ISEND, time_ns, peer=(everyone + offset) % ranks, **moved, **sent)
            add(IRECV, STEPS * 250, peer=(everyone - offset) % ranks, **moved, **got)
    add(WAITALL, waits // 4)
    eight = {"size_class": size_class(8), "bytes_received": 8 * STEPS, "messages": STEPS}
    add(ALLREDUCE, waits // 2, bytes_sent=8 * STEPS, **eight)
    add(BARRIER, waits, messages=STEPS)
    root = np.where(everyone == 0, NAMELIST_BYTES, 0)
    given: dict[str, int | Integers] = {
        "bytes_sent": root,
        "bytes_received": NAMELIST_BYTES - root,
        "root": 0,
    }
    once = {"count": 1, "messages": 1}
    add(BCAST, 20_000, size_class=size_class(NAMELIST_BYTES), **given, **once)
    add(GATHER, 10_000, size_class=size_class(8), bytes_sent=8, root=0, **once)
    add(FINALIZE, SECOND_NS // 100, site=-1, count=1, communicator=-1)
    return Calls(**{name: np.concatenate([part[name] for part in parts]) for name in parts[0]})


def _arrivals(ranks: int) -> Arrivals:
    call, rank = (grid.ravel() for grid in np.mgrid[:ARRIVALS, :ranks])
    begin = call * (WALL_NS // ARRIVALS)
    late = np.where(rank == ranks - 1, 50_000_000, 1000 * rank)
    return Arrivals.of(
        rank=rank,
        function=np.full_like(rank, BARRIER),
        communicator=np.zeros_like(rank),
        sequence=call,
        site=np.full_like(rank, BARRIER - 1),
        root=np.full_like(rank, NO_PEER),
        enter_ns=begin + late,
        leave_ns=begin + 51_000_000,
    )


def _files() -> FileInput:
    starts = np.array([int(WALL_NS * burst) // SECOND_NS * SECOND_NS for burst in BURSTS])
    writes = len(starts)
    return FileInput.of(
        rank=np.zeros(writes + 1),
        file=[*[0] * writes, 1],
        operation=[*[FileInput.OPERATIONS.index("write")] * writes, 0],
        bin_start_ns=[*starts, 0],
        count=[*[20] * writes, 1],
        bytes=[*[BURST_BYTES] * writes, NAMELIST_BYTES],
        time_ns=[*[SECOND_NS // 2] * writes, 10_000],
    )


def _memory(ranks: int) -> Memory:
    time, rank = (grid.ravel() for grid in np.mgrid[:20, :ranks])
    resident = (1 << 30) * (20 + time) // 40 + (rank << 20)
    return Memory.of(rank=rank, t_ns=time * 3 * SECOND_NS, resident_bytes=resident)
