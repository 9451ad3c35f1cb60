"""Every fault ends the job in time, keeps what was measured and leaves nothing behind."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from halocline.launch.job import Job, Outcome, Progress
from halocline.launch.run_job import run_job
from launch.jobs import SOON
from launch.libraries import REAL
from launch.trace import (
    CASES,
    Living,
    MakeJob,
    gated,
    kinds,
    left_over,
    look,
    names_rank_1,
    open_gate,
    records,
    wait_until_nothing_is_left,
)

pytestmark = [pytest.mark.launches, pytest.mark.waits]

FAULT_CASE = 4
CLEANED_WITHIN_S = 15.0

Strike = Callable[[Living], None]


def run_and_strike(job: Job, strike: Strike, case: int = FAULT_CASE) -> tuple[Outcome, Living]:
    """Run the job and harm it as this case begins."""
    job = gated(job, case)
    seen: list[Living] = []

    def on_progress(progress: Progress) -> None:
        if progress.case == case:
            seen.append(look(job))
            strike(seen[0])
            open_gate(job)

    outcome = run_job(job, on_progress)
    return outcome, seen[0]


def check_partial(job: Job, outcome: Outcome, living: Living, kept: int = FAULT_CASE - 1) -> None:
    """Failed, with at least the first `kept` cases and the reason in the file, and nothing left."""
    assert not outcome.ok
    assert len(living.ranks) == job.ranks
    assert left_over(job, living) == []
    found = records(job)
    cases = [record["case"] for record in found if record["type"] == "samples"]
    assert cases == [f"case{number}" for number in range(1, len(cases) + 1)]
    assert kept <= len(cases) < len(job.cases)
    assert kinds(job) == ["start", *["samples"] * len(cases), "failure"]
    assert found[-1]["reason"] == outcome.reason
    assert "\n" not in outcome.reason


def kill(number: int, choose: Callable[[Living], int]) -> Strike:
    return lambda living: os.kill(choose(living), number)


@pytest.mark.parametrize("name", REAL)
def test_a_killed_rank(make_job: MakeJob, name: str) -> None:
    job = make_job(name)
    outcome, living = run_and_strike(job, kill(signal.SIGKILL, lambda job: job.ranks[1]))
    check_partial(job, outcome, living)
    # Which signal it was only the launcher knows, and it does not always get to say so.
    assert names_rank_1(
        outcome.reason, "was killed (signal 9, Killed) at case ", "ended early at case "
    )


@pytest.mark.parametrize("code", [0, 3])
@pytest.mark.parametrize("name", REAL)
def test_a_rank_that_exits_early(make_job: MakeJob, name: str, code: int) -> None:
    job = make_job(name, f"exit:1:{code}")
    outcome, living = run_and_strike(job, lambda living: None)
    check_partial(job, outcome, living)
    assert names_rank_1(outcome.reason, "ended early")


@pytest.mark.parametrize("name", REAL)
def test_a_stopped_rank(make_job: MakeJob, name: str) -> None:
    job = make_job(name, deadlines=SOON)
    outcome, living = run_and_strike(job, kill(signal.SIGSTOP, lambda job: job.ranks[1]))
    check_partial(job, outcome, living)
    assert outcome.reason.startswith("no progress for 2 s at case ")
    assert outcome.reason.endswith("): rank 1 is stopped (SIGSTOP)")


@pytest.mark.parametrize("name", REAL)
def test_a_killed_launcher(make_job: MakeJob, name: str) -> None:
    job = make_job(name)
    outcome, living = run_and_strike(job, kill(signal.SIGKILL, lambda job: job.launcher))
    check_partial(job, outcome, living)
    assert outcome.reason.startswith("the launcher was killed (signal 9, Killed) at case ")


@pytest.mark.parametrize("name", REAL)
def test_a_terminated_launcher(make_job: MakeJob, name: str) -> None:
    job = make_job(name)
    outcome, living = run_and_strike(job, kill(signal.SIGTERM, lambda job: job.launcher))
    check_partial(job, outcome, living)


@pytest.mark.parametrize("name", REAL)
def test_a_killed_guardian(make_job: MakeJob, name: str) -> None:
    job = make_job(name)
    outcome, living = run_and_strike(job, kill(signal.SIGKILL, lambda job: job.guardian))
    check_partial(job, outcome, living)
    assert outcome.reason == "the supervisor of the job ended early: it was killed"


@pytest.mark.parametrize("name", REAL)
def test_a_full_disk(make_job: MakeJob, name: str, small_disk: Path) -> None:
    job = make_job(name, "large:0:9000", samples=small_disk / "samples.jsonl")
    outcome, living = run_and_strike(job, lambda living: None)
    assert not outcome.ok
    assert outcome.reason.endswith("samples.jsonl: No space left on device")
    assert left_over(job, living) == []
    assert kinds(job) == ["start", *["samples"] * 3, "failure"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system with room for three large records."""
    if os.getuid() != 0:
        pytest.fail("mounting a small file system needs root; run: sudo -E make test")
    folder = tmp_path / "disk"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=32k", "tmpfs", folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


