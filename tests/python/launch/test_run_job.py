"""What a job proves, and how its end is reported."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from halocline.environment.kernel_files import cpu_list
from halocline.launch.binding import available_cores
from halocline.launch.job import Deadlines, Job, Progress
from halocline.launch.reasons import BEFORE_FIRST_CASE
from halocline.launch.run_job import run_job
from launch.jobs import DEADLINES, SOON
from launch.libraries import LIBRARIES, REAL
from launch.trace import (
    CASES,
    Living,
    MakeJob,
    gated,
    kinds,
    left_over,
    look,
    open_gate,
    records,
)

pytestmark = [pytest.mark.launches, pytest.mark.waits]

FEW = CASES[:6]


def ignore(_: Progress) -> None:
    pass


def run_and_look(job: Job) -> tuple[str, Living]:
    """The reason, and the job as seen at its fourth case."""
    job = gated(job, 4)
    seen: list[Living] = []

    def on_progress(progress: Progress) -> None:
        if progress.case == 4:
            seen.append(look(job))
            open_gate(job)

    outcome = run_job(job, on_progress)
    assert outcome.ok == (outcome.reason == "complete")
    return outcome.reason, seen[0]


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_job_that_completes(make_job: MakeJob, name: str) -> None:
    progress: list[Progress] = []
    job = make_job(name, cases=FEW)
    outcome = run_job(job, progress.append)
    assert (outcome.ok, outcome.reason) == (True, "complete")
    assert progress == [Progress(case, len(FEW)) for case in range(1, len(FEW) + 1)]
    assert kinds(job) == ["start", *["samples"] * len(FEW), "complete"]


def allowed_cpus(pid: int) -> str:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(line.split()[1] for line in lines if line.startswith("Cpus_allowed_list:"))


def cpus_of_ranks(job: Job) -> list[str]:
    """Where the kernel lets each rank run."""
    job = gated(job, 2)
    seen: list[list[str]] = []

    def on_progress(progress: Progress) -> None:
        if progress.case == 2:
            seen.append([allowed_cpus(pid) for pid in look(job).ranks.values()])
            open_gate(job)

    assert run_job(job, on_progress).ok
    return seen[0]


@pytest.mark.parametrize("name", REAL)
def test_one_rank_to_a_core(make_job: MakeJob, name: str) -> None:
    if available_cores() < 2:
        pytest.fail("binding two ranks needs two cores; run the tests on a machine that has them")
    cpus = cpus_of_ranks(make_job(name, cases=FEW))
    siblings = {
        Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list").read_text().strip()
        for cpu in os.sched_getaffinity(0)
    }
    assert len(set(cpus)) == 2
    # Where this process is confined to some CPUs, to one thread of a core.
    cores = [set(cpu_list(core)) for core in siblings]
    assert all(any(set(cpu_list(own)) <= core for core in cores) for own in cpus)


@pytest.mark.parametrize("name", REAL)
def test_more_ranks_than_cores_are_not_bound(make_job: MakeJob, name: str) -> None:
    ranks = available_cores() + 1
    cpus = cpus_of_ranks(make_job(name, cases=FEW, ranks=ranks))
    assert cpus == [allowed_cpus(os.getpid())] * ranks


@pytest.mark.parametrize("name", REAL)
def test_the_temporary_folder_is_the_jobs_own(make_job: MakeJob, name: str) -> None:
    job = make_job(name, cases=FEW)
    reason, living = run_and_look(job)
    assert reason == "complete"
    assert left_over(job, living) == []
    assert len(str(living.directory)) < 30


def test_another_library_than_expected(make_job: MakeJob) -> None:
    job = make_job()
    found = job.toolchain.library
    job = replace(job, toolchain=replace(job.toolchain, library="MPICH Version: 4.9"))
    outcome = run_job(job, ignore)
    assert outcome.reason == f"ran on {found!r}, expected 'MPICH Version: 4.9'"
    assert records(job)[-1]["reason"] == outcome.reason
    assert kinds(job).count("samples") < len(CASES)


def test_another_world_than_expected(make_job: MakeJob) -> None:
    job = make_job(faults="world:0:1")
    launcher = job.toolchain.launcher
    assert run_job(job, ignore).reason == (
        "MPI_COMM_WORLD has size 1, expected 2: "
        f"the launcher {launcher} does not match the driver's MPI library"
    )
    assert kinds(job)[-1] == "failure"


@pytest.mark.parametrize(
    ("faults", "wrong"),
    [
        ("samples", "samples 13 recorded, 12 found"),
        ("checksum", "checksum {recorded} recorded, {found} found"),
    ],
)
def test_records_that_disagree(make_job: MakeJob, faults: str, wrong: str) -> None:
    job = make_job(faults=faults, cases=FEW)
    outcome = run_job(job, ignore)
    recorded = records(job)[-2]["checksum"]
    found = f"{int(recorded, 16) ^ 1:08x}"
    expected = wrong.format(recorded=recorded, found=found)
    assert outcome.reason == f"{job.samples} does not hold what the driver wrote: {expected}"
    assert kinds(job)[-2:] == ["complete", "failure"]


def test_no_completion_record(make_job: MakeJob) -> None:
    job = make_job(faults="no-completion", cases=FEW)
    outcome = run_job(job, ignore)
    assert not outcome.ok
    assert "ended early" in outcome.reason
    assert kinds(job)[-2:] == ["samples", "failure"]


def test_the_exit_code_does_not_count(make_job: MakeJob) -> None:
    assert run_job(make_job(faults="code:0:7", cases=FEW), ignore).ok


def test_what_is_complete_counts_even_if_its_end_hangs(make_job: MakeJob) -> None:
    job = make_job(faults="hang-at-end:1", cases=FEW)
    reason, living = run_and_look(job)
    assert reason == "complete"
    assert left_over(job, living) == []


def test_a_driver_that_says_nothing(make_job: MakeJob) -> None:
    job = make_job(faults="silent", deadlines=Deadlines(start_s=1.5, progress_s=60, total_s=60))
    assert run_job(job, ignore).reason == "the driver did not start within 1.5 s"
    assert kinds(job) == ["failure"]


def test_a_job_that_takes_too_long(make_job: MakeJob) -> None:
    """Its start counts: on a busy machine a short limit may pass before the first case."""
    for total_s in (1.5, 3, 6, 12):
        deadlines = replace(DEADLINES, total_s=total_s)
        job = gated(make_job(deadlines=deadlines), 4)  # nobody opens the gate
        reason = run_job(job, ignore).reason
        if not reason.endswith(BEFORE_FIRST_CASE):
            break
    assert reason.startswith(f"not done after {total_s:g} s, the limit for a launch, at case ")
    assert kinds(job)[-1] == "failure"


def test_the_drivers_own_words(make_job: MakeJob) -> None:
    outcome = run_job(make_job(faults="error:0:1"), ignore)
    assert outcome.reason.endswith(
        "at case 4 of 100 (pingpong bytes=32): rank 0: the payload is wrong"
    )
    assert "halocline-driver: rank 0: the payload is wrong" in outcome.output.splitlines()


def test_arguments_that_the_driver_refuses(make_job: MakeJob) -> None:
    outcome = run_job(make_job(faults="exit-before-start:0:2"), ignore)
    assert outcome.reason == (
        "ended early with exit code 2 and no start record before the first case: "
        "rank 0: unknown argument"
    )


def test_a_launcher_that_is_gone(make_job: MakeJob) -> None:
    job = make_job()
    job = replace(job, toolchain=replace(job.toolchain, launcher=Path("/nowhere/mpiexec")))
    assert run_job(job, ignore).reason == (
        "cannot start the launcher: /nowhere/mpiexec: No such file or directory"
    )


def test_a_process_that_ignores_the_request_to_end(make_job: MakeJob) -> None:
    job = make_job(faults="ignore-terminate:1 hang:1", deadlines=SOON)
    reason, living = run_and_look(job)
    assert reason.startswith("no progress for 2 s at case 4 of 100 (pingpong bytes=32)")
    assert left_over(job, living) == []


def test_a_daemon_that_left_the_job(make_job: MakeJob) -> None:
    job = make_job(faults="daemon:1", cases=FEW)
    reason, living = run_and_look(job)
    assert reason == "complete"
    assert left_over(job, living) == []


def test_a_library_that_talks_too_much(make_job: MakeJob) -> None:
    job = make_job(faults="flood:1:5000", cases=FEW)  # more than its pipe holds
    outcome = run_job(job, ignore)
    assert outcome.ok
    assert len(outcome.output.splitlines()) == 200


@pytest.mark.parametrize("kind", [ValueError, OSError])
def test_what_on_progress_raises(make_job: MakeJob, kind: type[Exception]) -> None:
    job = gated(make_job(), 1)
    seen: list[Living] = []

    def on_progress(progress: Progress) -> None:
        seen.append(look(job))
        raise kind("no more room on the screen")

    with pytest.raises(kind, match="no more room on the screen"):
        run_job(job, on_progress)
    assert left_over(job, seen[0]) == []
    assert records(job)[-1]["reason"] == f"stopped by {kind('no more room on the screen')!r}"


def test_a_second_launch_is_judged_by_its_own_records(make_job: MakeJob) -> None:
    first = make_job(faults="checksum", cases=FEW)
    second = make_job(cases=FEW, launch=2)
    assert [run_job(job, ignore).ok for job in (first, second)] == [False, True]
    whole = ["start", *["samples"] * len(FEW), "complete"]
    assert kinds(second) == [*whole, "failure", *whole]
