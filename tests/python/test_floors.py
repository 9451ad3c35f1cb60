"""The house stands: every file is on its floor, short enough to read, and in its catalogue."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from floors import (
    PYTHON_FLOORS,
    catalogued,
    cpp_files,
    cpp_violations,
    defined,
    python_violations,
)

CHECKOUT = Path(__file__).parents[2]
CPP = CHECKOUT / "src/halocline"
PYTHON = CHECKOUT / "python/halocline"
LINES_MAXIMUM = 450


def test_cpp_files_include_only_lower_floors() -> None:
    assert list(cpp_violations(CPP)) == []


def test_python_modules_import_only_lower_floors() -> None:
    assert list(python_violations(PYTHON)) == []


def test_each_python_floor_is_a_package_that_says_what_it_holds() -> None:
    packages = {folder.name for folder in PYTHON.iterdir() if (folder / "__init__.py").exists()}
    assert sorted(PYTHON_FLOORS) == sorted(packages)
    for name in packages:
        tree = ast.parse((PYTHON / name / "__init__.py").read_text(encoding="utf-8"))
        assert ast.get_docstring(tree), f"halocline.{name} has no docstring"


def test_contributing_lists_the_python_packages_in_their_order() -> None:
    text = (CHECKOUT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text.partition("| package | holds |")[2].partition("\n\n")[0]
    assert tuple(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == PYTHON_FLOORS


def test_source_files_can_be_read_in_one_sitting() -> None:
    files = [
        *cpp_files(CHECKOUT / "src"),
        *cpp_files(CHECKOUT / "tests"),
        *(CHECKOUT / "src").rglob("*.f90*"),
        *(CHECKOUT / "python").rglob("*.py"),
        *(CHECKOUT / "tests").rglob("*.py"),
    ]
    lengths = {
        str(file.relative_to(CHECKOUT)): len(file.read_text(encoding="utf-8").splitlines())
        for file in files
    }
    assert {name: lines for name, lines in lengths.items() if lines > LINES_MAXIMUM} == {}


def test_tests_of_one_process_that_start_threads_run_under_the_thread_sanitizer() -> None:
    tests = [
        file for file in (CHECKOUT / "tests/src").rglob("*_test.cpp") if "_mpi" not in file.name
    ]
    starting = re.compile(r'#include (<thread>|"halocline/base/workers\.hpp")')
    with_threads = {file.name for file in tests if starting.search(file.read_text("utf-8"))}
    named = {file.name for file in tests if file.name.endswith("_threads_test.cpp")}
    assert with_threads == named  # tests/src/CMakeLists.txt takes those with the name
    assert named


@pytest.mark.parametrize(("folder", "kind"), [("protocol", "Protocol"), ("workload", "Workload")])
def test_catalogue_lists_what_is_defined_one_file_each(folder: str, kind: str) -> None:
    objects = defined(CPP / folder, kind)
    names = catalogued(CPP / folder / "catalogue.inc")
    assert sorted(names) == sorted(objects)
    assert objects == {name: f"{name} {name}" for name in objects}


@pytest.mark.parametrize(
    ("file", "text", "problem"),
    [
        ("base/a.hpp", '#include "halocline/mpi/b.hpp"', "base/ may not include mpi/"),
        ("layout/a.hpp", '#include "halocline/mpi/b.hpp"', "layout/ may not include mpi/"),
        ("route/a.cpp", "#include <mpi.h>", "only mpi/ may include <mpi.h>"),
        ("route/a.cpp", "MPI_Comm world;", "MPI_Comm belongs into mpi/"),
        ("route/a.cpp", "auto raw = world.handle();", "only mpi/ may ask for an MPI handle()"),
        ("mpi/a.cpp", "#ifdef MPICH", "the conditional on MPICH belongs into mpi/compat/"),
        ("api/a.cpp", "MPI_Comm world;\nMPI_Send(1);", "MPI_Send belongs into mpi/"),
        ("attic/a.cpp", "", "no floor is called attic"),
    ],
)
def test_cpp_violation_is_found(tmp_path: Path, file: str, text: str, problem: str) -> None:
    (tmp_path / file).parent.mkdir()
    (tmp_path / file).write_text(text)
    (found,) = cpp_violations(tmp_path)
    assert found.startswith(f"{file}: {problem}")


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("bundle/a.cpp", '#include "halocline/route/b.hpp"\n#include "halocline/bundle/c.hpp"'),
        ("route/a.cpp", '// MPI_Comm is not named here\nauto text = "MPI_Send";'),
        ("mpi/compat/a.hpp", "#include <mpi.h>\n#if MPI_VERSION >= 4\n#endif"),
        ("api/a.h", "#ifdef __cplusplus\n#endif"),
        ("api/b.h", "#include <mpi.h>\nint create(MPI_Comm ranks);"),
    ],
)
def test_what_is_allowed_in_cpp_is_not_found(tmp_path: Path, file: str, text: str) -> None:
    (tmp_path / file).parent.mkdir(parents=True)
    (tmp_path / file).write_text(text)
    assert list(cpp_violations(tmp_path)) == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("import halocline.cli.main", "summary.stats may not import cli.main"),
        ("from halocline.cli import main", "summary.stats may not import cli.main"),
        (
            "def f():\n    from halocline.compare.run import go",
            "summary.stats may not import compare.run",
        ),
        ("from halocline import report", "summary.stats may not import report"),
    ],
)
def test_python_violation_is_found(tmp_path: Path, text: str, problem: str) -> None:
    for module in ("compare/run", "cli/main", "report/__init__", "summary/stats"):
        (tmp_path / module).parent.mkdir(exist_ok=True)
        (tmp_path / f"{module}.py").write_text("")
    (tmp_path / "summary/stats.py").write_text(text)
    assert list(python_violations(tmp_path)) == [problem]


def test_module_without_a_floor_is_found(tmp_path: Path) -> None:
    (tmp_path / "attic.py").write_text("")
    (found,) = python_violations(tmp_path)
    assert found.startswith("attic: has no floor")
