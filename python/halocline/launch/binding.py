"""Which cores the ranks of a job are bound to, and who binds them. Standard library only."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import time
from collections import Counter
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from halocline.hosts import Hosts
    from halocline.launch.job import Job

# The launchers' rank variables: MPICH and Intel, Open MPI and PMIx, Slurm.
_RANK = "${PMI_RANK:-${OMPI_COMM_WORLD_RANK:-${PMIX_RANK:-$SLURM_PROCID}}}"
_ANSWER_S = 20.0  # to count the cores of all hosts
_COUNT = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from halocline.launch.binding import available_cores; print(available_cores())"
)
_SOCKETS = re.compile(r"\bSockets=(\d+)")
_CORES = re.compile(r"\bCoresPerSocket=(\d+)")
_BIND = f'exec taskset -c "$(echo "$0" | cut -d : -f $(({_RANK} + 1)))" "$@"'


@dataclass(frozen=True)
class Binding:
    """By the library, one rank per core (`native`); to these CPUs, one per rank; or not at all.

    Binding to CPUs uses a command in front of the driver, the same for all libraries.
    """

    native: bool = False
    cpus: tuple[int, ...] = ()

    @property
    def words(self) -> list[str]:
        """The command that starts the driver bound."""
        return ["/bin/sh", "-c", _BIND, ":".join(map(str, self.cpus))] if self.cpus else []


def binding_of(job: Job) -> Binding:
    """How a job's ranks are bound.

    Hosts made of namespaces share this machine's cores, unknown to libraries: their
    ranks are numbered across hosts.
    """
    together = job.hosts is not None and job.hosts.made
    if job.binding == "none":
        return Binding()
    if job.binding != "core":
        named = [int(cpu) for cpu in job.binding.split(",")]
        places = range(job.ranks) if together else local_ranks(job)
        return Binding(cpus=tuple(named[place % len(named)] for place in places))
    if together:
        return _to_cores(job.ranks)
    if not job.nodes and job.simulation is None and _is_confined():
        # MPICH counts the cores of the whole machine, whatever this process may use.
        return _to_cores(job.ranks)
    return Binding(native=max(local_ranks(job)) < cores_of_a_node(job.hosts, len(job.nodes)))


def _to_cores(ranks: int) -> Binding:
    """One rank per core that this process may use, if there are enough."""
    cores = _one_cpu_of_each_core()
    return Binding(cpus=tuple(cores[:ranks]) if ranks <= len(cores) else ())


def _is_confined() -> bool:
    """Whether this process may use only some of the machine's CPUs."""
    return len(os.sched_getaffinity(0)) < (os.cpu_count() or 1)


def local_ranks(job: Job) -> list[int]:
    """The number of each rank among those of its node, from 0."""
    met: Counter[int] = Counter()
    places = []
    for node in job.node_of_rank or [0] * job.ranks:
        places.append(met[node])
        met[node] += 1
    return places


def cores_of_a_node(hosts: Hosts | None, nodes: int) -> int:
    """Cores for the ranks of one node: of real hosts, those of the one with fewest.

    In a Slurm job, those here: what it starts on a node to ask may be confined to fewer than ranks.
    A login node where salloc runs is none of its nodes: Slurm describes them.
    """
    if hosts is None or hosts.made:
        return available_cores()
    names = hosts.names[:nodes]
    if "SLURM_JOB_ID" not in os.environ:
        return _fewest_cores(names, hosts.reach)
    return available_cores() if "SLURMD_NODENAME" in os.environ else _described_cores(names)


@cache
def _described_cores(names: tuple[str, ...]) -> int:
    """Cores of the node with fewest, as Slurm describes them; those here if it does not."""
    try:
        done = subprocess.run(
            ["scontrol", "show", "node", "--oneliner", ",".join(names)],
            check=False,
            capture_output=True,
            text=True,
            timeout=_ANSWER_S,
        )
    except (OSError, subprocess.TimeoutExpired):
        return available_cores()
    sockets, cores = _SOCKETS.findall(done.stdout), _CORES.findall(done.stdout)
    of_nodes = [int(each) * int(other) for each, other in zip(sockets, cores, strict=False)]
    return min(of_nodes, default=available_cores())


@cache
def _fewest_cores(names: tuple[str, ...], reach: tuple[str, ...]) -> int:
    """Asks these hosts at once. One that does not answer in time is ignored; if none does, those
    here count.
    """
    package = str(Path(__file__).parents[2])
    command = shlex.join([sys.executable, "-I", "-S", "-c", _COUNT, package])
    deadline = time.monotonic() + _ANSWER_S
    children: list[subprocess.Popen[bytes]] = []
    counts: list[int] = []
    with ExitStack() as stack:
        for name in names:
            with suppress(OSError):  # no ssh here
                child = subprocess.Popen(
                    [*reach, name, command],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                )
                children.append(stack.enter_context(child))
                stack.callback(child.kill)
        for child in children:
            with suppress(subprocess.TimeoutExpired, ValueError):
                said = child.communicate(timeout=max(0.0, deadline - time.monotonic()))[0]
                counts += map(int, said.split()[-1:])  # a shell may greet first
    return min(counts, default=available_cores())


def available_cores() -> int:
    """Cores, not hardware threads, that this process may run on."""
    return len(_one_cpu_of_each_core())


def _one_cpu_of_each_core() -> list[int]:
    cores: dict[str, int] = {}
    for cpu in sorted(os.sched_getaffinity(0)):
        siblings = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
        cores.setdefault(siblings.read_text() if siblings.exists() else str(cpu), cpu)
    return list(cores.values())
