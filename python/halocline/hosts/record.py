"""What is known of hosts that were made of namespaces: the file that tells of them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from halocline.paths import data_home

RECORD, AGENT, ENTER = "hosts.json", "agent", "enter"
LOGIN = "login"
SCHEMA = 1
_POLL_S = 0.01


@dataclass(frozen=True)
class Process:
    """A process and when it began, in ticks since the boot: a pid may later be another's."""

    pid: int
    began: int

    @property
    def lives(self) -> bool:
        return started(self.pid) == self.began


@dataclass(frozen=True)
class Made:
    """Hosts made of namespaces; `firsts` are their first processes, the login host's the first."""

    folder: Path
    boot: str
    rate: str
    names: tuple[str, ...]
    addresses: tuple[str, ...]
    keeper: Process
    firsts: tuple[Process, ...]

    @property
    def stands(self) -> bool:
        """Whether its network is there; single hosts may have lost their power."""
        return self.boot == boot() and self.keeper.lives


def standing_folder() -> Path:
    """Where the hosts of `halocline hosts up` are recorded."""
    return data_home() / "hosts"


def standing() -> Made | None:
    """The hosts that `halocline hosts up` made, if they still stand."""
    made = read(standing_folder())
    return made if made and made.stands else None


def write(made: Made) -> None:
    """Record the hosts in their folder, all at once."""
    new = made.folder / f"{RECORD}.new"
    content = {"schema": SCHEMA, **asdict(made), "folder": str(made.folder)}
    new.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    new.rename(made.folder / RECORD)


def read(folder: Path) -> Made | None:
    """The hosts recorded in a folder, whether they still stand or not."""
    # Only here: the keeper, which runs in a bare interpreter, has the standard library alone.
    from halocline.reading import converted, decoded  # noqa: PLC0415

    with suppress(FileNotFoundError, ValueError):
        told = decoded((folder / RECORD).read_bytes(), dict[str, Any])
        if told.pop("schema", None) == SCHEMA:
            return converted({**told, "folder": str(folder)}, Made)
    return None


def boot() -> str:
    """Which boot of this machine it is."""
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="utf-8").strip()


def started(pid: int) -> int | None:
    """When a process began; None if it is no more."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    state, *fields = text.rpartition(")")[2].split()
    return None if state in "ZX" else int(fields[18])


def wait_until_ended(made: Made, limit_s: float) -> bool:
    """Whether nothing is left of the hosts after at most this time."""
    deadline = time.monotonic() + limit_s
    while left := any(process.lives for process in _processes(made)):
        if time.monotonic() > deadline:
            break
        time.sleep(_POLL_S)
    return not left


def _processes(made: Made) -> Iterator[Process]:
    yield made.keeper
    yield from made.firsts
