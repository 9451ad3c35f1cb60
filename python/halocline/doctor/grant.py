"""Checks of what this process was granted: CPUs, shared memory, limits, settings, tools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from halocline.doctor.finding import Finding, Severity
from halocline.environment.kernel_files import cpu_list
from halocline.launch.inherited import inherited

# Seen with two ranks: below this Open MPI's segments do not fit, Intel MPI dies of SIGBUS,
# and MPICH either dies of it or silently changes to a slower transport.
_SHARED_MEMORY_BYTES_A_RANK = 16 * 2**20
_LOCKED_MEMORY_BYTES = 2**30

_VARIABLE_OWNERS = {
    "I_MPI_": "Intel MPI",
    "MPICH_": "MPICH",
    "MPIR_": "MPICH",
    "OMPI_": "Open MPI",
    "OPAL_": "Open MPI",
    "PRTE_": "Open MPI",
    "MV2_": "MVAPICH",
    "MVP_": "MVAPICH",
}


def _cores(environment: Mapping[str, Any], ranks: int) -> Finding | None:
    cpus = environment["allotment"]["cpus"]
    cores = len(_first_threads(environment))
    if cores >= ranks:
        return None
    too_few = cpus < ranks
    return Finding(
        "cores",
        Severity.ERROR if too_few else Severity.WARNING,
        f"{cores} cores with {cpus} CPUs for {ranks} ranks",
        "busy-waiting ranks take turns on a CPU: a message takes as long as a time slice"
        if too_few
        else "ranks share a core: each runs slower than alone",
        f"ask for {ranks} cores, or measure fewer ranks",
    )


def _quota(environment: Mapping[str, Any], ranks: int) -> Finding | None:
    quota = environment["allotment"]["cpu_quota"]
    if quota is None:
        return None
    return Finding(
        "quota",
        Severity.ERROR if quota < ranks else Severity.NOTE,
        f"this cgroup may use {quota:.4g} CPUs' worth of time; {ranks} ranks need {ranks}",
        "the kernel stops the ranks for the rest of each period once the quota is used up",
        "give the container or the unit whole CPUs instead of a share of time",
        f"docker run --cpuset-cpus=0-{ranks - 1} …",
    )


def _shared_memory(environment: Mapping[str, Any], ranks: int) -> Finding | None:
    state = environment["shared_memory"]
    needed = ranks * _SHARED_MEMORY_BYTES_A_RANK
    if state is not None and state["free_bytes"] >= needed:
        return None
    free = f"has {state['free_bytes'] / 2**20:.0f} MiB free" if state else "does not exist"
    return Finding(
        "shared-memory",
        Severity.ERROR,
        f"/dev/shm {free}; {ranks} ranks need {needed / 2**20:.0f} MiB",
        "MPI libraries die of SIGBUS, or silently change to a slower transport",
        "remove files left by killed jobs, or enlarge it (docker run --shm-size=1g)",
        "ls -l /dev/shm",
    )


def _placement(environment: Mapping[str, Any], ranks: int) -> Finding | None:
    cpus = environment["allotment"]["cpus"]
    chosen = _first_threads(environment)[:ranks]
    if cpus <= ranks or len(chosen) < ranks:
        return None
    allowed = set(cpu_list(environment["allotment"]["affinity"]))
    nodes = sum(
        bool(allowed & set(cpu_list(node["cpus"] or "")))
        for node in environment["processor"]["numa_nodes"]
    )
    return Finding(
        "placement",
        Severity.WARNING if nodes > 1 else Severity.NOTE,
        f"nothing binds this process: it may run on {cpus} CPUs of {max(nodes, 1)} NUMA nodes",
        "unless the launcher binds them, the kernel migrates ranks, and their distance changes",
        "bind the ranks; near cores first, far ones for comparison",
        f"taskset --cpu-list {','.join(map(str, chosen))} halocline survey",
    )


def _first_threads(environment: Mapping[str, Any]) -> list[int]:
    """The first CPU of every core that this process may use, those of one NUMA node together."""
    processor = environment["processor"]
    allowed = set(cpu_list(environment["allotment"]["affinity"]))
    nodes = {
        cpu: node["node"]
        for node in processor["numa_nodes"]
        for cpu in cpu_list(node["cpus"] or "")
    }
    usable = (
        [cpu for cpu in cpu_list(threads) if cpu in allowed]
        for threads in processor["core_threads"]
    )
    firsts = [cpus[0] for cpus in usable if cpus] or allowed  # without a topology
    return sorted(firsts, key=lambda cpu: (nodes.get(cpu, 0), cpu))


def _variables(environment: Mapping[str, Any], ranks: int) -> Finding | None:
    names = list(inherited(environment["mpi_variables"]))  # others reach no job
    if not names:
        return None
    owners = sorted(
        {
            owner
            for prefix, owner in _VARIABLE_OWNERS.items()
            if any(name.startswith(prefix) for name in names)
        }
    )
    mixed = len(owners) > 1
    return Finding(
        "variables",
        Severity.WARNING if mixed else Severity.NOTE,
        f"set in this shell: {', '.join(names)}",
        f"settings for {' and '.join(owners)} are mixed: each library also reads those"
        " of the others that it understands"
        if mixed
        else "they change transports, thresholds or placement: the figures hold only with them",
        "unset those you did not choose; the rest is recorded in environment.json",
        f"env {' '.join(f'-u {name}' for name in names)} halocline survey",
    )


def _locked_memory(environment: Mapping[str, Any], ranks: int) -> Finding | None:
    limit = environment["allotment"]["locked_memory_bytes"]
    fabric = environment["fabric"]
    if not fabric or limit is None or limit >= _LOCKED_MEMORY_BYTES:
        return None
    return Finding(
        "locked-memory",
        Severity.WARNING,
        f"at most {limit / 2**20:.0f} MiB of locked memory, with {', '.join(fabric)} present",
        "the fabric cannot register large buffers and falls back to copies or to TCP",
        "raise the memlock limit, permanently in /etc/security/limits.conf",
        "ulimit -l unlimited",
    )


def _tools(environment: Mapping[str, Any], ranks: int) -> Finding | None:
    uses = {
        "c++": "to build the driver for Open MPI and for adopted libraries (apt install g++)",
        "smpirun": "to run on simulated machines (apt install simgrid libsimgrid-dev)",
    }
    missing = [tool for tool, path in environment["tools"].items() if path is None]
    if not missing:
        return None
    return Finding(
        "tools",
        Severity.NOTE,
        f"not on PATH: {', '.join(missing)}",
        "figures are unaffected, but some commands need them",
        "; ".join(f"{tool} {uses[tool]}" for tool in missing),
    )


CHECKS = (
    _cores,
    _quota,
    _shared_memory,
    _placement,
    _variables,
    _locked_memory,
    _tools,
)
