"""The wrappers are those of the MPI standard, and of each library all that it exports."""

from __future__ import annotations

import importlib.util
import re
import subprocess
from pathlib import Path

import pytest

from halocline.profile.library import functions, profiler
from profiles.programs import LIBRARIES, Programs

CHECKOUT = Path(__file__).parents[3]
TABLE = CHECKOUT / "src/profiler/functions.inc"
# What returns a double or takes any number of arguments is not passed as machine words.
NOT_WORDS = {"Wtime", "Wtick", "Pcontrol"}


def test_table_is_what_the_standard_describes() -> None:
    script = CHECKOUT / "tools/write_mpi_functions.py"
    spec = importlib.util.spec_from_file_location("write_mpi_functions", script)
    assert spec is not None
    assert spec.loader is not None
    writer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(writer)
    assert TABLE.read_text(encoding="utf-8") == writer.table()


def test_shared_object_lists_its_table() -> None:
    listed = re.findall(r"^HALOCLINE_FUNCTION\((\w+),", TABLE.read_text(encoding="utf-8"), re.M)
    assert list(functions().names) == listed


@pytest.mark.launches
@pytest.mark.parametrize("library", LIBRARIES)
def test_each_function_of_a_library_has_a_wrapper(
    library: str, programs: Programs, tmp_path: Path
) -> None:
    program = programs.build(library, "threads.c")
    profile = programs.profile(library, program, ranks=1, folder=tmp_path / "p").profile
    symbols = subprocess.run(
        ["nm", "-D", "--defined-only", profile.mpi.path], capture_output=True, text=True, check=True
    ).stdout
    # Open MPI also exports helpers of its Fortran libraries, all in capitals.
    exported = {name for name in re.findall(r" [TW] MPI_([A-Z]\w*)$", symbols, re.M)}
    exported = {name for name in exported if not name.isupper() and not name.endswith("_F90")}
    assert len(exported) > 400
    assert exported - set(functions().names) == NOT_WORDS


def test_shared_object_needs_no_mpi_library() -> None:
    """Else it would bring a second one into the program."""
    dynamic_section = subprocess.run(
        ["readelf", "-d", profiler()], capture_output=True, text=True, check=True
    ).stdout
    needed = re.findall(r"NEEDED.*\[(.*)\]", dynamic_section)
    assert needed
    assert not [name for name in needed if "mpi" in name or "stdc++" in name]
