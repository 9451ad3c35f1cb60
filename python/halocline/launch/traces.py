"""The traces that ranks leave in the job's directory. Standard library only."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from halocline.launch.processes import all_pids, belongs, job_processes

_BOOT = Path("/proc/sys/kernel/random/boot_id")
INITIAL = "pid:[4026531836]"  # Linux's own pid namespace, from which all processes are seen


@dataclass(frozen=True)
class Trace:
    """Where a rank is: its own pid, and the pid namespace and boot it belongs to."""

    pid: int
    boot: str  # of its machine
    namespace: str

    @property
    def on_this_machine(self) -> bool:
        return self.boot == _BOOT.read_text(encoding="ascii").strip()

    def pid_here(self, directory: Path) -> int | None:
        """The pid of the rank as this process sees it; None if it has ended or is elsewhere."""
        if not self.on_this_machine:
            return None
        if _namespace("self") == self.namespace:
            return self.pid if belongs(self.pid, directory) else None
        return next(
            (
                pid
                for pid in job_processes(directory)
                if _namespace(pid) == self.namespace and _innermost(pid) == self.pid
            ),
            None,
        )

    @property
    def is_seen(self) -> bool:
        """Whether the rank's process would be seen from here, if it had not ended: not between two
        containers of a machine. There the deadlines find a rank that has.
        """
        if not self.on_this_machine:
            return False
        own = _namespace("self")
        seen = own in (self.namespace, INITIAL)
        return seen or any(_namespace(pid) == self.namespace for pid in all_pids())


def read_trace(path: Path) -> Trace | None:
    """The trace in a file; None while incomplete."""
    first, newline, _ = path.read_text(encoding="utf-8", errors="replace").partition("\n")
    words = first.split()
    if not newline or len(words) != len(Trace.__dataclass_fields__) or not words[0].isdigit():
        return None
    return Trace(int(words[0]), *words[1:])


def _namespace(pid: int | str) -> str:
    try:
        return os.readlink(f"/proc/{pid}/ns/pid")
    except OSError:
        return ""


def _innermost(pid: int) -> int | None:
    """A process's own pid, in its innermost namespace."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(errors="replace").splitlines()
    except OSError:
        return None
    pids = (line.split()[-1] for line in lines if line.startswith("NSpid:"))
    return int(next(pids, 0)) or None
