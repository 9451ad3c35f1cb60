"""Only what is the job's own is ended and removed."""

from __future__ import annotations

import errno
import mmap
import os
import signal
import subprocess
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from halocline.launch import leftovers
from halocline.launch.elsewhere import SHARED_BEFORE
from halocline.launch.leftovers import Left, clean, make_job_directory, sweep
from halocline.launch.processes import JOB_VARIABLE, SHARED_MEMORY, job_processes


@pytest.fixture(autouse=True)
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that only this test sweeps."""
    monkeypatch.setattr(leftovers, "BASE", tmp_path)


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


def test_a_process_that_ignores_the_request_to_end_is_killed(
    job: tuple[Path, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leftovers, "TERMINATE_S", 0.2)
    with subprocess.Popen(
        ["sh", "-c", "trap '' TERM; echo ready; exec sleep 60"],
        env={**os.environ, JOB_VARIABLE: str(job[0])},
        stdout=subprocess.PIPE,
    ) as own:
        assert own.stdout is not None and own.stdout.readline() == b"ready\n"

        def reap() -> None:
            own.poll()

        assert clean(job[0], reap=reap) == Left()
        assert own.returncode == -signal.SIGKILL


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


def test_a_folder_of_another_user_stops_no_launch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be read but not searched; root may do both."""
    memory = tmp_path / "shm"
    for name in ("own", "theirs/file"):
        (memory / name).parent.mkdir(exist_ok=True, parents=True)
        (memory / name).touch()
    is_file = Path.is_file

    def refused(path: Path) -> bool:
        if path.parent.name == "theirs":
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return is_file(path)

    monkeypatch.setattr(leftovers, "SHARED_MEMORY", memory)
    monkeypatch.setattr(Path, "is_file", refused)
    directory, lock = make_job_directory()
    os.close(lock)
    assert (directory / SHARED_BEFORE).read_text() == f"{memory}/own\n"


def test_a_full_disk_leaves_no_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(record: Path, paths: Iterable[Path]) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(leftovers, "_write_paths", full)
    with pytest.raises(OSError, match="No space left"):
        make_job_directory()
    assert list(leftovers.BASE.glob(f"{leftovers.PREFIX}*")) == []


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
