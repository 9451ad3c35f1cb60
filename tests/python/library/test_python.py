"""The Python interface, on ranks of the MPI that mpi4py runs on."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from library.conftest import Ranks

pytestmark = pytest.mark.launches

HERE = Path(__file__).parent
CASES = [
    (program, case)
    for program in ("moves.py", "mistakes.py")
    for case in re.findall(
        r"^def (\w+)\(\) -> None:", (HERE / program).read_text("utf-8"), re.MULTILINE
    )
]


def _imported(**variables: str) -> subprocess.CompletedProcess[str]:
    program = "from halocline.redistribution import Layout, even; print(Layout([even(4, 2)]).shape)"
    return subprocess.run(
        [sys.executable, "-c", program],
        check=False,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("ranks", [1, 2, 3])
@pytest.mark.parametrize(("program", "case"), CASES)
def test_ranks_find_everything_right(program: str, case: str, ranks: int, on_ranks: Ranks) -> None:
    assert on_ranks(ranks, program, case) == [f"{case}: right on {ranks} ranks"]


@pytest.mark.usefixtures("python_library")
def test_the_library_that_was_built_is_found() -> None:
    done = _imported()
    assert (done.stdout, done.returncode) == ("(4,)\n", 0), done.stderr


def test_a_library_that_is_named_is_taken(python_library: Path, tmp_path: Path) -> None:
    done = _imported(HALOCLINE_LIBRARY=str(python_library), HALOCLINE_HOME=str(tmp_path))
    assert (done.stdout, done.returncode) == ("(4,)\n", 0), done.stderr


def test_without_a_library_the_error_names_the_command_that_builds_it(tmp_path: Path) -> None:
    done = _imported(HALOCLINE_HOME=str(tmp_path))
    assert done.returncode == 1
    (line,) = re.findall(r"^halocline\.base\.errors\.UserError: (.*)$", done.stderr, re.MULTILINE)
    assert "libmpi.so.12, used by mpi4py" in line
    assert "build it: python -m halocline.redistribution" in line


def test_a_library_for_another_mpi_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "libhalocline.so"
    other.write_bytes(b"\x7fELF\0libmpi.so.40\0")
    done = _imported(HALOCLINE_LIBRARY=str(other))
    assert (
        f"HALOCLINE_LIBRARY: {other} is built for libmpi.so.40, but mpi4py runs on" in done.stderr
    )


def test_a_library_that_is_not_there_is_reported(tmp_path: Path) -> None:
    done = _imported(HALOCLINE_LIBRARY=str(tmp_path / "none.so"))
    assert "none.so cannot be read: No such file or directory; name the file" in done.stderr


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_an_ocean_goes_to_the_atmospheres_decomposition(ranks: int, on_ranks: Ranks) -> None:
    assert on_ranks(ranks, "ocean.py") == ["64 blocks, 6 variables: all right"]
