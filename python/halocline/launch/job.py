"""What is launched, how long it may take, and how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from halocline.base.toolchain import Toolchain
from halocline.hosts import Hosts


@dataclass(frozen=True)
class Deadlines:
    """Seconds from launch to the driver's first message, between heartbeats, for the whole job (may
    be infinite).
    """

    start_s: float = 60.0
    progress_s: float = 60.0
    total_s: float = 600.0


@dataclass(frozen=True)
class Simulation:
    """The SimGrid platform and hostfile that a job runs on."""

    platform: Path
    hostfile: Path


@dataclass(frozen=True)
class Job:
    """One launch of the driver over some cases.

    `launch` is this launch's number in the run, unique per label. `environment` is applied after
    everything else set for the job; None removes a variable.
    """

    toolchain: Toolchain
    ranks: int
    launch: int
    cases: tuple[str, ...]  # the driver's case lines
    samples: Path
    half_width: float = 0.01
    case_s: float = 0.04
    deadlines: Deadlines = field(default_factory=Deadlines)
    environment: Mapping[str, str | None] = field(default_factory=dict)
    simulation: Simulation | None = None
    label: str = ""  # of its records; defaults to the toolchain's name
    hosts: Hosts | None = None  # where the nodes come from; None: this host is the only node
    nodes: tuple[str, ...] = ()  # the host of each node; empty: this host
    node_of_rank: tuple[int, ...] = ()  # indices into `nodes`; empty: all on the first
    binding: str = "core"  # core, none, or a list of CPUs, "0,1", one for each rank of a node
    pages: str = ""  # base, huge; empty: the system's default
    launcher_kind: str = "mpiexec"  # mpiexec, srun
    verify_only: bool = False  # check payloads, time nothing
    path: str = ""  # proven (the default), recorded
    name_regions: bool = False  # so a profiler knows what is timed, and its phases
    openblas: Path | None = None  # its library; None: the system's, if there is one
    turns: Path | None = None  # where turns are handed out; None: no turns
    delay_share: float = 0.0  # added to each batch, relative to its time: a known difference

    def __post_init__(self) -> None:
        if not self.label:
            object.__setattr__(self, "label", self.toolchain.name)


@dataclass(frozen=True)
class NodeMemory:
    """What a case of a workload is about to allocate on the node that needs most."""

    workload: str
    needed_bytes: int
    percent: int  # of that node's memory

    def __str__(self) -> str:
        size = f"{self.needed_bytes / 1024**3:.1f} GiB"
        return f"{self.workload} takes {size}, {self.percent} % of a node's memory"


@dataclass(frozen=True)
class Progress:
    """The driver has started case number `case` (from 1) of `cases`.

    With `memory`, it says what this case is about to allocate.
    """

    case: int
    cases: int
    memory: NodeMemory | None = None


@dataclass(frozen=True)
class Outcome:
    """How a job ended: `ok` only with a completion record that matches what was written.

    `reason` is one line of text; `output` is the tail of the job's stdout and stderr.
    `out_of_time`: it took longer than its deadlines, and may only need more time. `remains`: what
    could not be cleaned up after a job that is ok; else `reason` has it.
    """

    ok: bool
    reason: str
    output: str = ""
    out_of_time: bool = False
    remains: str = ""
