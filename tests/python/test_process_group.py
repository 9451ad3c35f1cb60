"""Ending programs that have started others."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from halocline.base.process_group import end_group

# A script that waits for a launcher, which ends its ranks before itself.
LAUNCHER = (
    "trap 'sleep 0.2; echo cleaned >&3; exit' TERM; echo started >&4; while :; do sleep 1; done"
)


def started(folder: Path, launcher: str) -> subprocess.Popen[bytes]:
    """The script, once its launcher has started."""
    os.mkfifo(folder / "begun")
    script = f'exec 3> log 4> begun; sh -c "{launcher}" & exec 4>&-; wait'
    leader = subprocess.Popen(["sh", "-c", script], cwd=folder, start_new_session=True)
    with (folder / "begun").open() as begun:
        assert begun.readline() == "started\n"
    return leader


def test_what_a_script_has_started_has_time_to_end(tmp_path: Path) -> None:
    leader = started(tmp_path, LAUNCHER)
    end_group(leader, grace_s=60.0)
    assert leader.returncode == -signal.SIGTERM
    assert (tmp_path / "log").read_text() == "cleaned\n"


def test_a_second_interruption_ends_the_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leader = started(tmp_path, "trap '' TERM; echo started >&4; exec sleep 600 4>&-")

    def interrupted(_: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("time.sleep", interrupted)
    with pytest.raises(KeyboardInterrupt):
        end_group(leader, grace_s=60.0)
    monkeypatch.undo()
    with pytest.raises(ProcessLookupError):
        for _ in range(1000):  # init reaps it
            os.killpg(leader.pid, 0)
            time.sleep(0.01)
