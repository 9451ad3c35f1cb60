"""The processes of a job, from /proc. Standard library only: the guardian uses it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

JOB_VARIABLE = "HALOCLINE_JOB_DIR"
SHARED_MEMORY = Path("/dev/shm")
# Hydra keeps the node's topology there, ignoring TMPDIR, and removes it only on a clean exit.
TOPOLOGY = "/tmp/hydra_hwloc_xmlfile_"
FLAGS = 6  # of the fields behind the command's name in /proc/PID/stat
PF_EXITING = 0x4


def job_processes(directory: Path, ancestor: int | None = None) -> dict[int, str]:
    """Living processes of the job, each with its state letter.

    These are the processes started with the job's directory in their environment, wherever they
    have moved since, and the descendants of `ancestor`.
    """
    parents: dict[int, int] = {}
    states: dict[int, str] = {}
    members: set[int] = set()
    for pid in all_pids():
        status = _status(pid)
        if status is None:
            continue
        states[pid], parents[pid] = status
        if belongs(pid, directory):
            members.add(pid)
    if ancestor is not None:
        members.update(_descendants(ancestor, parents))
    return {pid: states[pid] for pid in members if states[pid] not in "ZX"}


def belongs(pid: int, directory: Path) -> bool:
    """Whether the process was started as part of the job; false once it has ended."""
    try:
        environment = Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:  # gone, or another user's
        return False
    return os.fsencode(f"{JOB_VARIABLE}={directory}") in environment.split(b"\0")


def mapped_shared_memory(pids: Iterable[int]) -> set[Path]:
    """The files in /dev/shm that the processes map and that still have a name."""
    files = set()
    for pid in pids:
        for line in _maps(pid):
            name = line.rpartition(f" {SHARED_MEMORY}/")[2] if f" {SHARED_MEMORY}/" in line else ""
            if name and not name.endswith(" (deleted)"):
                files.add(SHARED_MEMORY / name)
    return files


def open_topologies(pids: Iterable[int]) -> set[Path]:
    """The topology files held open by the processes, including the launcher."""
    topologies = set()
    for pid in pids:
        with suppress(OSError):  # gone, or another user's
            for link in Path(f"/proc/{pid}/fd").iterdir():
                with suppress(OSError):
                    target = os.readlink(link)
                    if target.startswith(TOPOLOGY) and not target.endswith(" (deleted)"):
                        topologies.add(Path(target))
    return topologies


def mapped_by_anyone(path: Path) -> bool:
    """Whether any process that this user may inspect maps the file, under any name."""
    status = path.stat()
    device = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}"
    place = [device, str(status.st_ino)]
    return any(line.split(maxsplit=5)[3:5] == place for pid in all_pids() for line in _maps(pid))


def exit_status(pid: int) -> int | None:
    """The wait status of a process that has just ended; None once its parent has collected it."""
    fields = _stat_fields(pid)
    return int(fields[-1]) if fields and fields[0] == "Z" else None


def is_ending(pid: int) -> bool:
    """Whether a process has begun to exit, or is gone."""
    fields = _stat_fields(pid)
    return not fields or bool(int(fields[FLAGS]) & PF_EXITING)


def all_pids() -> list[int]:
    """The processes that can be seen from here."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def _stat_fields(pid: int) -> list[str]:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return []
    # The command's name is in parentheses and may contain any character.
    return text.rpartition(")")[2].split()


def _status(pid: int) -> tuple[str, int] | None:
    fields = _stat_fields(pid)
    return (fields[0], int(fields[1])) if fields else None


def _maps(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/maps").read_text(errors="surrogateescape").splitlines()
    except OSError:
        return []


def _descendants(ancestor: int, parents: dict[int, int]) -> set[int]:
    children: dict[int, list[int]] = {}
    for pid, parent in parents.items():
        children.setdefault(parent, []).append(pid)
    descendants: set[int] = set()
    waiting = [ancestor]
    while waiting:
        born = children.get(waiting.pop(), [])
        descendants.update(born)
        waiting.extend(born)
    return descendants
