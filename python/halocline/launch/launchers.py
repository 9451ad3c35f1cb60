"""How each family of MPI libraries starts a job: command line and environment."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from halocline.base.toolchain import Family
from halocline.launch.binding import Binding, binding_of
from halocline.launch.inherited import inherited
from halocline.launch.job import Job, Simulation
from halocline.launch.on_hosts import mpiexec_on_hosts, settings_on_hosts, write_agents
from halocline.launch.processes import JOB_VARIABLE
from halocline.launch.srun import srun
from halocline.launch.steps import note_allocation
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
    layers: dict[str, str | None] = {
        **(SLEEPS if sleeps else {}),
        **inherited(caller),
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
