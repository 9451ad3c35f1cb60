"""Each end of a job in one line, from what the guardian and the launchers say."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest

from halocline.base.toolchain import Family, Toolchain
from halocline.launch.job import Job
from halocline.launch.reasons import out_of_time, reason

JOB = Job(
    toolchain=Toolchain("name", Family.MPICH, "", Path("/mpiexec"), Path("/driver")),
    ranks=2,
    launch=1,
    cases=("a pingpong bytes=8", "b pingpong bytes=64"),
    samples=Path("/samples.jsonl"),
)
MPICH = """\
=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES
=   PID 101 RUNNING AT host
=   EXIT CODE: 9
=   CLEANING UP REMAINING PROCESSES
YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)"""
MPICH_UNKNOWN = MPICH.replace("CODE: 9", "CODE: 1").replace("(signal 9)", "(signal 1)")
# The signal at the end is of all ranks' statuses together.
MPICH_MIXED = MPICH.replace("CODE: 9", "CODE: 139").replace("(signal 9)", "(signal 27)")
MPICH_CUT = MPICH.partition("YOUR APPLICATION")[0]
INTEL = """\
=   RANK 0 PID 100 RUNNING AT host
=   KILLED BY SIGNAL: 9 (Killed)
=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES
=   RANK 1 PID 101 RUNNING AT host
=   KILLED BY SIGNAL: 11 (Segmentation fault)"""
OPENMPI_SIGNAL = """\
prterun noticed that process rank 1 with PID 101 on node host exited on
signal 9 (Killed)."""
OPENMPI_CODE = """\
mpiexec detected that one or more processes exited with non-zero status. The first to do so was:

  Process name: [[21155,1],1]
  Exit code:    3"""

LOST_CONNECTION = """\
--------------------------------------------------------------------------
PRTE has lost communication with a remote daemon.

  HNP daemon   : [prterun-host1-4711@0,0] on node host1"""


def end(cause: str = "exit", **changes: Any) -> dict[str, Any]:
    """A guardian's account of a job that ended at its second case."""
    account = {
        "cause": cause,
        "status": 0,
        "complete": False,
        "world": 2,
        "case": 2,
        "cases": 2,
        "lost": [],
        "ending": [],
        "stopped": [],
        "survivors": [],
        "errors": [],
        "output": "",
    }
    return {**account, **changes}


def lost(rank: int, status: int | None = None) -> dict[str, Any]:
    return {"rank": rank, "pid": 100 + rank, "status": status, "met_alive": True}


