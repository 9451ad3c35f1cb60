"""Command lines and environments, word for word."""

from __future__ import annotations

from pathlib import Path

import pytest

from halocline.base.toolchain import Family, Toolchain
from halocline.launch import binding
from halocline.launch.job import Deadlines, Job, Simulation
from halocline.launch.launchers import COLLECTIVES, launch

DIRECTORY = Path("/tmp/halocline-job-abc")
DRIVER = [
    "/driver",
    *("--cases", "/tmp/halocline-job-abc/cases"),
    *("--output", "/run/samples.jsonl"),
    *("--launch", "3"),
    *("--label", "name"),
    *("--half-width", "0.02"),
    *("--case-seconds", "0.1"),
    *("--stall-seconds", "40"),
]


def job(family: Family, **changes: object) -> Job:
    fields = {
        "toolchain": Toolchain("name", family, "", Path("/mpiexec"), Path("/driver"), {"A": "1"}),
        "ranks": 2,
        "launch": 3,
        "cases": ("id pingpong",),
        "samples": Path("/run/samples.jsonl"),
        "half_width": 0.02,
        "case_s": 0.1,
        "deadlines": Deadlines(progress_s=30.0),
    }
    return Job(**{**fields, **changes})  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def whole_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the tests are confined to some CPUs, ranks are bound to these."""
    monkeypatch.setattr(binding, "_is_confined", lambda: False)


@pytest.mark.parametrize(
    ("family", "cores", "words"),
    [
        (Family.MPICH, 2, "-bind-to core -n 2"),
        (Family.MPICH, 1, "-bind-to none -n 2"),
        (Family.INTEL, 2, "-n 2"),
        (Family.OPENMPI, 2, "--map-by core --bind-to core -n 2"),
        (Family.OPENMPI, 1, "--map-by slot:OVERSUBSCRIBE --bind-to none -n 2"),
    ],
)
def test_the_command_line(
    monkeypatch: pytest.MonkeyPatch, family: Family, cores: int, words: str
) -> None:
    monkeypatch.setattr(binding, "available_cores", lambda: cores)
    assert launch(job(family), DIRECTORY).command == ["/mpiexec", *words.split(), *DRIVER]


@pytest.mark.parametrize(("cores", "pin"), [(2, "1"), (1, "0")])
def test_intel_binds_by_its_environment(
    monkeypatch: pytest.MonkeyPatch, cores: int, pin: str
) -> None:
    monkeypatch.setattr(binding, "available_cores", lambda: cores)
    environment = launch(job(Family.INTEL), DIRECTORY, caller={}).environment
    assert (environment["I_MPI_PIN"], environment["I_MPI_PIN_DOMAIN"]) == (pin, "core")


def test_the_environment_is_the_callers_then_the_toolchains_then_the_jobs() -> None:
    inherited = {"A": "0", "B": "0", "C": "0", "TMPDIR": "/long", "HALOCLINE_JOB_DIR": "/other"}
    what = launch(job(Family.MPICH, environment={"B": "2", "A": "2"}), DIRECTORY, inherited)
    assert what.environment == {
        "A": "2",
        "B": "2",
        "C": "0",
        "TMPDIR": str(DIRECTORY),
        "HALOCLINE_JOB_DIR": str(DIRECTORY),
    }


@pytest.mark.parametrize(
    ("family", "cores", "verify_only", "sleeps"),
    [
        (Family.MPICH, 1, True, "1"),
        (Family.MPICH, 2, True, None),
        (Family.MPICH, 1, False, None),
        (Family.OPENMPI, 1, True, None),
    ],
)
def test_ranks_without_a_core_sleep_where_nothing_is_timed(
    monkeypatch: pytest.MonkeyPatch,
    family: Family,
    cores: int,
    verify_only: bool,
    sleeps: str | None,
) -> None:
    monkeypatch.setattr(binding, "available_cores", lambda: cores)
    started = launch(job(family, verify_only=verify_only), DIRECTORY, caller={})
    assert started.environment.get("MPIR_CVAR_CH4_PROGRESS_THROTTLE") == sleeps
    own = {"MPIR_CVAR_CH4_PROGRESS_THROTTLE": "0"}
    theirs = launch(job(family, verify_only=verify_only), DIRECTORY, caller=own).environment
    assert theirs["MPIR_CVAR_CH4_PROGRESS_THROTTLE"] == "0"


def test_root_may_use_open_mpi() -> None:
    environment = launch(job(Family.OPENMPI), DIRECTORY, caller={}).environment
    assert environment["OMPI_ALLOW_RUN_AS_ROOT"] == "1"
    assert environment["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] == "1"


def test_a_simulated_job() -> None:
    on = Simulation(Path("/platform.xml"), Path("/hostfile"))
    command = launch(job(Family.SIMGRID, simulation=on), DIRECTORY).command
    assert command[:8] == [
        "/mpiexec",
        *("-platform", "/platform.xml", "-hostfile", "/hostfile", "-np", "2", "-no-privatize"),
    ]
    assert command[-len(DRIVER) :] == DRIVER
    settings = [word for word in command if word.startswith("--cfg=")]
    assert "--cfg=smpi/simulate-computation:no" in settings
    assert "--cfg=contexts/factory:raw" in settings
    assert {f"--cfg=smpi/{name}:{algorithm}" for name, algorithm in COLLECTIVES.items()} <= set(
        settings
    )


def test_a_simulated_job_needs_a_machine() -> None:
    with pytest.raises(ValueError, match="needs a platform and a hostfile"):
        launch(job(Family.SIMGRID), DIRECTORY)


@pytest.mark.parametrize("family", [Family.MPICH, Family.INTEL, Family.OPENMPI])
def test_ranks_stay_on_the_cpus_that_this_process_may_use(
    monkeypatch: pytest.MonkeyPatch, family: Family
) -> None:
    """As under `taskset`, of which MPICH's launcher takes no notice."""
    monkeypatch.setattr(binding, "_is_confined", lambda: True)
    monkeypatch.setattr(binding, "_one_cpu_of_each_core", lambda: [4, 6])
    command = launch(job(family), DIRECTORY, caller={}).command
    assert "4:6" in command and "taskset" in " ".join(command)
    assert "taskset" not in " ".join(launch(job(family, ranks=3), DIRECTORY, caller={}).command)


def test_a_job_on_this_host_does_not_see_an_allocation() -> None:
    allocation = {
        **{"SLURM_JOB_NODELIST": "n[1-2]", "SLURMD_NODENAME": "n1", "PBS_NODEFILE": "/nodes"},
        # As sites set them in a module: they need the allocation.
        **{"I_MPI_HYDRA_BOOTSTRAP": "slurm", "HYDRA_LAUNCHER": "slurm", "OMPI_MCA_plm": "slurm"},
    }
    alone = launch(job(Family.MPICH), DIRECTORY, {**allocation, "B": "1"}).environment
    assert alone.keys() & {*allocation, "B"} == {"B"}
