"""How each family of MPI libraries starts a job on several hosts, with every rank in its place."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import groupby
from pathlib import Path

from halocline.base.errors import UserError
from halocline.base.toolchain import Family
from halocline.hosts import Hosts
from halocline.launch.binding import Binding, local_ranks
from halocline.launch.elsewhere import AGENT, HOSTS, REACH
from halocline.launch.job import Job
from halocline.launch.processes import JOB_VARIABLE

RANKMAP_SINCE = 5  # first major version of MPICH whose launcher reliably takes a map of ranks
# Open MPI's daemons forward only its own variables.
_FORWARDED = ("UCX_", "FI_", "HALOCLINE_")

_REACH = """\
#!/bin/sh
# HOST COMMAND...: run a shell command there.
exec {reach} "$@"
"""
_AGENT = """\
#!/bin/sh
# HOST COMMAND...: the same, as part of this job.
host=$1
shift
command=$(printf %s "$*" | sed "s/'/'\\\\\\\\''/g")
own={own}$host
exec {reach} "$host" "env $own /bin/sh -c '$command'"
"""


def write_agents(job: Job, directory: Path) -> None:
    """Write the programs with which this job reaches its hosts, and the list of hosts."""
    reach = shlex.join((job.hosts or Hosts(job.nodes)).reach)
    here = shlex.quote(str(directory))
    # Words for the remote shell, quoted for this one.
    own = shlex.quote(f"{JOB_VARIABLE}={here} TMPDIR={here}/scratch-")
    scripts = {REACH: _REACH.format(reach=reach), AGENT: _AGENT.format(reach=reach, own=own)}
    for name, script in scripts.items():
        (directory / name).write_text(script, encoding="utf-8")
        (directory / name).chmod(0o700)
    (directory / HOSTS).write_text("".join(f"{host}\n" for host in used(job)), encoding="utf-8")


def used(job: Job) -> tuple[str, ...]:
    """The hosts with ranks, in the order of the nodes."""
    return tuple(job.nodes[node] for node in sorted(set(job.node_of_rank)))


def mpiexec_on_hosts(
    job: Job, directory: Path, binding: Binding, environment: Mapping[str, str]
) -> list[str]:
    """The launcher's arguments before the driver's own. `environment` is the launcher's.

    UserError if this launcher cannot place the ranks this way.
    """
    launcher = str(job.toolchain.launcher.absolute())
    hosts = job.hosts or Hosts(job.nodes)
    match job.toolchain.family:
        case Family.MPICH:
            words = [*_hydra(hosts, directory), *_mpich_places(job, directory)]
            words += ["-bind-to", "core" if binding.native else "none"]
        case Family.INTEL:
            words = [*_hydra(hosts, directory), "-machinefile", _in_turn(job, directory)]
        case Family.OPENMPI:
            words = _openmpi(job, directory, binding, environment)
        case Family.SIMGRID:
            raise ValueError("a simulated job runs on simulated hosts")
    return [*hosts.entry, launcher, *words, "-n", str(job.ranks)]


def settings_on_hosts(job: Job) -> dict[str, str | None]:
    """Variables that keep the libraries on the network between hosts made of namespaces.

    A network card beyond Ethernet is not part of the namespaces. Transports between ranks of one
    host are left unchanged.
    """
    if job.hosts is None or not job.hosts.made or job.hosts.interface is None:
        return {}
    match job.toolchain.family:
        case Family.INTEL:
            return {"FI_PROVIDER": "tcp", "FI_TCP_IFACE": job.hosts.interface}
        case Family.OPENMPI:
            return {
                "OMPI_MCA_btl_tcp_if_include": job.hosts.interface,
                "UCX_NET_DEVICES": job.hosts.interface,
            }
    return {"UCX_NET_DEVICES": job.hosts.interface}


def _hydra(hosts: Hosts, directory: Path) -> list[str]:
    interface = ["-iface", hosts.interface] if hosts.interface else []
    return ["-launcher", "rsh", "-launcher-exec", str(directory / AGENT), *interface]


def _mpich_places(job: Job, directory: Path) -> list[str]:
    """A host that is listed twice would count as two nodes."""
    blocks = _one_turn(job.node_of_rank)
    if blocks is not None:
        lines = (f"{job.nodes[node]}:{count}" for node, count in blocks)
        return ["-f", _written(directory / "machines", lines)]
    if job.toolchain.base_major < RANKMAP_SINCE:
        library = " ".join(job.toolchain.library.split())
        raise UserError(
            f"the launcher of {library} cannot place the ranks on the nodes "
            f"{','.join(map(str, job.node_of_rank))}",
            allowed="nodes that take their ranks in turn, as in placements smp and wrap",
            remedy="use another placement, or MPICH 5, Intel MPI or Open MPI",
        )
    return ["-hosts", ",".join(job.nodes), "-rankmap", ",".join(map(str, job.node_of_rank))]


def _one_turn(node_of_rank: tuple[int, ...]) -> list[tuple[int, int]] | None:
    """Nodes and how many ranks each takes per turn; None if not round-robin."""
    blocks: list[tuple[int, int]] = []
    for node, ranks in groupby(node_of_rank):
        if any(node == met for met, _ in blocks):
            break
        blocks.append((node, len(list(ranks))))
    turn = [node for node, count in blocks for _ in range(count)]
    fits = all(node == turn[rank % len(turn)] for rank, node in enumerate(node_of_rank))
    return blocks if fits else None


def _in_turn(job: Job, directory: Path) -> str:
    """A file with a line for each block of ranks on one host."""
    blocks = groupby(job.nodes[node] for node in job.node_of_rank)
    return _written(
        directory / "machines", (f"{host}:{len(list(ranks))}" for host, ranks in blocks)
    )


def _openmpi(
    job: Job, directory: Path, binding: Binding, environment: Mapping[str, str]
) -> list[str]:
    agent, recent = str(directory / AGENT), job.toolchain.base_major >= 5
    setting, plm = ("--prtemca", "ssh") if recent else ("--mca", "rsh")
    # In an allocation its daemons would start in their own step: without the agent's scratch
    # space, and under a name by which they are not cancelled.
    words = [setting, "plm", plm, setting, f"plm_{plm}_agent", agent]
    # Daemons that start others on further hosts would need the agent there.
    words += [setting, f"plm_{plm}_no_tree_spawn", "1"]
    # A Slurm step kills processes that left its session, so all agents live as long as the job.
    words += ["--leave-session-attached", setting, f"plm_{plm}_num_concurrent", str(len(job.nodes))]
    for name in sorted(_forwarded(job, environment)):
        words += ["-x", name]
    if not binding.native:
        lines = (job.nodes[node] for node in job.node_of_rank)
        words += ["--hostfile", _written(directory / "machines", lines)]
        return [*words, "--map-by", "seq:OVERSUBSCRIBE", "--bind-to", "none"]
    slots = Counter(job.nodes[node] for node in job.node_of_rank)
    words += ["--host", ",".join(f"{host}:{count}" for host, count in slots.items())]
    lines = (
        f"rank {rank}={job.nodes[node]} slot={core}"
        for rank, (node, core) in enumerate(zip(job.node_of_rank, local_ranks(job), strict=True))
    )
    ranks = _written(directory / "ranks", lines)
    return [*words, *(["--map-by", f"rankfile:FILE={ranks}"] if recent else ["--rankfile", ranks])]


def _forwarded(job: Job, environment: Mapping[str, str]) -> set[str]:
    own = {*job.toolchain.environment, *job.environment, *settings_on_hosts(job)}
    # Not TMPDIR: each host has its own from the agent.
    return {name for name in environment if name in own or name.startswith(_FORWARDED)} | {
        JOB_VARIABLE
    }


def _written(path: Path, lines: Iterable[str]) -> str:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return str(path)
