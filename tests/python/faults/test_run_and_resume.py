"""Whatever ends a run: a clear end, nothing lost, nothing left behind, and it can be resumed."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from faults.conftest import Begin
from faults.running import (
    CASES,
    COUPLED,
    COUPLED_CASES,
    DEADLINE,
    DEADLINE_S,
    LAUNCHES,
    Ended,
    Running,
    end,
    launches,
    resume,
    resumed,
    samples_of_each_case,
)
from halocline.samples.dataset import load
from launch.trace import MARK, marked, names_rank_1

pytestmark = pytest.mark.launches

CLEANED_WITHIN_S = 15.0
OF_RANK_1 = "rank 1 "
KILLED = "was killed (signal 9, Killed) at case "

Strike = Callable[[Running], None]


def to_rank(number: int) -> Strike:
    return lambda run: os.kill(run.job.ranks[1], number)


def to_launcher(number: int) -> Strike:
    return lambda run: os.kill(run.job.launcher, number)


def check_last_line(run: Running, ended: Ended, begins: str) -> None:
    """One line besides the progress: what happened, what is saved, how to go on."""
    said = [line for line in ended.said if line.startswith("halocline: ")]
    assert said == ended.said[-1:]
    reason = said[0].removeprefix("halocline: ")
    if begins.endswith(OF_RANK_1):
        label = begins.removesuffix(OF_RANK_1)
        assert reason.startswith(label) and names_rank_1(reason.removeprefix(label), ""), reason
    else:
        assert reason.startswith(begins)
    assert f"; what was measured is saved in {run.folder}; " in said[0]
    assert said[0].endswith(f"resume with `halocline run --resume {run.folder}`")
    assert "Traceback" not in "".join(ended.said)


def check_kept(run: Running) -> None:
    """What was measured before the fault is in the file, and the file is one."""
    content = run.samples.read_bytes()
    assert content.startswith(run.kept)
    assert launches(content, "complete") == [1]
    dataset = load(run.samples)
    assert dataset.launches_completed(run.label) == 1
    assert len(dataset.samples) > CASES


def check_resumed(run: Running) -> None:
    """Resuming measures what lacks, and no more."""
    before = run.samples.read_bytes()
    summary = resume(run)
    assert len(summary["cases"]) == CASES
    # Where other work preempts or moves the ranks a launch gives no figure: no fault of the run.
    usable = [load(run.samples).usable(case["id"]) for case in summary["cases"]]
    assert summary["run"]["complete"] or any(len(each) < LAUNCHES for each in usable)
    # A case is refused where other work preempts too much of it: no fault of the run.
    assert {case["status"] for case in summary["cases"]} <= {"measured", "refused"}
    after = run.samples.read_bytes()
    assert after.startswith(before)
    assert samples_of_each_case(after) == [LAUNCHES] * CASES
    assert launches(after, "start") == sorted(set(launches(after, "start")))
    assert (run.folder / "report.html").is_file()
    assert run.left() == []


FAULTS: dict[str, tuple[Strike, str]] = {
    # How it ended only the launcher knows, and it does not always get to say so.
    "SIGKILL of a rank": (to_rank(signal.SIGKILL), f"{{name}}: {OF_RANK_1}"),
    "SIGKILL of the launcher": (to_launcher(signal.SIGKILL), f"{{name}}: the launcher {KILLED}"),
    "SIGTERM of the launcher": (to_launcher(signal.SIGTERM), "{name}: "),
    "SIGSTOP of a rank": (
        to_rank(signal.SIGSTOP),
        f"{{name}}: no progress for {DEADLINE_S} s at case ",
    ),
}


# tests/python/launch has every fault on every library; here are the two that differ most.
ELSEWHERE = ("SIGKILL of a rank", "SIGKILL of the launcher")


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        *(("mpich", fault) for fault in FAULTS),
        *((name, fault) for name in ("intel", "openmpi") for fault in ELSEWHERE),
    ],
)
def test_a_launch_that_fails(name: str, fault: str, begun: Begin) -> None:
    strike, line = FAULTS[fault]
    stops = fault == "SIGSTOP of a rank"
    run = begun(name, *(DEADLINE if stops else ()))
    strike(run)
    if not stops:
        run.go_on()
    ended = end(run)
    assert ended.code == 1
    assert run.left() == []
    check_last_line(run, ended, line.format(name=name))
    check_kept(run)
    assert launches(run.samples.read_bytes(), "failure") == [2]
    assert [log.name for log in (run.folder / "jobs").iterdir()] == [f"{name}-2.log"]
    check_resumed(run)


def test_a_component_that_dies_ends_all(begun: Begin) -> None:
    """The other components wait for it: they end in time, and what was measured is kept."""
    run = begun("mpich", what=COUPLED)
    os.kill(run.job.ranks[1], signal.SIGKILL)
    ended = end(run)
    assert ended.code == 1
    assert run.left() == []
    check_last_line(run, ended, f"mpich: {OF_RANK_1}")
    content = run.samples.read_bytes()
    assert content.startswith(run.kept)
    assert launches(content, "complete") == [1]
    assert launches(content, "failure") == [2]
    assert len(load(run.samples).samples) > COUPLED_CASES


@pytest.mark.parametrize(
    ("number", "code", "word"),
    [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")],
)
def test_a_run_that_gets_a_signal(number: int, code: int, word: str, begun: Begin) -> None:
    """As a terminal does on Ctrl-C: signal every process of the command's group."""
    run = begun("mpich")
    os.killpg(run.front_end.pid, number)
    run.go_on()
    ended = end(run)
    assert ended.code == code
    assert run.left() == []
    check_last_line(run, ended, f"{word}; ")
    check_kept(run)
    assert launches(run.samples.read_bytes(), "failure") == [2]
    check_resumed(run)


def test_the_end_of_a_batch_job(begun: Begin) -> None:
    """Every process of the allocation is sent SIGTERM at once."""
    run = begun("mpich")
    for pid in marked(run.variables[MARK]):
        with contextlib.suppress(ProcessLookupError):  # the first to end take others with them
            os.kill(pid, signal.SIGTERM)
    run.go_on()
    ended = end(run)
    assert ended.code == 143
    assert run.left() == []
    check_last_line(run, ended, "terminated; ")
    check_kept(run)
    check_resumed(run)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGHUP])
def test_a_front_end_that_is_gone(number: int, begun: Begin) -> None:
    run = begun("mpich")
    run.front_end.send_signal(number)
    run.go_on()
    assert run.front_end.wait() == -number
    deadline = time.monotonic() + CLEANED_WITHIN_S
    while run.left() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert run.left() == []
    check_kept(run)
    check_resumed(run)


def test_a_full_disk(begun: Begin, small_disk: Path) -> None:
    run = begun("mpich", folder=small_disk / "run")
    filler = small_disk / "filler"
    fill(filler)
    run.go_on()
    ended = end(run)
    assert ended.code == 1
    assert run.left() == []
    check_last_line(run, ended, "no space left on the disk of ")
    check_kept(run)
    assert resumed(run.folder, run.variables).returncode == 1
    filler.unlink()
    check_resumed(run)


def fill(filler: Path) -> None:
    """Take all that is free on the disk."""
    with filler.open("wb", buffering=0) as file, pytest.raises(OSError, match="No space left"):
        while True:
            file.write(bytes(4096))
