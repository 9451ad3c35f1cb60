"""How each family of MPI libraries starts a job: command line and environment."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from halocline.base.errors import UserError
from halocline.base.toolchain import Family
from halocline.launch.binding import Binding, binding_of
from halocline.launch.inherited import MANAGER_VARIABLES, inherited
from halocline.launch.job import Job, Simulation
from halocline.launch.on_hosts import mpiexec_on_hosts, settings_on_hosts, write_agents
from halocline.launch.processes import JOB_VARIABLE
from halocline.launch.steps import ALLOCATION, note_allocation
from halocline.slurm.process_manager import process_manager
from halocline.specification.configuration import SRUN

# The driver's own watchdog catches what the guardian cannot see; the guardian's message is better.
STALL_MARGIN_S = 10

# Every algorithm by name: the selectors simulate a ring at their first call, in simulated time.
COLLECTIVES = {
    "allgather": "rdb",
    "allgatherv": "ring",
    "allreduce": "rdb",
    "alltoall": "pair",
    "alltoallv": "pair",
    "barrier": "ompi_recursivedoubling",
    "bcast": "binomial_tree",
    "gather": "ompi_binomial",
    "reduce": "binomial",
    "reduce_scatter": "mpich_pair",
    "scatter": "ompi_binomial",
}

# Plain full-duplex links; the code charges computation itself, it is never measured on the host.
SIMULATION = {
    "network/model": "CM02",
    "network/crosstraffic": "0",
    "network/weight-S": "0",
    "network/TCP-gamma": "0",
    "contexts/factory": "raw",
    "contexts/stack-size": "128",
    "smpi/simulate-computation": "no",
    "smpi/host-speed": "1Gf",
    "smpi/wtime": "0",  # reading the clock costs no simulated time
    "smpi/async-small-thresh": "65536",
    **{f"smpi/{collective}": name for collective, name in COLLECTIVES.items()},
}


@dataclass(frozen=True)
class Launch:
    """The command to execute, and its environment."""

    command: list[str]
    environment: dict[str, str]


# MPICH's ranks spin for a whole time slice while the one that they wait for has no core: with
# these, verifying `barotropic` on 4 ranks of 2 cores took 5 s instead of 36. Never used where
# anything is timed.
SLEEPS = {
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE": "1",
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT": "64",
}


def launch(job: Job, directory: Path, caller: Mapping[str, str] | None = None) -> Launch:
    """The launcher's command line and environment for a job that lives in `directory`.

    Ranks are bound one per core if there are enough cores, else left to the kernel. UserError if
    the ranks cannot be started as requested.
    """
    binding = binding_of(job)
    if job.nodes:
        write_agents(job, directory)
        note_allocation(directory, os.environ if caller is None else caller)
    if job.launcher_kind == SRUN:
        start, settings = srun(job, directory, caller)
        environment = _environment(job, directory, binding, settings, caller)
    else:
        environment = _environment(job, directory, binding, _settings(job, binding), caller)
        start = (
            mpiexec_on_hosts(job, directory, binding, environment)
            if job.nodes
            else _mpiexec(job, binding)
        )
    program = [str(job.toolchain.driver.absolute()), *_driver_arguments(job, directory)]
    return Launch([*start, *binding.words, *program], environment)


def _mpiexec(job: Job, binding: Binding) -> list[str]:
    """The launcher's arguments before the driver's own, on this host."""
    start = [str(job.toolchain.launcher.absolute())]
    match job.toolchain.family:
        case Family.MPICH:
            start += ["-bind-to", "core" if binding.native else "none", "-n", str(job.ranks)]
        case Family.INTEL:
            start += ["-n", str(job.ranks)]
        case Family.OPENMPI:
            start += ["--map-by", "core" if binding.native else "slot:OVERSUBSCRIBE"]
            start += ["--bind-to", "core" if binding.native else "none", "-n", str(job.ranks)]
        case Family.SIMGRID:
            start += _smpirun(job.simulation, job.ranks)
    return start


def _settings(job: Job, binding: Binding) -> dict[str, str | None]:
    """Variables that go with the launcher's arguments."""
    settings = settings_on_hosts(job)
    match job.toolchain.family:
        case Family.INTEL:
            settings["I_MPI_PIN"] = "1" if binding.native else "0"
            settings["I_MPI_PIN_DOMAIN"] = "core"
        case Family.OPENMPI:
            settings["OMPI_ALLOW_RUN_AS_ROOT"] = settings["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1"
    return settings


def _environment(
    job: Job,
    directory: Path,
    binding: Binding,
    settings: Mapping[str, str | None],
    caller: Mapping[str, str] | None,
) -> dict[str, str]:
    unbound = binding == Binding()
    counts = job.verify_only or job.name_regions  # rather than measures
    sleeps = job.toolchain.family is Family.MPICH and counts and unbound
    kept = inherited(caller)
    if not job.nodes and job.launcher_kind != SRUN:  # this host, not those of an allocation
        kept = {name: kept[name] for name in kept if not MANAGER_VARIABLES.fullmatch(name)}
    layers: dict[str, str | None] = {
        **(SLEEPS if sleeps else {}),
        **kept,
        **settings,
        **job.toolchain.environment,
        **job.environment,
        "TMPDIR": str(directory),
        JOB_VARIABLE: str(directory),
    }
    return {name: value for name, value in layers.items() if value is not None}


def cases_file(directory: Path) -> Path:
    """Where the driver reads the job's cases."""
    return directory / "cases"


def _smpirun(simulation: Simulation | None, ranks: int) -> list[str]:
    if simulation is None:
        raise ValueError("a simulated job needs a platform and a hostfile")
    return [
        *("-platform", str(simulation.platform.absolute())),
        *("-hostfile", str(simulation.hostfile.absolute())),
        *("-np", str(ranks)),
        "-no-privatize",
        *(f"--cfg={name}:{value}" for name, value in SIMULATION.items()),
        "--log=root.thresh:warning",
    ]


def _driver_arguments(job: Job, directory: Path) -> list[str]:
    options: dict[str, object] = {
        "--cases": cases_file(directory),
        "--output": job.samples.absolute(),
        "--launch": job.launch,
        "--label": job.label,
        "--half-width": job.half_width,
        "--case-seconds": job.case_s,
        "--stall-seconds": math.ceil(job.deadlines.progress_s) + STALL_MARGIN_S,
    }
    if job.pages:
        options["--pages"] = job.pages
    if job.path:
        options["--path"] = job.path
    if job.openblas:
        options["--openblas"] = job.openblas
    if job.turns:
        options["--turns"] = job.turns
    if job.delay_share:
        options["--delay-share"] = job.delay_share
    words = [word for option, value in options.items() for word in (option, str(value))]
    if job.hosts is not None and job.hosts.made and len(job.nodes) > 1:
        words.append("--shared-cores")  # with the network between the nodes
    if job.name_regions:
        words.append("--name-regions")
    return [*words, "--verify-only"] if job.verify_only else words


HOSTFILE = "SLURM_HOSTFILE"
# Between the first rank's successful end and the last one's: srun itself would wait forever.
LAST_RANK_S = 5
# Left by sbatch and salloc for their steps; ours get all of it on the command line,
# and some versions of srun refuse a step in which the two disagree.
STEP_SHAPE = re.compile(
    r"(SLURM|SRUN)_(NTASKS|NPROCS|TASKS_PER|NTASKS_PER|CPUS_PER_TASK|DISTRIBUTION|CPU_BIND"
    r"|TRES_PER_TASK|GPUS|GPU_BIND|GPU_FREQ|GRES|CPUS_PER_GPU|MEM_PER|CORE_SPEC|THREAD_SPEC"
    r"|DIST_PLANESIZE|SPREAD_JOB|USE_MIN_NODES"
    r"|HINT|THREADS_PER_CORE|HOSTFILE|ARBITRARY_NODELIST|OVERCOMMIT|EXACT|EXCLUSIVE|WAIT"
    r"|KILL_BAD_EXIT|UNBUFFEREDIO|LABELIO|STDINMODE|STDOUTMODE|STDERRMODE|WORKING_DIR"
    r"|EXPORT_ENV|TIMELIMIT|STEP|STEPID|PROCID|LOCALID|NODEID|TASK_PID|GTIDS).*"
)


def srun(
    job: Job, directory: Path, caller: Mapping[str, str] | None = None
) -> tuple[list[str], dict[str, str | None]]:
    """The arguments before the driver's own, and the variables that go with them.

    UserError without an allocation, or without a process manager that the library understands.
    """
    variables = os.environ if caller is None else caller
    if ALLOCATION not in variables:
        raise UserError(
            f"not inside a Slurm allocation: {ALLOCATION} is not set",
            where="--launcher srun",
            remedy="run inside salloc or sbatch, or use `halocline submit`",
        )
    manager = process_manager(job.toolchain.family, variables)
    settings: dict[str, str | None] = dict.fromkeys(filter(STEP_SHAPE.fullmatch, variables))
    placed = distribution(job.node_of_rank, len(job.nodes))
    if placed is None:
        hostfile = directory / "srun-hosts"
        hostfile.write_text("".join(f"{job.nodes[node]}\n" for node in job.node_of_rank))
        settings[HOSTFILE] = str(hostfile)
        placed = ["--distribution=arbitrary"]
    else:
        placed = [*placed, f"--nodelist={','.join(job.nodes)}"]
    total_s = job.deadlines.total_s
    words = [
        "srun",
        f"--mpi={manager}",
        f"--job-name={directory.name}",  # to find and cancel its step
        f"--nodes={len(job.nodes)}",
        f"--ntasks={job.ranks}",
        *placed,
        # By itself it binds only if there are enough cores; named CPUs are handled elsewhere.
        f"--cpu-bind={'cores' if job.binding == 'core' else 'none'}",
        "--overlap",  # also inside another step, and while the last one is being cleaned up
        "--overcommit",  # as many ranks on a node as the layout says
        "--kill-on-bad-exit=1",
        f"--wait={LAST_RANK_S}",
        *([f"--time={math.ceil(total_s / 60) + 1}"] if math.isfinite(total_s) else []),
        "--input=none",
        "--export=ALL",
    ]
    return words, settings


def distribution(node_of_rank: Sequence[int], nodes: int) -> list[str] | None:
    """The options for nodes filled one after the other, or round-robin.

    None for any other order. Slurm's PMI2 describes an arbitrary one to the library as if each rank
    had its own node, and its plane=K is wrong with more ranks on a node than cores.
    """
    ranks, per_node = range(len(node_of_rank)), len(node_of_rank) // nodes
    if list(node_of_rank) == [rank // per_node for rank in ranks]:
        return ["--distribution=block", f"--ntasks-per-node={per_node}"]
    if list(node_of_rank) == [rank % nodes for rank in ranks]:
        return ["--distribution=cyclic"]
    return None