def start_front_end(job: Job, folder: Path) -> tuple[subprocess.Popen[str], Living]:
    """A front end in a process group of its own, as a shell starts it; its job waits at case 4."""
    pickled = folder / "job"
    pickled.write_bytes(pickle.dumps(job))
    front_end = subprocess.Popen(
        [sys.executable, Path(__file__).with_name("front_end.py"), pickled],
        stdout=subprocess.PIPE,
        text=True,
        process_group=0,
    )
    assert front_end.stdout is not None
    while front_end.stdout.readline() != f"{FAULT_CASE}\n":
        assert front_end.poll() is None
    return front_end, look(job)


@pytest.mark.parametrize("name", REAL)
def test_a_killed_front_end(make_job: MakeJob, name: str, tmp_path: Path) -> None:
    job = gated(make_job(name), FAULT_CASE)
    front_end, living = start_front_end(job, tmp_path)
    front_end.kill()
    open_gate(job)
    front_end.communicate()
    assert wait_until_nothing_is_left(job, living, CLEANED_WITHIN_S) == []
    assert kinds(job)[:FAULT_CASE] == ["start", *["samples"] * (FAULT_CASE - 1)]
    assert "complete" not in kinds(job)


@pytest.mark.parametrize("name", REAL)
def test_ctrl_c(make_job: MakeJob, name: str, tmp_path: Path) -> None:
    job = gated(make_job(name), FAULT_CASE)
    front_end, living = start_front_end(job, tmp_path)
    os.killpg(front_end.pid, signal.SIGINT)
    open_gate(job)
    said, _ = front_end.communicate(timeout=CLEANED_WITHIN_S)
    assert (said.splitlines()[-1], front_end.returncode) == ("interrupted", 130)
    assert left_over(job, living) == []
    assert records(job)[-1] == {
        "type": "failure",
        "label": name,
        "launch": 1,
        "reason": "interrupted",
    }


@pytest.mark.parametrize("name", REAL)
def test_ctrl_c_does_not_reach_the_job(make_job: MakeJob, name: str, tmp_path: Path) -> None:
    job = gated(make_job(name, cases=CASES[:8]), FAULT_CASE)
    front_end, living = start_front_end(job, tmp_path)
    groups = {os.getpgid(pid) for pid in (living.guardian, living.launcher, *living.ranks.values())}
    open_gate(job)
    front_end.communicate(timeout=CLEANED_WITHIN_S)
    assert front_end.pid not in groups
    assert kinds(job)[-1] == "complete"


def test_front_end_and_guardian_killed(make_job: MakeJob, tmp_path: Path) -> None:
    """The launcher dies with its guardian; the next job removes the files."""
    job = gated(make_job(), FAULT_CASE)
    front_end, living = start_front_end(job, tmp_path)
    front_end.send_signal(signal.SIGSTOP)
    os.kill(living.guardian, signal.SIGKILL)
    front_end.kill()
    front_end.communicate()
    deadline = time.monotonic() + CLEANED_WITHIN_S
    while Path(f"/proc/{living.launcher}/environ").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not Path(f"/proc/{living.launcher}/environ").exists()
    assert run_job(make_job(launch=2, cases=CASES[:1]), lambda progress: None).ok
    assert left_over(job, living) == []
