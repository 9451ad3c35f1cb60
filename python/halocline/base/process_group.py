"""Ending a program together with what it has started."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from subprocess import Popen, TimeoutExpired
from typing import Any


def end_group(leader: Popen[Any], grace_s: float) -> None:
    """SIGTERM to the whole group, SIGKILL to what is left of it, and wait for its leader."""
    with suppress(ProcessLookupError):
        os.killpg(leader.pid, signal.SIGTERM)
        with suppress(TimeoutExpired):
            leader.wait(timeout=grace_s)
        os.killpg(leader.pid, signal.SIGKILL)
    leader.wait()
