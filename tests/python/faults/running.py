"""A run of the installed command that tests strike while its second launch is measuring."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen
from typing import Any

from launch.trace import MARK, Living, left_of, look_at

HALOCLINE = Path(sys.executable).with_name("halocline")
CASES, LAUNCHES, DEADLINE_S = 8, 2, 4
# Where the lack of progress is to end a launch; it limits the start, too.
DEADLINE = ("--deadline", f"{DEADLINE_S}s")
# No case becomes so exact, and the time is not used up: each takes the longest that it may, 0.2 s,
# in every launch, however slow the first one was.
_WHOLE = ("--half-width", "0.0001", "--budget", "10min", "--launches", str(LAUNCHES))
WORDS = (
    *("run", "pingpong", "bytes=8,1KiB,16KiB,256KiB", "protocol=send_recv,isend_irecv"),
    *_WHOLE,
)
# An ocean on rank 1, the other components of a coupled model on rank 0.
COUPLED = (
    *("run", "coupled", "arrangement=mixed", "truncation=5", "atmosphere_levels=2"),
    *("ocean_levels=2", "iterations=2", "protocol=isend_irecv,sendrecv"),
    *_WHOLE,
)
COUPLED_CASES = 2
BEGIN_S = 120.0
STARTS = 5  # of a run with a short deadline, on a machine too busy for it
NOT_STARTED = "the driver did not start within "
END_S = DEADLINE_S + 20.0  # the deadline, the grace for those that end themselves
REPORT_S = 60.0  # it is written after that, and takes what the machine gives it
POLL_S = 0.005


@dataclass(frozen=True)
class Running:
    """A run with a complete launch in its folder and the next one under way.

    Its last rank is stopped until `go_on`: however busy the machine is, this launch does not end
    before it is struck.
    """

    label: str  # of its launches
    folder: Path
    variables: Mapping[str, str]
    front_end: Popen[bytes]
    job: Living
    kept: bytes  # the samples file up to here

    @property
    def samples(self) -> Path:
        return self.folder / "samples.jsonl"

    def go_on(self) -> None:
        """Let the stopped rank do what it was about to do, unless it has ended."""
        with suppress(ProcessLookupError):
            os.kill(self.job.ranks[1], signal.SIGCONT)

    def left(self) -> list[str]:
        """What is left of the run besides its folder."""
        scratch = [str(path) for path in Path(self.variables["TMPDIR"]).iterdir()]
        return left_of(self.variables[MARK], self.job) + scratch


@dataclass(frozen=True)
class Ended:
    """How the command ended, and its lines on stderr."""

    code: int
    said: list[str]


def start(
    words: Sequence[str], folder: Path, variables: Mapping[str, str], what: Sequence[str] = WORDS
) -> Popen[bytes]:
    """Start a run as a shell does, in a process group of its own.

    `words` are those besides all runs' own, which `what` has. `variables` is its environment:
    with a mark, and a TMPDIR that is empty.
    """
    with _output(folder, "out").open("w") as stdout, _output(folder, "err").open("w") as stderr:
        return Popen(
            [HALOCLINE, *what, *words, "--output", folder],
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            process_group=0,
        )


def begin(
    words: Sequence[str], folder: Path, variables: Mapping[str, str], what: Sequence[str] = WORDS
) -> Running:
    """Start a run, and stop its second launch."""
    for _ in range(STARTS):
        with suppress(NotStarted):
            return _begin(words, folder, variables, what)
        shutil.rmtree(folder)
    raise NotStarted(folder)


class NotStarted(Exception):
    """A launch took too long to start."""


def _begin(
    words: Sequence[str], folder: Path, variables: Mapping[str, str], what: Sequence[str]
) -> Running:
    front_end = start(words, folder, variables, what)
    samples = folder / "samples.jsonl"
    deadline = time.monotonic() + BEGIN_S

    def wait_for(kind: str) -> None:
        while not (samples.exists() and 2 in launches(samples.read_bytes(), kind)):
            ended = front_end.poll()
            if ended is not None and NOT_STARTED in said(folder)[-1]:
                raise NotStarted(said(folder))
            assert ended is None and time.monotonic() < deadline, (ended, said(folder))
            time.sleep(POLL_S)

    wait_for("start")
    job = look_at(variables[MARK])
    assert sorted(job.ranks) == [0, 1]
    wait_for("samples")
    os.kill(job.ranks[1], signal.SIGSTOP)
    assert launches(samples.read_bytes(), "complete") == [1]
    kept = samples.read_bytes()
    label = json.loads(kept.partition(b"\n")[0])["label"]
    return Running(label, folder, variables, front_end, job, kept)


def end(run: Running, within_s: float = END_S) -> Ended:
    """Wait for the end of the launch, which comes within its deadline, and of the command."""
    deadline = time.monotonic() + within_s
    while Path(f"/proc/{run.job.guardian}").exists():
        assert time.monotonic() < deadline, said(run.folder)
        time.sleep(POLL_S)
    code = run.front_end.wait(timeout=REPORT_S)
    if code != 0:
        assert _output(run.folder, "out").read_text() == ""
    return Ended(code, said(run.folder))


def resume(run: Running) -> dict[str, Any]:
    """Go on with the run, which completes it; its summary."""
    done = resumed(run.folder, run.variables)
    for _ in range(STARTS):
        if NOT_STARTED not in done.stderr:
            break
        done = resumed(run.folder, run.variables)
    # Other work may leave a run without a figure: no fault of the run.
    without = done.returncode == 1 and "no figure for" in done.stderr
    assert done.returncode == 0 or without, done.stderr
    summary: dict[str, Any] = json.loads(done.stdout)
    return summary


def resumed(folder: Path, variables: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Go on with the run in a folder, wherever that leads."""
    return subprocess.run(
        [HALOCLINE, "run", "--resume", folder, "--json"],
        check=False,
        env=variables,
        capture_output=True,
        text=True,
        timeout=BEGIN_S + REPORT_S,
    )


def records(content: bytes) -> list[dict[str, Any]]:
    """The records of a samples file; its last line may have been cut off."""
    return [json.loads(line) for line in content.splitlines(keepends=True) if line.endswith(b"\n")]


def launches(content: bytes, kind: str) -> list[int]:
    """The numbers of the launches that have a record of this kind, in the file's order."""
    return [record["launch"] for record in records(content) if record["type"] == kind]


def samples_of_each_case(content: bytes) -> list[int]:
    """How many launches measured each of the cases."""
    cases = Counter(record["case"] for record in records(content) if record["type"] == "samples")
    return list(cases.values())


def said(folder: Path) -> list[str]:
    """The command's lines on stderr."""
    return _output(folder, "err").read_text().splitlines()


def _output(folder: Path, stream: str) -> Path:
    return Path(f"{folder}.{stream}")
