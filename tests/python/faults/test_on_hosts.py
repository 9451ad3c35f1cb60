"""Whatever happens to one of two hosts: the run ends in time, keeps what it has and can go on."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from faults.conftest import Begin
from faults.running import (
    CASES,
    DEADLINE,
    DEADLINE_S,
    HALOCLINE,
    LAUNCHES,
    REPORT_S,
    Running,
    end,
    launches,
    resumed,
    said,
    samples_of_each_case,
    start,
)
from faults.test_run_and_resume import check_kept, check_last_line, check_resumed
from halocline.hosts import find
from halocline.hosts.record import standing
from halocline.launch.elsewhere import CLEAN_S
from halocline.launch.leftovers import KILL_S, TERMINATE_S
from hosts.striking import FAULTS, Scene, on
from launch.trace import MARK, marked

pytestmark = pytest.mark.launches

WORDS = ("layout=2N1P", "--hosts", "up")
# To notice it, to end what is left, and to find out which hosts do not answer.
END_S = DEADLINE_S + TERMINATE_S + KILL_S + CLEAN_S + 10.0
AN_END = r"(rank [01] (was killed|ended early)|ended early)"  # whichever is seen first
SAID = {
    "link down": rf"no progress for {DEADLINE_S} s at case ",
    "power cut of the second host": rf"{AN_END}.*; these hosts do not answer: host2; ",
    "SIGKILL of the remote proxy": r".* at case ",
}

Hosts = Callable[[str], None]


@pytest.fixture
def hosts(home: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hosts]:
    """Two hosts, and what a user types to have them anew."""
    monkeypatch.setenv("HALOCLINE_HOME", home)

    def announce(what: str) -> None:
        words = ["up", "2"] if what == "up" else [what]
        subprocess.run([HALOCLINE, "hosts", *words], check=True)

    announce("down")  # those that a run that was cut off has left
    announce("up")
    yield announce
    announce("down")


def scene(run: Running) -> Scene:
    made = standing()
    assert made is not None
    return Scene(find("up"), made, run.variables[MARK], run.job)


def shared_memory(around: Scene) -> list[str]:
    """What is left in that of the hosts that still answer."""
    alive = zip(around.hosts.names, around.made.firsts[1:], strict=True)
    names = [name for name, first in alive if first.lives]
    return [file for name in names for file in on(around.hosts, name, "ls /dev/shm").split()]


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        *(("mpich", fault) for fault in SAID),
        *((name, "power cut of the second host") for name in ("intel", "openmpi")),
    ],
)
def test_a_host_that_fails(name: str, fault: str, begun: Begin, hosts: Hosts) -> None:
    run = begun(name, *WORDS, *(DEADLINE if fault == "link down" else ()))
    around = scene(run)
    FAULTS[fault](around)
    run.go_on()
    ended = end(run, END_S)
    assert run.left() == []
    assert shared_memory(around) == []
    if ended.code == 0:  # ranks may go on without the launcher's process that started them
        assert fault == "SIGKILL of the remote proxy"
        assert launches(run.samples.read_bytes(), "complete") == list(range(1, LAUNCHES + 1))
        return
    assert ended.code == 1
    check_last_line(run, ended, f"{name} layout=2N1P: ")
    reason = ended.said[-1].removeprefix(f"halocline: {name} layout=2N1P: ")
    assert re.match(SAID[fault], reason), reason
    check_kept(run)
    assert launches(run.samples.read_bytes(), "failure") == [2]
    hosts("down")
    hosts("up")
    check_resumed(run)


def test_a_host_that_is_absent(
    variables: dict[str, str], added: Callable[[str], None], hosts: Hosts, tmp_path: Path
) -> None:
    """The run ends as it begins, with nothing measured, and goes on when the host is there."""
    added("mpich")
    made = standing()
    assert made is not None
    os.kill(made.firsts[-1].pid, signal.SIGKILL)
    folder = tmp_path / "run"
    front_end = start(("--mpi", "mpich", *WORDS), folder, variables)
    assert front_end.wait(timeout=END_S + REPORT_S) == 1
    assert said(folder)[-1].startswith(
        "halocline: mpich layout=2N1P: cannot prepare the job's hosts: host2 cannot be reached: "
        "the host host2 is down; "
    )
    hosts("down")
    hosts("up")
    done = resumed(folder, variables)
    assert done.returncode == 0, done.stderr
    content = (folder / "samples.jsonl").read_bytes()
    assert len(launches(content, "complete")) == LAUNCHES
    assert samples_of_each_case(content) == [LAUNCHES] * CASES
    assert marked(variables[MARK]) == {}
