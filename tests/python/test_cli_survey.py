"""`halocline survey` on a machine whose times are known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import Command


def test_a_survey_measures_everything_and_says_the_essential(command: Command) -> None:
    ended = command(
        "survey", "--machine", "mock:2us", "--mpi", "mpich", "--mpi", "intel", "--output", "s"
    )
    assert ended.code == 0, ended.err
    lines = [
        "8 B latency: 2.000 µs ± 0 % (send_recv)",
        "1 MiB one way: 524.3 GB/s ± 0 % (send_recv)",
        "1 MiB both ways: 1049 GB/s ± 0 % (send_recv)",
    ]
    assert ended.out.splitlines() == [
        *(f"mpich: {line}" for line in lines),
        *(f"intel: {line}" for line in lines),
        "report: s/report.html",
    ]
    summary = json.loads(command("summary", "s", "--json").out)
    assert len(summary["cases"]) == 2 * 2 * 3 * 3
    assert {case["status"] for case in summary["cases"]} == {"measured"}
    assert summary["run"]["title"] == "Survey of mock:2us"


def test_the_report_is_opened_if_asked(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    command("survey", "--machine", "mock:2us", "--output", "s", "--open")
    assert opened == [(Path.cwd() / "s/report.html").as_uri()]
    command("survey", "--machine", "mock:2us", "--output", "t")
    assert len(opened) == 1
