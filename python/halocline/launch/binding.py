"""Which cores the ranks of a job are bound to, and who binds them."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from halocline.launch.job import Job

# The launchers' rank variables: MPICH and Intel, Open MPI and PMIx, Slurm.
_RANK = "${PMI_RANK:-${OMPI_COMM_WORLD_RANK:-${PMIX_RANK:-$SLURM_PROCID}}}"
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
        cores = _one_cpu_of_each_core()
        return Binding(cpus=tuple(cores[: job.ranks]) if job.ranks <= len(cores) else ())
    return Binding(native=max(local_ranks(job)) < available_cores())


def local_ranks(job: Job) -> list[int]:
    """The number of each rank among those of its node, from 0."""
    met: Counter[int] = Counter()
    places = []
    for node in job.node_of_rank or [0] * job.ranks:
        places.append(met[node])
        met[node] += 1
    return places


def available_cores() -> int:
    """Cores, not hardware threads, that this process may run on."""
    return len(_one_cpu_of_each_core())


def _one_cpu_of_each_core() -> list[int]:
    cores: dict[str, int] = {}
    for cpu in sorted(os.sched_getaffinity(0)):
        siblings = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
        cores.setdefault(siblings.read_text() if siblings.exists() else str(cpu), cpu)
    return list(cores.values())
