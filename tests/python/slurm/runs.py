"""What the tests of Slurm share: words of commands, and looking on while a run goes on."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ALLOCATION = ("salloc", "--quiet", "--nodes=2", "--exclusive")
ON_SLURM = ("--hosts", "slurm")
SHORT = ("--launches", "2", "--budget", "1s", "--output", "run")
SIZES = "bytes=8,1KiB,16KiB,256KiB"
EIGHT_CASES = ("pingpong", SIZES, "protocol=send_recv,isend_irecv", "layout=2N1P")
# No case becomes so exact, and the time is not used up: each takes the longest that it may, 0.2 s,
# in every launch, however slow the first one was.
EVERY_LAUNCH = ("--half-width", "0.0001", "--budget", "10min")
LONG = ("--launches", "30", *EVERY_LAUNCH, "--output", "run")
THREE_LAUNCHES = ("--launches", "3", *EVERY_LAUNCH)
BEGIN_S = 300.0  # other work may slow it down a lot
POLL_S = 0.05


def records(run: Path, kind: str) -> list[dict[str, Any]]:
    """The records of a kind in a run's samples file; its last line may not be all there."""
    file = run / "samples.jsonl"
    content = file.read_bytes() if file.exists() else b""
    lines = content.splitlines(keepends=True)
    found = (json.loads(line) for line in lines if line.endswith(b"\n"))
    return [record for record in found if record["type"] == kind]


def wait_for(
    what: Callable[[], bool],
    unless: subprocess.Popen[str] | None = None,
    limit_s: float = BEGIN_S,
) -> None:
    """Wait until it is so; fail if the process ends before, or after the limit."""
    deadline = time.monotonic() + limit_s
    while not what():
        ended = unless.poll() if unless else None
        assert ended is None, unless and unless.communicate()
        assert time.monotonic() < deadline
        time.sleep(POLL_S)
