"""Profiles made for tests: a ring with a barrier, its numbers known."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from halocline.profile.profile import (
    NO_PEER,
    Arrivals,
    Calls,
    Communicator,
    Mpi,
    Profile,
    Rank,
    Site,
    size_class,
)

FUNCTIONS = ("MPI_Init", "MPI_Isend", "MPI_Irecv", "MPI_Waitall", "MPI_Barrier", "MPI_Finalize")
ISEND, IRECV, WAITALL, BARRIER = 1, 2, 3, 4
MOVES = ("none", "send", "receive", "none", "barrier", "none")
CALL_NS = 1_000
SECOND_NS = 1_000_000_000


def made(
    ranks: int = 4, calls: int = 100, size_bytes: int = 64, folder: Path = Path("made.profile")
) -> Profile:
    """Each rank sends `calls` messages to its right neighbour and meets all in as many barriers.

    The last rank arrives last in each barrier, CALL_NS after the first.
    """
    rows = []
    for rank in range(ranks):
        right, left = (rank + 1) % ranks, (rank - 1) % ranks
        common = {"rank": rank, "thread": 0, "count": calls, "time_ns": calls * CALL_NS}
        common |= {"first_ns": 0, "last_ns": SECOND_NS, "communicator": 0, "root": NO_PEER}
        moved = {"size_class": size_class(size_bytes), "messages": calls}
        nothing = {"size_class": 0, "messages": 0, "bytes_sent": 0, "bytes_received": 0}
        total = calls * size_bytes
        sent = moved | {"bytes_sent": total, "bytes_received": 0}
        received = moved | {"bytes_sent": 0, "bytes_received": total}
        rows += [
            common | sent | {"function": ISEND, "site": 0, "peer": right},
            common | received | {"function": IRECV, "site": 1, "peer": left},
            common | nothing | {"function": WAITALL, "site": 2, "peer": NO_PEER},
            common | nothing | {"function": BARRIER, "site": 3, "peer": NO_PEER},
        ]
    step_ns = SECOND_NS // calls
    arrivals = [
        {
            "rank": rank,
            "function": BARRIER,
            "communicator": 0,
            "sequence": call,
            "site": 3,
            "root": NO_PEER,
            "enter_ns": call * step_ns + (CALL_NS if rank == ranks - 1 else 0),
            "leave_ns": call * step_ns + 2 * CALL_NS,
        }
        for call in range(calls)
        for rank in range(ranks)
    ]
    return Profile(
        folder=folder,
        command=("mpiexec", "-n", str(ranks), "./model"),
        started=datetime(2026, 1, 1, tzinfo=UTC),
        exit_code=0,
        mpi=Mpi("libmpi_abi.so.1", "/usr/lib/libmpi_abi.so.1", "mpi-5"),
        hosts=("node0",),
        functions=FUNCTIONS,
        moves=MOVES,
        communicators=(Communicator("MPI_COMM_WORLD", tuple(range(ranks))),),
        sites=tuple(
            Site("/home/me/model", 64 * line, "step", "/home/me/model.F90", line)
            for line in (410, 411, 412, 413)
        ),
        ranks=tuple(
            Rank(
                rank=rank,
                host=0,
                pid=1000 + rank,
                threads=1,
                started_ns=0,
                wall_ns=SECOND_NS,
                mpi_ns=4 * calls * CALL_NS,
                calls=4 * calls,
                peak_memory_bytes=1 << 26,
                ended="finalized",
                merged_calls=0,
                untracked=0,
            )
            for rank in range(ranks)
        ),
        calls=Calls(**_columns(rows)),
        arrivals=Arrivals(**_columns(arrivals)),
    )


def _columns(rows: list[dict[str, int]]) -> dict[str, np.ndarray]:
    return {name: np.array([row[name] for row in rows], np.int64) for name in rows[0]}
