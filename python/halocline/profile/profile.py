"""The profile of a program. Everything is immutable; times are integers in nanoseconds."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

Abi = Literal["mpi-5", "mpich", "openmpi", "none"]
Integers = NDArray[np.int64]

NO_PEER = -1  # a collective, or a call without a partner
UNKNOWN_PEER = -2  # a receive from any source, or a partner that could not be translated
NOBODY = -3  # MPI_PROC_NULL: no data moved
OTHER_WORLD = -4  # a rank of another MPI_COMM_WORLD of the job, such as a spawned process

CLASSES = 66
FROM_ROOT, TO_ROOT = ("broadcast", "scatter"), ("gather", "reduce")  # what functions move


def size_class(size_bytes: int) -> int:
    """0 B is class 0; class k holds (2^(k-2), 2^(k-1)] bytes, so 33 to 64 B are class 7."""
    return 0 if size_bytes == 0 else 1 + (size_bytes - 1).bit_length()


def class_limit(number: int) -> int:
    """The largest size in the class, in bytes."""
    return 0 if number == 0 else 1 << (number - 1)


class Columns:
    """A table: every field is a column, and all columns are 1-D arrays of equal length."""

    def __len__(self) -> int:
        return len(getattr(self, fields(self)[0].name))  # type: ignore[arg-type]

    def where(self, chosen: NDArray[np.bool_] | Integers) -> Self:
        """The chosen rows."""
        columns = {column.name: getattr(self, column.name) for column in fields(self)}  # type: ignore[arg-type]
        return type(self)(**{name: column[chosen] for name, column in columns.items()})

    @classmethod
    def of(cls, **columns: Any) -> Self:
        """A table of these columns, from any sequences; omitted columns are empty."""
        names = [column.name for column in fields(cls)]  # type: ignore[arg-type]
        return cls(**{name: np.asarray(columns.get(name, ()), np.int64) for name in names})


@dataclass(frozen=True)
class Mpi:
    """The MPI library that the program ran on."""

    library: str  # the file's name, e.g. libmpi_abi.so.1.0.0
    path: str
    abi: Abi


@dataclass(frozen=True)
class Communicator:
    """`members` are world ranks in the communicator's order; empty if they are not known."""

    name: str
    members: tuple[int, ...]
    remote: tuple[int, ...] = ()  # the other group of an intercommunicator

    @property
    def size(self) -> int:
        return len(self.members)


@dataclass(frozen=True)
class Site:
    """A call site. Fields missing in the debug data are empty or 0."""

    module: str
    offset: int
    function: str = ""
    file: str = ""
    line: int = 0

    def __str__(self) -> str:
        if self.file:
            return f"{Path(self.file).name}:{self.line}"
        place = f"{Path(self.module).name}+{self.offset:#x}" if self.module else "unknown"
        return f"{self.function} ({place})" if self.function else place


@dataclass(frozen=True)
class Rank:
    """One process of the job."""

    rank: int  # in MPI_COMM_WORLD; ranks of further worlds follow
    host: int  # index into Profile.hosts
    pid: int
    threads: int  # that called MPI
    started_ns: int  # on the profile's clock, which starts with the first rank
    wall_ns: int  # from its first MPI call to its last sign of life
    mpi_ns: int  # inside MPI, summed over threads
    calls: int
    peak_memory_bytes: int
    ended: str  # "finalized", "exit without MPI_Finalize", "MPI_Abort", "killed or crashed" …
    merged_calls: int  # calls merged for lack of space: see Calls
    untracked: int  # communicators, requests and so on without space for them
    dropped_events: int = 0  # of the trace: older than the oldest kept
    lost_calls: int = 0  # in no table, because the file could not grow
    processor_ns: int = -1  # of all its threads; -1: unknown
    delayed_ns: int = -1  # its main thread was runnable without a core
    world: int = 0  # a command may run several MPI programs, or spawn processes
    program: str = ""


