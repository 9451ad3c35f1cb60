"""Runs of the installed command, one for each fault."""

from __future__ import annotations

import os
import signal
import subprocess
import uuid
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from faults.running import HALOCLINE, Running, begin
from launch.trace import MARK, marked

Begin = Callable[..., Running]
DISK = "4m"  # the report takes a quarter of it


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Where MPI libraries are kept: as `make test` says, never in the user's own home."""
    return os.environ.get("HALOCLINE_HOME") or str(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="session")
def added(home: str) -> Callable[[str], None]:
    """Makes an MPI library ready."""

    @cache
    def add(name: str) -> None:
        command: list[str | Path] = [HALOCLINE, "mpi", "add", name]
        subprocess.run(command, check=True, env={**os.environ, "HALOCLINE_HOME": home})

    return add


@pytest.fixture
def begun(tmp_path: Path, home: str, added: Callable[[str], None]) -> Iterator[Begin]:
    """Begins a run and waits until its second launch is measuring; whatever is left is killed."""
    scratch = tmp_path / "tmp"
    scratch.mkdir()
    mark = uuid.uuid4().hex

    def begin_run(name: str, folder: Path | None = None) -> Running:
        added(name)
        variables = {**os.environ, "HALOCLINE_HOME": home, "TMPDIR": str(scratch), MARK: mark}
        return begin(name, folder or tmp_path / "run", variables)

    yield begin_run
    for pid in marked(mark):
        os.kill(pid, signal.SIGKILL)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system that is soon filled."""
    if os.getuid() != 0:
        pytest.fail("mounting a small file system needs root; run: sudo -E make test")
    folder = tmp_path / "disk"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)
