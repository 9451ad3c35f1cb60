"""What commands print as JSON has the keys, types and words of its reference, and no others."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from inspect import getsource
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from conftest import Command
from documents import CHECKOUT, Tables, tables_in
from findings.scenarios import SCENARIOS
from halocline.cli.detect import What
from halocline.detect.changes import Kind as ChangeKind
from halocline.doctor import Severity, grant, host
from halocline.findings.claim import Status, Verdict
from halocline.hosts.record import Made, Process
from halocline.launch import mock
from halocline.mpi.registry import Known
from halocline.mpi.registry import Status as LibraryStatus
from halocline.profile import merge
from halocline.profile.functions import Kind
from halocline.profile.profile import Abi
from halocline.specification.catalogue import Axis
from halocline.verify.combinations import Status as Verified
from profiles.model import model, on_cores
from test_cli_detect import driver_catalogue
from test_doctor import changed
from test_verify import TOOL, driver

__all__ = ["driver_catalogue"]

PAGE = (CHECKOUT / "docs/reference/answers-json.md").read_text(encoding="utf-8")
WORDS: dict[type, str] = {str: "text", bool: "true or false", int: "integer|number"}
WORDS |= {float: "number", list: "list", type(None): "null"}
MOCK = ("--machine", "mock:1us", "--launches", "4", "--json")


def used(tables: Tables, value: Any, what: str, kind: str, at: str) -> Iterator[str]:
    """The tables of the objects in an answer; they have its keys, and their values its types."""
    if not isinstance(value, dict):
        assert re.search(rf"\b({WORDS[type(value)]})s?\b", kind), f"{at} is {value!r}, not {kind}"
        for item in value if isinstance(value, list) else ():
            yield from used(tables, item, what, kind, f"{at}[]")
    elif " by " not in kind:  # those have the keys of a user's settings or axes
        shared = [name for name in tables if name and re.search(rf"\b{re.escape(name)}s?\b", kind)]
        names = [name for name in (at, f"{at} of {what}", *shared) if name in tables]
        assert names and sorted(value) == sorted(tables[names[0]]), f"{at}: {sorted(value)}"
        yield names[0]
        for key, inner in value.items():
            yield from used(tables, inner, what, tables[names[0]][key][0], f"{at}.{key}".strip("."))


def compare(command: str, answers: list[str], **words: Iterable[str]) -> None:
    """The answers use every table; the example is one too; rows of these keys list these words."""
    section = PAGE.partition(f"\n## `halocline {command} --json`\n")[2].partition("\n## ")[0]
    tables, seen = tables_in(section), set[str]()
    (example,) = re.findall(r"```json\n(.*?)```", section, re.DOTALL)
    for text in (*answers, example):
        answer = json.loads(text, parse_constant=lambda number: pytest.fail(f"{number} in JSON"))
        seen |= set(used(tables, answer, answer.get("what", ""), "object", ""))
    assert seen == set(tables)
    for key, values in words.items():
        rows = [table[key][1] for table in tables.values() if key in table]
        assert list(values) in [re.findall(r"`([^`]+)`", row) for row in rows], key


def test_findings(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [command("findings", "C10", "H3", "--json").out]  # not measured
    runs = {name: (Path("run"), each) for name, each in SCENARIOS["H3"].summaries(True).items()}
    monkeypatch.setattr("halocline.findings.measured.newest", lambda name, _: runs[name])
    answers.append(command("findings", "H3", "--json").out)
    compare("findings", answers, verdict=get_args(Verdict), status=get_args(Status))


@pytest.fixture
def ready(standin: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A library that was added, next to those that could be."""
    monkeypatch.setattr(
        "halocline.mpi.registry.toolchains", lambda: (replace(TOOL, driver=standin),)
    )


def test_list(command: Command, ready: None) -> None:
    compare(
        "list",
        [command("list", "--json").out],
        kind=get_args(get_type_hints(Axis)["kind"]),
        status=LibraryStatus,
    )


def test_mpi_list(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    known = (
        Known("old", "MPICH 3", LibraryStatus.READY, "", TOOL),
        Known("intel", "from PyPI", LibraryStatus.ABSENT, "halocline mpi add intel"),
    )
    monkeypatch.setattr("halocline.mpi.registry.known", lambda: known)
    names = [status.name.lower() for status in LibraryStatus]
    compare("mpi list", [command("mpi", "list", "--json").out], status=names)


def test_hosts_list(command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    answers = [command("hosts", "list", "--json").out]  # none
    names, addresses = ("host1", "host2"), ("10.88.0.2", "10.88.0.3")
    first = Process(os.getpid(), 0)
    made = Made(tmp_path, "", "1gbit", names, addresses, first, (first,) * 3)
    monkeypatch.setattr("halocline.cli.hosts.standing", lambda: made)
    answers.append(command("hosts", "list", "--json").out)
    compare("hosts list", answers)


def time_s(line: str) -> float:
    """Steps up every 2049 B, as of packets; below 4 KiB MPI_Ssend takes twice as long."""
    size = int(line.partition(" bytes=")[2].split()[0])
    return (1 + ("ssend_recv" in line and size < 4096)) * (1e-5 + size // 2049 * 2e-6)


def test_detect(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    made = mock._samples
    monkeypatch.setattr(mock, "_samples", lambda line, _: made(line, time_s(line)))
    answers = []
    for words in (
        "run pingpong bytes=64..16KiB protocol=send_recv,ssend_recv --output both",
        "detect eager-limit --in both",
        "run pingpong bytes=64,128 protocol=send_recv,ssend_recv --output few",
        "detect eager-limit --in few",
        "detect eager-limit bytes=8,64",
        "detect packets bytes=256..8448+128",
        "detect half-bandwidth bytes=1KiB..1MiB",
        "detect algorithm allreduce bytes=64..16KiB --ranks 4",
        "detect saturation bytes=1MiB protocol=send_recv --ranks 8",
    ):
        options = ("--json",) if "--in" in words else MOCK
        answers.append(command(*words.split(), *options).out)
    del answers[2], answers[0]  # of runs
    compare("detect", answers, what=What, kind=ChangeKind)


def test_verify(command: Command, monkeypatch: pytest.MonkeyPatch, standin: Path) -> None:
    monkeypatch.setattr("halocline.cli.verify.run_job", driver({}, []))
    tools = {"old": replace(TOOL, driver=standin)}
    monkeypatch.setattr("halocline.cli.verify.toolchains_of", lambda *_: tools)
    compare("verify", [command("verify", "pingpong", "--json").out], status=get_args(Verified))


def test_doctor(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    found = changed("memory.swap_used_bytes", 2**20) | {"tools": {"smpirun": None}}
    monkeypatch.setattr("halocline.cli.doctor.collect", lambda _: found)
    names = re.findall(r'Finding\(\s*"([a-z-]+)"', getsource(host) + getsource(grant))
    compare("doctor", [command("doctor", "--json").out], name=names, severity=Severity)


def test_profile_summary(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = []
    for profile in (model(4), on_cores(model(1), 1, 0.5, 0.4)):
        monkeypatch.setattr("halocline.cli.profile.load", lambda _, it=profile: it)
        answers.append(command("profile", "summary", "p", "--json").out)
    endings = re.findall(r'return "(.*)"', getsource(merge._ended))
    compare("profile summary", answers, kind=Kind, ended=endings, abi=get_args(Abi))