@pytest.mark.parametrize(
    ("account", "said"),
    [
        (end(lost=[lost(1, 9), lost(0, 9)]), "rank 1 was killed (signal 9, Killed)"),
        (end(lost=[lost(1, 3 << 8), lost(0, 9)]), "rank 1 ended early with exit code 3"),
        (end(lost=[lost(1)]), "rank 1 ended early"),
        (end(lost=[lost(1)], output=MPICH), "rank 1 was killed (signal 9, Killed)"),
        # MPICH names rank 1, which it killed itself: that says nothing of rank 0.
        (end(lost=[lost(0), lost(1)], output=MPICH), "rank 0 ended early"),
        (
            end(lost=[lost(0, 9)], ending=[lost(1)], output=MPICH),
            "rank 0 was killed (signal 9, Killed)",
        ),
        # Here rank 1 may have been the first.
        (
            end(lost=[lost(0)], ending=[lost(1)], output=MPICH),
            "rank 0 ended early as rank 1 was killed (signal 9, Killed)",
        ),
        (
            end(lost=[lost(0) | {"met_alive": False}], ending=[lost(1)], output=MPICH),
            "rank 0 ended early as rank 1 was killed (signal 9, Killed)",
        ),
        (
            end(lost=[lost(0)], ending=[lost(1)]),
            "rank 0 ended early while rank 1 was ending",
        ),
        (
            end(lost=[lost(0) | {"met_alive": False}], ending=[lost(1)]),
            "rank 0 ended early while rank 1 was ending",
        ),
        (
            end(lost=[lost(0) | {"met_alive": False}], ending=[lost(1), lost(2)]),
            "rank 0 ended early while other ranks were ending",
        ),
        (
            end(lost=[lost(1)], output=MPICH_MIXED),
            "rank 1 was killed (signal 11, Segmentation fault)",
        ),
        (end(lost=[lost(1)], output=MPICH_CUT), "rank 1 ended early"),
        (end(lost=[lost(1)], output=MPICH_UNKNOWN), "rank 1 ended early"),
        (
            end(lost=[lost(1, 9)], ending=[lost(0)], output=INTEL),
            "rank 1 was killed (signal 9, Killed)",
        ),
        (end(lost=[lost(1)], output=INTEL), "rank 1 was killed (signal 11, Segmentation fault)"),
        (end(lost=[lost(0)], output=OPENMPI_SIGNAL), "rank 1 was killed (signal 9, Killed)"),
        (end(lost=[lost(0)], output=OPENMPI_CODE), "rank 1 ended early with exit code 3"),
        (end(status=signal.SIGKILL, lost=[lost(0)]), "the launcher was killed (signal 9, Killed)"),
        (end(status=3 << 8), "ended early with exit code 3 and no completion record"),
        (end("rank", status=15, lost=[lost(1)]), "rank 1 ended early"),
        (end("guardian"), "the supervisor of the job was stopped from outside"),
        (end("total"), "not done after 600 s, the limit for a launch,"),
        (end("progress"), "no progress for 60 s"),
    ],
)
def test_the_end_at_a_case(account: dict[str, Any], said: str) -> None:
    where = " at case 2 of 2 (pingpong bytes=64)"
    assert reason(JOB, account, "no completion record") == said + where


def test_the_drivers_words_and_survivors_are_added() -> None:
    account = end(
        "progress",
        stopped=[1],
        errors=["rank 0: stuck"],
        survivors=["7", "8 on b"],
        unreached=["b"],
    )
    assert reason(JOB, account, "no completion record") == (
        "no progress for 60 s at case 2 of 2 (pingpong bytes=64): rank 1 is stopped (SIGSTOP): "
        "rank 0: stuck; these processes could not be killed: 7, 8 on b; "
        "these hosts do not answer: b"
    )


@pytest.mark.parametrize(
    ("ending", "output", "also"),
    [
        ([], MPICH, ""),
        ([lost(1)], "", " while rank 1 was ending"),
        ([lost(1)], MPICH, " as rank 1 was killed (signal 9, Killed)"),
    ],
)
def test_a_call_that_fails_may_be_for_a_rank_that_is_ending(
    ending: list[Any], output: str, also: str
) -> None:
    """Such as a read of its memory, which is gone before it is."""
    error = "rank 0: MPI_Recv(...) failed with code 1"
    account = end(lost=[lost(0, signal.SIGABRT)], ending=ending, output=output, errors=[error])
    assert reason(JOB, account, "no completion record") == (
        f"rank 0 was killed (signal 6, Aborted){also} at case 2 of 2 (pingpong bytes=64): {error}"
    )


def test_an_end_before_the_first_case() -> None:
    account = end(status=2 << 8, case=0, cases=0, world=None)
    said = "ended early with exit code 2 and no start record before the first case"
    assert reason(JOB, account, "no start record") == said
    account["output"] = LOST_CONNECTION
    assert reason(JOB, account, "no start record") == (
        f"{said}: PRTE has lost communication with a remote daemon."
    )
    account["errors"] = ["rank 0: unknown argument"]
    assert reason(JOB, account, "no start record") == f"{said}: rank 0: unknown argument"


@pytest.mark.parametrize(
    ("cause", "stopped", "long"),
    [
        ("start", [], True),
        ("progress", [], True),
        ("total", [], True),
        ("progress", [1], False),
        ("exit", [], False),
    ],
)
def test_what_may_only_take_long(cause: str, stopped: list[int], long: bool) -> None:
    assert out_of_time(end(cause, stopped=stopped)) == long
