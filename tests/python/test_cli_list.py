"""`halocline list`: what there is, and what each needs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import Command
from halocline.base.toolchain import Family, Toolchain


@pytest.fixture
def library(standin: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = Toolchain("old", Family.MPICH, "MPICH 3", Path("/nonexistent"), standin)
    monkeypatch.setattr("halocline.mpi.registry.toolchains", lambda: (tool,))


def test_workloads(command: Command) -> None:
    assert command("list", "workloads").out == (
        "Workloads\n"
        "  pingpong  one way at a time\n"
        "            needs 2 ranks\n"
        "            protocol=NAME, see `halocline list protocols`; default: all\n"
        "            bytes=0..1073741824 B; default: 0,8,1MiB\n"
        "  pingping  both ways at once\n"
        "            needs 2 ranks\n"
        "            protocol=NAME, see `halocline list protocols`; default: all\n"
        "            bytes=0..1073741824 B; default: 0,8,1MiB\n"
    )


def test_protocols_and_the_libraries_that_lack_them(command: Command, library: None) -> None:
    assert command("list", "protocols").out == (
        "Protocols\n"
        "  send_recv   blocking\n"
        "              needs two-sided\n"
        "  ssend_recv  synchronous\n"
        "              needs two-sided\n"
        "  isendrecv   one call\n"
        "              needs two-sided\n"
        "              not with old: it came with MPI 4\n"
    )


def test_protocols_for_programs(command: Command, library: None) -> None:
    result = json.loads(command("list", "protocols", "--json").out)
    assert result["schema"] == 1
    assert result["protocols"][2] == {
        "name": "isendrecv",
        "summary": "one call",
        "requires": ["two-sided"],
        "mpis": [],
        "lacking": {"old": "it came with MPI 4"},
    }
    assert result["protocols"][0]["mpis"] == ["old"]


def test_everything_for_programs(command: Command) -> None:
    ended = command("list", "--json")
    assert (ended.code, ended.err) == (0, "")
    result = json.loads(ended.out)
    assert list(result) == ["schema", "workloads", "protocols", "machines", "mpis"]
    assert result["workloads"][0]["axes"][1]["default"] == [0, 8, 2**20]
    assert "two-nodes" in [machine["name"] for machine in result["machines"]]
    assert [mpi["name"] for mpi in result["mpis"]] == ["mpich", "intel", "openmpi", "simgrid"]
    assert all(mpi["status"] for mpi in result["mpis"])


def test_everything_for_people(command: Command) -> None:
    out = command("list").out
    titles = [line for line in out.splitlines() if not line.startswith(" ")]
    assert titles == ["Workloads", "Protocols", "Simulated machines", "MPI libraries"]
    assert "halocline mpi add intel" in out