@dataclass(frozen=True, eq=False)
class Calls(Columns):
    """Calls of one kind, from one place, by one rank to one peer.

    A call that moves several messages (MPI_Startall, MPI_Sendrecv) has one row that counts it and
    further rows with count 0 for its other messages. If a rank made more kinds of calls than it
    had space for, the rest is merged into rows with site, communicator and peer unknown: counts,
    times and bytes stay complete.
    """

    rank: Integers
    thread: Integers
    function: Integers  # index into Profile.functions
    size_class: Integers  # of one message: see size_class()
    communicator: Integers  # index into Profile.communicators, -1: none or unknown
    site: Integers  # index into Profile.sites, -1: unknown
    peer: Integers  # world rank, NO_PEER, UNKNOWN_PEER, NOBODY or OTHER_WORLD
    root: Integers  # of a collective, in world ranks; else NO_PEER
    count: Integers  # calls
    messages: Integers  # messages or contributions moved; 0 for MPI_Wait and the like
    time_ns: Integers
    bytes_sent: Integers
    bytes_received: Integers  # for a receive, the size of its buffer
    first_ns: Integers  # entry into the first call, on the profile's clock
    last_ns: Integers  # return from the last call


@dataclass(frozen=True, eq=False)
class Arrivals(Columns):
    """When ranks entered and left collectives; `sequence` counts those of a communicator.

    Bounded: of many collectives a half, a quarter, an eighth … is kept, the same ones on all ranks.
    """

    rank: Integers
    function: Integers
    communicator: Integers
    sequence: Integers
    site: Integers
    root: Integers  # in world ranks, UNKNOWN_PEER in profiles of earlier versions; else NO_PEER
    enter_ns: Integers  # on the profile's clock
    leave_ns: Integers


@dataclass(frozen=True, eq=False)
class FileInput(Columns):
    """Input and output of one file in one time bin."""

    rank: Integers
    file: Integers  # index into Profile.files
    operation: Integers  # index into OPERATIONS
    bin_start_ns: Integers
    count: Integers
    bytes: Integers
    time_ns: Integers

    OPERATIONS: ClassVar[tuple[str, ...]] = ("read", "write", "open", "close", "seek", "sync")


@dataclass(frozen=True, eq=False)
class Regions(Columns):
    """Regions named by the program."""

    rank: Integers
    region: Integers  # index into Profile.region_names
    count: Integers
    time_ns: Integers
    mpi_ns: Integers
    bytes: Integers


@dataclass(frozen=True, eq=False)
class Memory(Columns):
    """Samples of resident memory."""

    rank: Integers
    t_ns: Integers
    resident_bytes: Integers


@dataclass(frozen=True, eq=False)
class Events(Columns):
    """Individual calls, the most recent of each thread. Only with a trace."""

    rank: Integers
    thread: Integers
    function: Integers
    enter_ns: Integers
    leave_ns: Integers
    bytes: Integers
    peer: Integers


@dataclass(frozen=True, eq=False)
class Profile:
    """One profiled run. Its clock starts with its first rank, on any host."""

    folder: Path
    command: tuple[str, ...]
    started: datetime  # UTC
    exit_code: int | None  # of the command; None if unknown
    mpi: Mpi
    hosts: tuple[str, ...]
    functions: tuple[str, ...]
    moves: tuple[str, ...]  # what each function moves: send, broadcast, write, …, none
    communicators: tuple[Communicator, ...]
    sites: tuple[Site, ...]
    ranks: tuple[Rank, ...]  # in order of rank
    calls: Calls
    arrivals: Arrivals
    cores: tuple[int, ...] = ()  # usable cores per host; empty: unknown
    missing: tuple[int, ...] = ()  # ranks of its worlds that left nothing, at most 65,536 of them
    files: tuple[str, ...] = ()
    io: FileInput = FileInput.of()  # noqa: RUF009 - immutable
    io_bin_ns: int = 0  # the length of its bins; 0 in profiles of earlier versions: unknown
    region_names: tuple[str, ...] = ()
    regions: Regions = Regions.of()  # noqa: RUF009
    memory: Memory = Memory.of()  # noqa: RUF009
    events: Events = Events.of()  # noqa: RUF009

    @property
    def size(self) -> int:
        """The number of ranks."""
        return len(self.ranks)


def bin_width(number: int, most: int | None) -> int:
    """The bin width for at most this many bins."""
    return 1 if most is None else max(1, -(-number // most))


def sums(place: Integers, values: Integers, length: int) -> Integers:
    """Exact sums of the values at each place; np.bincount would add them as floats."""
    totals = np.zeros(length, np.int64)
    kept = place >= 0
    np.add.at(totals, place[kept], values[kept])
    return totals
