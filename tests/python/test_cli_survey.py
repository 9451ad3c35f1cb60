"""`halocline survey` on a machine whose times are known."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from conftest import Command
from halocline.base.errors import UserError


def test_a_survey_measures_and_says_the_essential(command: Command) -> None:
    ended = command(
        "survey", "--machine", "mock:2us", "--mpi", "mpich", "--mpi", "intel", "--output", "s"
    )
    assert ended.code == 0, ended.err
    lines = [
        f"{title}, {place}: {figure} ± 0 % (send_recv)"
        for title, figure in (
            ("8 B latency", "2.000 µs"),
            ("1 MiB one way", "524.3 GB/s"),
            ("1 MiB both ways", "1049 GB/s"),
        )
        for place in ("on a node", "between nodes")
    ]
    assert ended.out.splitlines() == [
        *(f"mpich: {line}" for line in lines),
        *(f"intel: {line}" for line in lines),
        "report: s/report.html",
    ]
    said = [line for line in ended.err.splitlines() if "left out" in line]
    assert [line.partition(" needs about ")[0] for line in said] == [
        f"{mpi}: left out for time: 'far too much'" for mpi in ("mpich", "intel")
    ]
    summary = json.loads(command("summary", "s", "--json").out)
    assert summary["run"]["title"] == "Survey of mock:2us"
    assert [each["part"] for each in summary["run"]["left_out"]] == ["far too much"] * 2
    statuses = {case["axes"]["bytes"]: case["status"] for case in summary["cases"]}
    assert {size for size, status in statuses.items() if status == "measured"} == {0, 8, 2**20}
    assert len([case for case in summary["cases"] if case["status"] == "measured"]) == 2 * 2 * 18
    assert "left out for time: 'far too much' needs about" in summary["cases"][-1]["reason"]


def test_the_report_is_opened_if_asked(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    command("survey", "--machine", "mock:2us", "--output", "s", "--open")
    assert opened == [(Path.cwd() / "s/report.html").as_uri()]
    command("survey", "--machine", "mock:2us", "--output", "t")
    assert len(opened) == 1


def test_the_experiment_is_printed_and_nothing_is_measured(command: Command) -> None:
    ended = command("survey", "--print-experiment")
    assert ended.code == 0, ended.err
    assert 'hosts = "made"\n' in ended.out
    assert list(Path().iterdir()) == []
    Path("mine.toml").write_text(ended.out, encoding="utf-8")
    again = command("run", "mine.toml", "--machine", "mock:1us", "--budget", "1s", "--output", "r")
    assert again.code == 0, again.err


@pytest.mark.launches
def test_where_no_hosts_can_be_made_the_survey_is_of_one_node(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def forbidden(count: int) -> Iterator[None]:
        raise UserError("namespaces are forbidden", remedy="allow them")
        yield

    monkeypatch.setattr("halocline.hosts.temporary_hosts", forbidden)
    ended = command("survey")
    note = "Nothing was measured between nodes: namespaces are forbidden; allow them"
    assert ended.err.splitlines()[0] == note
    assert ended.code == 2  # no MPI library is here
