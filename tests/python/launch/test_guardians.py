"""Guardians are forked by one process for all jobs of a front end; nothing depends on it."""

from __future__ import annotations

import os
import select
import signal
import socket
import time
from dataclasses import replace
from pathlib import Path

import pytest

from halocline.launch.guardians import guardian
from halocline.launch.job import Progress
from halocline.launch.run_job import run_job
from launch.trace import (
    CASES,
    Living,
    MakeJob,
    gated,
    left_over,
    look,
    names_rank_1,
    open_gate,
    parent,
)

pytestmark = [pytest.mark.launches, pytest.mark.waits]


def served(job_number: int, make_job: MakeJob, strikes: bool = False) -> tuple[int, int]:
    """The pids of a job's guardian and of the process that forked it, which may be killed then."""
    job = gated(make_job(launch=job_number, cases=CASES[:3]), 2)
    living: list[Living] = []
    server: list[int] = []

    def on_progress(progress: Progress) -> None:
        if progress.case == 2:
            living.append(look(job))
            server.append(parent(living[0].guardian))
            if strikes:
                os.kill(server[0], signal.SIGKILL)
            open_gate(job)

    outcome = run_job(job, on_progress)
    assert outcome.ok, outcome.reason
    assert left_over(job, living[0]) == []
    return living[0].guardian, server[0]


def test_jobs_share_the_process_that_forks_their_guardians(make_job: MakeJob) -> None:
    first, server = served(1, make_job)
    second, same = served(2, make_job)
    assert first != second
    assert server == same
    assert parent(server) == os.getpid()


def test_without_the_process_that_forks_guardians(make_job: MakeJob) -> None:
    """A job under way goes on, and the next one has a new process that forks its guardian."""
    _, killed = served(1, make_job, strikes=True)
    guardian, server = served(2, make_job)
    assert server != killed
    deadline_s = time.monotonic() + 10.0
    while Path(f"/proc/{guardian}").exists():  # its pipes are closed a moment before it is gone
        assert time.monotonic() < deadline_s
        time.sleep(0.01)


def test_a_rank_that_ends_after_its_launcher_is_named(make_job: MakeJob, tmp_path: Path) -> None:
    """A rank's pipes close before it is gone; where cores are busy its launcher may end between."""
    job = gated(make_job(cases=CASES[:3]), 2)
    launcher = tmp_path / "launcher"
    launcher.write_text(
        f'#!/bin/sh\ntrap "exit 1" USR1\n{job.toolchain.launcher} "$@" &\nwait\n', encoding="utf-8"
    )
    launcher.chmod(0o755)
    job = replace(job, toolchain=replace(job.toolchain, launcher=launcher))

    def on_progress(progress: Progress) -> None:
        if progress.case == 2:
            living = look(job)
            os.kill(living.launcher, signal.SIGUSR1)
            while Path(f"/proc/{living.launcher}").exists():  # until its guardian has seen its end
                time.sleep(0.01)
            os.kill(living.ranks[1], signal.SIGKILL)

    outcome = run_job(job, on_progress)
    assert names_rank_1(outcome.reason, "was killed (signal 9, Killed) at case 2 of 3")


def test_an_answer_that_nobody_waited_for_is_not_taken_for_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(*_: object) -> int:
        send_fds(*_)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    send_fds = socket.send_fds
    lock = os.open("/dev/null", os.O_RDONLY)
    with monkeypatch.context() as patched:
        patched.setattr("halocline.launch.guardians.socket.send_fds", interrupted)
        with pytest.raises(KeyboardInterrupt):
            guardian(lock)
    first, second = guardian(lock), guardian(lock)
    second.kill()
    assert select.select([second.stdout], [], [], 10.0)[0]
    assert not select.select([first.stdout], [], [], 0.1)[0]
    for each in (first, second):
        each.rest(10.0)
        each.close()
    os.close(lock)


def test_a_front_end_that_forks_leaves_the_process_to_its_parent(make_job: MakeJob) -> None:
    _, server = served(1, make_job)
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if _server_of_a_new_guardian() != server else 1)
        finally:  # never back into the tests of the parent
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    assert served(2, make_job)[1] == server


def _server_of_a_new_guardian() -> int:
    lock = os.open("/dev/null", os.O_RDONLY)
    started = guardian(lock)
    server = parent(started.pid)
    started.rest(10.0)
    return server
