"""What a job may leave behind, and its removal. Standard library only: the guardian uses it."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from halocline.launch.elsewhere import LOCK, SHARED_BEFORE, clean_hosts, other_hosts
from halocline.launch.processes import (
    SHARED_MEMORY,
    TOPOLOGY,
    job_processes,
    mapped_by_anyone,
    mapped_shared_memory,
    open_topologies,
)
from halocline.launch.steps import cancel_steps

BASE = Path("/tmp")  # short, because paths of sockets are limited to 107 bytes
PREFIX = "halocline-job-"
MAPPED = "mapped"  # shared memory mapped by the job
TOPOLOGIES = "topologies"

TERMINATE_S = 5.0
KILL_S = 5.0
POLL_S = 0.05


def make_job_directory() -> tuple[Path, int]:
    """A private directory for one job, and the lock on it: its holder keeps the job alive.

    Also lists the current files in /dev/shm: they are not the job's, even if it maps them.
    """
    directory = Path(tempfile.mkdtemp(prefix=PREFIX, dir=BASE))
    try:
        _write_paths(directory / SHARED_BEFORE, _shared_memory_files())
        new = directory / f"{LOCK}.new"
        lock = os.open(new, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX)
        new.rename(directory / LOCK)  # never visible without the lock while the job lives
    except OSError:  # a full disk: `sweep` leaves a directory without a lock alone
        shutil.rmtree(directory, ignore_errors=True)
        raise
    return directory, lock


@contextmanager
def scratch_directory() -> Iterator[Path]:
    """A private directory while the block runs; `sweep` removes it if this process is killed."""
    directory, lock = make_job_directory()
    try:
        yield directory
    finally:
        shutil.rmtree(directory)
        os.close(lock)


def note_topologies(directory: Path, pids: Iterable[int]) -> None:
    """Record the names of the launcher's files, needed if it is killed."""
    new = open_topologies(pids) - _read_paths(directory / TOPOLOGIES)
    _write_paths(directory / TOPOLOGIES, new)


def sweep() -> None:
    """Clean up after jobs whose front end and guardian were both killed."""
    for directory in BASE.glob(f"{PREFIX}*"):
        with suppress(OSError):  # still being created, in use, or being swept by another process
            if directory.lstat().st_uid != os.getuid():
                continue
            lock = os.open(directory / LOCK, os.O_RDWR | os.O_CLOEXEC)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                clean(directory)
            finally:
                os.close(lock)


@dataclass(frozen=True)
class Left:
    """What could not be cleaned up: processes, unreachable hosts."""

    processes: list[str] = field(default_factory=list)
    hosts: list[str] = field(default_factory=list)


def clean(
    directory: Path,
    *,
    ancestor: int | None = None,
    launcher: int | None = None,
    mapped: Iterable[Path] = (),
    reap: Callable[[], None] = lambda: None,
) -> Left:
    """Kill every process of the job, then remove its shared memory, files and directory.

    `launcher` is the leader of the job's process group, if it has not been collected yet; `mapped`
    the shared memory mapped by the job; `reap` collects ended children of the caller.
    """

    def living() -> dict[int, str]:
        reap()
        return job_processes(directory, ancestor)

    cancel_steps(directory)
    mapped = set(mapped)
    survivors = [str(pid) for pid in _clean_here(directory, living, launcher, mapped)]
    unreached: list[str] = []
    if other_hosts(directory):
        with suppress(OSError):  # a full disk: the ranks' own records may be enough
            _write_paths(directory / MAPPED, mapped)
        remote_survivors, unreached = clean_hosts(directory)
        survivors += remote_survivors
    shutil.rmtree(directory, ignore_errors=True)  # survivors may still write to it
    return Left(survivors, unreached)


def clean_this_host(directory: str) -> None:
    """The same on one of the job's other hosts; prints the processes that could not be ended."""
    job = Path(directory)
    mapped = _read_paths(job / MAPPED)
    print(json.dumps(_clean_here(job, lambda: job_processes(job), None, mapped)))


def _clean_here(
    directory: Path,
    living: Callable[[], dict[int, str]],
    launcher: int | None,
    mapped: set[Path],
) -> list[int]:
    processes = living()
    mapped = mapped | mapped_shared_memory(processes)
    topologies = open_topologies(processes) | _read_paths(directory / TOPOLOGIES)
    if processes:
        if launcher in processes:
            _signal(os.killpg, launcher, signal.SIGTERM)
        for pid in processes:
            if launcher is None or _group(pid) != launcher:
                _signal(os.kill, pid, signal.SIGTERM)
            _signal(os.kill, pid, signal.SIGCONT)  # a stopped process cannot end
        _wait_until_gone(living, TERMINATE_S)
        _wait_until_gone(lambda: _kill(living()), KILL_S)
    survivors = sorted(living())
    _remove_shared_memory(directory, mapped)
    _remove_topologies(topologies)
    return survivors


def _kill(processes: dict[int, str]) -> dict[int, str]:
    for pid in processes:
        _signal(os.kill, pid, signal.SIGKILL)
    return processes


def _wait_until_gone(living: Callable[[], dict[int, str]], limit_s: float) -> None:
    # Counted, because a machine that stands still ends no process meanwhile.
    for _ in range(round(limit_s / POLL_S)):
        if not living():
            return
        time.sleep(POLL_S)


def _signal(send: Callable[[int, int], None], target: int, number: int) -> None:
    with suppress(ProcessLookupError):
        send(target, number)


def _group(pid: int) -> int | None:
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return None


def _shared_memory_files() -> set[Path]:
    files = set()
    for folder, _, names in os.walk(SHARED_MEMORY):
        for path in (Path(folder, name) for name in names):
            with suppress(OSError):  # in a folder that only another user may search
                if path.is_file():
                    files.add(path)
    return files


def _write_paths(record: Path, paths: Iterable[Path]) -> None:
    if paths := sorted(paths):
        with record.open("ab") as file:
            file.write(b"".join(os.fsencode(path) + b"\n" for path in paths))


def _read_paths(record: Path) -> set[Path]:
    try:
        lines = record.read_bytes().splitlines()
    except FileNotFoundError:
        return set()
    return {Path(os.fsdecode(line)) for line in lines}


def _remove_shared_memory(directory: Path, mapped: set[Path]) -> None:
    seen = set(mapped)
    for record in directory.glob("rank-*.pid"):  # a pid, then paths
        seen |= _read_paths(record)
    for record in directory.glob(f"{SHARED_BEFORE}*"):  # one for each host
        seen -= _read_paths(record)
    for path in seen:
        if SHARED_MEMORY in path.parents and ".." not in path.parts and path.is_file():
            with suppress(FileNotFoundError, PermissionError):
                if not mapped_by_anyone(path):
                    path.unlink()


def _remove_topologies(topologies: set[Path]) -> None:
    for path in topologies:
        if str(path).startswith(TOPOLOGY):
            with suppress(FileNotFoundError, PermissionError):
                path.unlink()
