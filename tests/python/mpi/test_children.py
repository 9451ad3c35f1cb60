from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from halocline.mpi.children import Finished, callers_settings, clean_environment, run, stream

LATE_AFTER_S = (1, 2, 4)  # the first in which the child has begun


def test_no_library_variable_reaches_a_child(monkeypatch: pytest.MonkeyPatch) -> None:
    foreign = ["LD_LIBRARY_PATH", "FI_PROVIDER_PATH", "I_MPI_ROOT", "OMPI_MCA_btl", "UCX_TLS"]
    jobs = ["PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_SIZE", "HYDI_CONTROL_FD"]
    for name in [*foreign, *jobs, "CXXFLAGS"]:
        monkeypatch.setenv(name, "of-another-library")
    monkeypatch.setenv("UNRELATED", "kept")
    environment = clean_environment({"FI_PROVIDER_PATH": "own"})
    assert {name: environment.get(name) for name in [*foreign, *jobs, "CXXFLAGS"]} == {
        name: "own" if name == "FI_PROVIDER_PATH" else None
        for name in [*foreign, *jobs, "CXXFLAGS"]
    }
    assert environment["UNRELATED"] == "kept"


def test_callers_settings_are_those_of_libraries_only(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name in callers_settings()]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("UCX_TLS", "tcp")
    monkeypatch.setenv("LD_LIBRARY_PATH", "/site/lib")
    monkeypatch.setenv("PMI_RANK", "0")
    monkeypatch.setenv("OMPI_COMM_WORLD_RANK", "0")
    assert callers_settings() == {"UCX_TLS": "tcp", "LD_LIBRARY_PATH": "/site/lib"}


def test_a_late_child_is_ended_with_its_own_children(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    pid_file.write_text("")
    for timeout_s in LATE_AFTER_S:
        done = run(["sh", "-c", f"sleep 600 & echo $! > {pid_file}; wait"], timeout_s=timeout_s)
        if pid_file.read_text():
            break
    assert done.returncode is None
    assert done.complaint == "it timed out"
    assert _gone(int(pid_file.read_text()))


def test_a_late_stream_is_ended_and_its_log_kept(tmp_path: Path) -> None:
    lines: list[str] = []
    log = tmp_path / "log"
    command = ["sh", "-c", "echo begun; sleep 600"]
    for timeout_s in LATE_AFTER_S:
        done = stream(command, timeout_s=timeout_s, log=log, on_line=lines.append)
        if lines:
            break
    assert (done.returncode, lines, log.read_text()) == (None, ["begun"], "begun\n")


def test_a_program_that_cannot_start_is_no_exception(tmp_path: Path) -> None:
    nothing = tmp_path / "nothing"
    expected = Finished(127, "", f"{nothing}: No such file or directory")
    assert run([nothing], timeout_s=1) == expected
    assert stream([nothing], timeout_s=1, log=tmp_path / "log", on_line=print) == expected


@pytest.mark.parametrize(
    ("stdout", "stderr", "complaint"),
    [
        ("", "note: x\na.cpp:1: error: no mpi.h\nmore", "a.cpp:1: error: no mpi.h"),
        ("halocline: started ranks=2\nlast words\n", "", "last words"),
        ("", "", "it exited with code 3 without a message"),
    ],
)
def test_the_complaint_is_the_line_that_says_most(stdout: str, stderr: str, complaint: str) -> None:
    assert Finished(3, stdout, stderr).complaint == complaint


def _gone(pid: int) -> bool:
    """Whether the process ends within ten seconds (a zombie has ended)."""
    for _ in range(1000):
        try:
            status = Path(f"/proc/{pid}/stat").read_text()
        except OSError:
            return True
        if status.split()[2] == "Z":
            return True
        time.sleep(0.01)
    return False
