"""The record of hosts made of namespaces, in a file."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from halocline.base.files import replace
from halocline.base.paths import data_home

RECORD, AGENT, ENTER = "hosts.json", "agent", "enter"
LOGIN = "login"
SCHEMA = 1
_POLL_S = 0.01


@dataclass(frozen=True)
class Process:
    """A process and its start, in ticks since boot: pids are reused."""

    pid: int
    began: int

    @property
    def lives(self) -> bool:
        return started(self.pid) == self.began


@dataclass(frozen=True)
class Made:
    """Hosts made of namespaces; `firsts` are their first processes, the login host's first."""

    folder: Path
    boot: str
    rate: str
    names: tuple[str, ...]
    addresses: tuple[str, ...]
    keeper: Process
    firsts: tuple[Process, ...]

    @property
    def stands(self) -> bool:
        """Whether their network is up; individual hosts may be down."""
        return self.boot == boot() and self.keeper.lives


def standing_folder() -> Path:
    """Where the hosts of `halocline hosts up` are recorded: homes are shared by machines, and by
    containers, whose processes have numbers of their own."""
    own = boot()
    with suppress(OSError):  # a kernel without such namespaces
        own += f"-{os.stat('/proc/self/ns/pid').st_ino}"
    return data_home() / "hosts" / own


def standing() -> Made | None:
    """The hosts started by `halocline hosts up`, if they are still up."""
    hosts = read(standing_folder())
    return hosts if hosts and hosts.stands else None


def write(made: Made) -> None:
    """Record the hosts in their folder, atomically."""
    content = {"schema": SCHEMA, **asdict(made), "folder": str(made.folder)}
    replace(made.folder / RECORD, json.dumps(content, indent=2) + "\n")


def read(folder: Path) -> Made | None:
    """The hosts recorded in a folder, whether or not they are still up."""
    # Imported late: the keeper runs in a bare interpreter with only the standard library.
    from halocline.base.reading import converted, decoded  # noqa: PLC0415

    with suppress(FileNotFoundError, ValueError):
        record = decoded((folder / RECORD).read_bytes(), dict[str, Any])
        if record.pop("schema", None) == SCHEMA:
            return converted({**record, "folder": str(folder)}, Made)
    return None


def boot() -> str:
    """The boot identifier of this machine."""
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="utf-8").strip()


def started(pid: int) -> int | None:
    """The start time of a process; None if it has exited."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    state, *fields = text.rpartition(")")[2].split()
    return None if state in "ZX" else int(fields[18])


def wait_until_ended(made: Made, limit_s: float) -> bool:
    """Whether the hosts are gone within this time."""
    deadline = time.monotonic() + limit_s
    while left := any(process.lives for process in _processes(made)):
        if time.monotonic() > deadline:
            break
        time.sleep(_POLL_S)
    return not left


def _processes(made: Made) -> Iterator[Process]:
    yield made.keeper
    yield from made.firsts
