"""Runs of the installed command, one for each fault."""

from __future__ import annotations

import os
import signal
import subprocess
import uuid
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

from faults.running import HALOCLINE, WORDS, Running, begin
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
def variables(tmp_path: Path, home: str) -> Iterator[dict[str, str]]:
    """The environment of a run; whatever is left of it is killed."""
    scratch = tmp_path / "tmp"
    scratch.mkdir()
    mark = uuid.uuid4().hex
    yield {**os.environ, "HALOCLINE_HOME": home, "TMPDIR": str(scratch), MARK: mark}
    for pid in marked(mark):
        os.kill(pid, signal.SIGKILL)


@pytest.fixture
def begun(tmp_path: Path, variables: dict[str, str], added: Callable[[str], None]) -> Begin:
    """Begins a run and stops its second launch once that is measuring."""

    def begin_run(
        name: str, *words: str, folder: Path | None = None, what: Sequence[str] = WORDS
    ) -> Running:
        added(name)
        return begin((*words, "--mpi", name), folder or tmp_path / "run", variables, what)

    return begin_run


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
