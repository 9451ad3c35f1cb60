"""How each family of MPI libraries starts a job: command line and environment."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from halocline.launch.inherited import inherited
from halocline.launch.job import Job, Simulation
from halocline.launch.processes import JOB_VARIABLE
from halocline.launch.srun import srun
from halocline.mpi.toolchain import Family

# The driver's own watchdog is for what the guardian cannot see; the guardian's message says more.
STALL_MARGIN_S = 10

SRUN = "srun"  # as a job's launcher_kind; any other is the library's own launcher

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

# Plain full-duplex links; computation is charged by the code itself, never measured on the host.
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
    """What is executed, and with which environment."""

    command: list[str]
    environment: dict[str, str]


def launch(job: Job, directory: Path, caller: Mapping[str, str] | None = None) -> Launch:
    """The launcher's command line and environment for a job that lives in `directory`.

    Ranks are bound one to a core if there are cores enough, else left to the kernel.
    """
    start, settings = srun(job, directory, caller) if job.launcher_kind == SRUN else _mpiexec(job)
    return Launch(
        command=[*start, str(job.toolchain.driver.absolute()), *_driver_arguments(job, directory)],
        environment=_environment(job, directory, settings, caller),
    )


def _mpiexec(job: Job) -> tuple[list[str], dict[str, str | None]]:
    """The words before the driver's own, and the variables that go with them."""
    bound = job.ranks <= available_cores()
    start = [str(job.toolchain.launcher.absolute())]
    settings: dict[str, str | None] = {}
    match job.toolchain.family:
        case Family.MPICH:
            start += ["-bind-to", "core" if bound else "none", "-n", str(job.ranks)]
        case Family.INTEL:
            start += ["-n", str(job.ranks)]
            settings["I_MPI_PIN"] = "1" if bound else "0"
            settings["I_MPI_PIN_DOMAIN"] = "core"
        case Family.OPENMPI:
            start += ["--map-by", "core" if bound else "slot:OVERSUBSCRIBE"]
            start += ["--bind-to", "core" if bound else "none", "-n", str(job.ranks)]
            settings["OMPI_ALLOW_RUN_AS_ROOT"] = settings["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1"
        case Family.SIMGRID:
            start += _smpirun(job.simulation, job.ranks)
    return start, settings


def _environment(
    job: Job,
    directory: Path,
    settings: Mapping[str, str | None],
    caller: Mapping[str, str] | None,
) -> dict[str, str]:
    layers: dict[str, str | None] = {
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


def available_cores() -> int:
    """Cores, not hardware threads, that this process may run on."""
    cores = set()
    for cpu in os.sched_getaffinity(0):
        siblings = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
        cores.add(siblings.read_text() if siblings.exists() else str(cpu))
    return len(cores)


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
    return [word for option, value in options.items() for word in (option, str(value))]
