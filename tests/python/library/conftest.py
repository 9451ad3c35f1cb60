"""The redistribution library, built once for the MPI that mpi4py runs on."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

MPIEXEC = Path(sys.executable).with_name("mpiexec")
TIMEOUT_S = 120

Ranks = Callable[..., list[str]]


@pytest.fixture(scope="session")
def python_library() -> Path:
    """Where `python -m halocline.redistribution` says that the library is."""
    done = subprocess.run(
        [sys.executable, "-m", "halocline.redistribution"],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return Path(done.stdout.strip())


@pytest.fixture
def on_ranks(python_library: Path, tmp_path: Path) -> Ranks:
    """Runs a program of this folder on so many ranks, in a folder of its own; gives the lines."""

    def run(ranks: int, program: str, *arguments: str) -> list[str]:
        file = Path(__file__).with_name(program)
        done = subprocess.run(
            [MPIEXEC, "-n", str(ranks), sys.executable, "-m", "mpi4py", file, *arguments],
            check=False,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.splitlines()

    return run
