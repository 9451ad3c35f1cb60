"""Ending a program together with what it has started."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from subprocess import Popen, TimeoutExpired
from typing import Any

_POLL_S = 0.02


def end_group(leader: Popen[Any], grace_s: float) -> None:
    """SIGTERM to the whole group, SIGKILL to what is left of it after `grace_s`.

    A second interruption ends the wait. Returns once the leader has ended.
    """
    try:
        _signal(leader.pid, signal.SIGTERM)
        end_s = time.monotonic() + grace_s
        with suppress(TimeoutExpired):
            leader.wait(timeout=grace_s)
        # A script ends at once, the launcher that it has started needs time to end its ranks.
        while _signal(leader.pid, 0) and time.monotonic() < end_s:
            time.sleep(_POLL_S)
    finally:
        _signal(leader.pid, signal.SIGKILL)
        leader.wait()


def _signal(group: int, number: int) -> bool:
    """Whether the group still has a process to signal."""
    with suppress(ProcessLookupError):
        os.killpg(group, number)
        return True
    return False
