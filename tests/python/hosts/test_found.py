"""Hosts by name, from a hostfile, from Slurm's allocation."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from halocline.base.errors import UserError
from halocline.hosts import Hosts, find
from halocline.hosts.found import SLURM_AGENT

SCONTROL = """#!/bin/sh
[ "$*" = "show hostnames n[1-2]" ] || { echo "Invalid hostlist: $3" >&2; exit 1; }
printf 'n1\\nn2\\n'
"""


def test_names() -> None:
    assert find("a,node-2.cluster") == Hosts(("a", "node-2.cluster"))


def test_more_names_than_a_path_may_have_letters() -> None:
    names = tuple(f"node{number:04}" for number in range(64))
    assert find(",".join(names)) == Hosts(names)


@pytest.mark.parametrize(
    "text", ["a\nb\n", "a slots=2\nb slots=4 max_slots=8\n", "a:2\nb:1\n", "# two\na # 1\n\n b\n"]
)
def test_a_hostfile(tmp_path: Path, text: str) -> None:
    file = tmp_path / "hostfile"
    file.write_text(text)
    assert find(str(file)) == Hosts(("a", "b"))


def test_a_file_of_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "nodes").write_text("a\n")
    monkeypatch.chdir(tmp_path)
    assert find("nodes") == Hosts(("a",))


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ("a,a", "--hosts: the host a is named twice; name each once; the layout sets the"),
        (
            "a,,b",
            "--hosts: '' is not a host name; allowed: names (a,b), a hostfile's path, slurm, up",
        ),
        ("-oProxyCommand=x", "--hosts: '-oProxyCommand=x' is not a host name; allowed: names"),
        ("user@a", "--hosts: 'user@a' is not a host name; allowed: names"),
        ("/nowhere/hosts", "the hostfile /nowhere/hosts cannot be read: No such file or directory"),
    ],
)
def test_what_names_no_hosts(spec: str, problem: str) -> None:
    with pytest.raises(UserError) as caught:
        find(spec)
    assert str(caught.value).startswith(problem)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a\nb slots=two\n", ":2: 'b slots=two' is not a host name; allowed: "),
        ("a\na\n", ": the host a is named twice; "),
        ("\n", ": no host is named; allowed: "),
        (b"\xff\xfe", " cannot be read: not a text file; allowed: "),
    ],
)
def test_a_hostfile_that_names_no_hosts(tmp_path: Path, text: str | bytes, problem: str) -> None:
    file = tmp_path / "hostfile"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(UserError) as caught:
        find(str(file))
    assert f"{file}{problem}" in str(caught.value)


@pytest.fixture
def scontrol(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bin/scontrol"
    program.parent.mkdir()
    program.write_text(SCONTROL)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")


@pytest.mark.usefixtures("scontrol")
def test_the_allocation_of_slurm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURM_JOB_NODELIST", "n[1-2]")
    found = find("slurm")
    assert found == Hosts(("n1", "n2"), agent=SLURM_AGENT)
    assert os.access(SLURM_AGENT, os.X_OK)


@pytest.mark.usefixtures("scontrol")
def test_an_allocation_that_slurm_does_not_understand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURM_JOB_NODELIST", "n[1-")
    with pytest.raises(UserError, match=r"scontrol cannot expand n\[1-: Invalid host"):
        find("slurm")


def test_no_allocation(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SLURM_JOB_NODELIST", "SLURM_NODELIST"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(UserError, match="--hosts slurm: not inside a Slurm allocation: "):
        find("slurm")


def test_no_slurm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURM_JOB_NODELIST", "n1")
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(UserError, match="scontrol cannot expand n1: No such file"):
        find("slurm")
