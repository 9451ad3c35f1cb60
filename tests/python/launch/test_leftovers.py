"""Only what is the job's own is ended and removed."""

from __future__ import annotations

import mmap
import os
import signal
import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from halocline.launch.leftovers import Left, clean, make_job_directory, sweep
from halocline.launch.processes import JOB_VARIABLE, SHARED_MEMORY, job_processes


@pytest.fixture
def job() -> Iterator[tuple[Path, int]]:
    """A job's directory and the lock on it."""
    directory, lock = make_job_directory()
    yield directory, lock
    os.close(lock)
    clean(directory)


def sleeper(**environment: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(["sleep", "60"], env={**os.environ, **environment})


def shared_file() -> Path:
    path = SHARED_MEMORY / f"halocline-test-{uuid.uuid4().hex}"
    path.write_bytes(bytes(4096))
    return path


def test_a_recorded_pid_that_is_somebody_elses(job: tuple[Path, int]) -> None:
    directory, _ = job
    own, other = sleeper(**{JOB_VARIABLE: str(directory)}), sleeper()
    (directory / "rank-0.pid").write_text(f"{own.pid}\n")
    (directory / "rank-1.pid").write_text(f"{other.pid}\n")
    assert set(job_processes(directory)) == {own.pid}

    def reap() -> None:
        own.poll()

    assert clean(directory, reap=reap) == Left()
    assert own.returncode == -signal.SIGTERM
    assert other.poll() is None
    other.kill()
    other.wait()


def test_recorded_shared_memory_is_removed(job: tuple[Path, int]) -> None:
    path = shared_file()
    (job[0] / "rank-0.pid").write_text(f"1\n{path}\n")
    clean(job[0])
    assert not path.exists()


def test_shared_memory_that_another_process_maps_stays(job: tuple[Path, int]) -> None:
    path = shared_file()
    (job[0] / "rank-0.pid").write_text(f"1\n{path}\n")
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 4096):
        clean(job[0])
        assert path.exists()
    path.unlink()


def test_shared_memory_that_was_there_before_the_job_stays() -> None:
    path = shared_file()
    directory, lock = make_job_directory()
    (directory / "rank-0.pid").write_text(f"1\n{path}\n")
    clean(directory)
    os.close(lock)
    assert path.exists()
    path.unlink()


def test_files_elsewhere_stay(job: tuple[Path, int], tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("")
    up = SHARED_MEMORY / ".." / ".." / path.relative_to("/")
    (job[0] / "rank-0.pid").write_text(f"1\n{path}\n{up}\n")
    clean(job[0])
    assert path.exists()


def test_sweep_leaves_a_living_job_alone(job: tuple[Path, int]) -> None:
    sweep()
    assert job[0].is_dir()


def test_sweep_removes_a_job_that_nobody_holds() -> None:
    directory, lock = make_job_directory()
    os.close(lock)
    sweep()
    assert not directory.exists()
