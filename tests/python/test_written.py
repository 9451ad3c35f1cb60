"""A launch whose lines are not those that its driver wrote gives no figure, and is named."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from halocline.campaign.ledger import Ledger
from halocline.samples.dataset import load
from halocline.specification.cases import Case
from halocline.specification.experiment import Experiment
from halocline.summary.summary import summarise
from samples_records import complete, failure, jsonl, samples, start


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Of two launches with a case each."""
    path = tmp_path / "samples.jsonl"
    records = [
        record
        for launch in (1, 2)
        for record in (start(launch), samples(launch), samples(launch, "b"), complete(launch))
    ]
    path.write_text(jsonl(records))
    return path


def changed(file: Path, change: Callable[[list[str]], list[str]]) -> None:
    file.write_text("\n".join(change(file.read_text().splitlines())) + "\n")


CHANGES: dict[str, tuple[Callable[[list[str]], list[str]], str]] = {
    "a digit": (
        lambda lines: [lines[0], lines[1].replace("8.0", "9.0"), *lines[2:]],
        "checksum ",
    ),
    "a digit of the start": (
        lambda lines: [lines[0].replace("2.1e-08", "2.2e-08"), *lines[1:]],
        "checksum ",
    ),
    "a case lost": (
        lambda lines: [*lines[:1], *lines[2:]],
        "cases 2 recorded, 1 found, samples 6 recorded, 3 found, checksum ",
    ),
    "completed twice": (lambda lines: [*lines, lines[3]], "2 completion records"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_launch_is_left_out_with_its_reason(file: Path, name: str) -> None:
    assert load(file).left_out == {}
    change, problem = CHANGES[name]
    changed(file, change)
    data = load(file)
    ((key, reason),) = data.left_out.items()
    assert key == ("mpich", 1)
    assert reason.startswith(f"the file does not hold what its driver wrote: {problem}")
    assert [record.launch for record in data.samples] == [2, 2]
    assert (data.launches_completed("mpich"), data.next_launch("mpich")) == (1, 3)
    first = data.start("mpich")
    assert first is not None and first.launch == 2
    # It is not repeated: what changed it might change the next one, without end.
    measured = Ledger(file).measured("b")
    assert (measured.launches, len(measured.figures)) == (2, 1)


def test_a_case_without_another_launch_says_why_it_has_no_figure(tmp_path: Path) -> None:
    case = Case("pingpong", (("bytes", 8),), "mpich", "here", 2)
    path = tmp_path / "samples.jsonl"
    path.write_text(jsonl([start(1), samples(1, case.id), complete(1)]).replace("8.0", "9.0"))
    found = summarise(load(path), [case], Experiment("t", ("pingpong",)), {})
    assert found.cases[0].status == "skipped"
    assert "left out: the file does not hold what its driver wrote" in found.cases[0].reason
    assert found.failures[0].startswith("launch 1 of mpich left out: the file does not hold")


def test_no_launch_is_compared_with_one_that_was_changed(file: Path) -> None:
    changed(file, lambda lines: [lines[0].replace("-O3", "-O0"), *lines[1:]])
    assert list(load(file).left_out) == [("mpich", 1)]


def test_a_launch_that_failed_after_its_completion_did_not_complete(file: Path) -> None:
    changed(file, lambda lines: [*lines, json.dumps(failure(1))])
    data = load(file)
    assert data.left_out == {}
    assert data.launches_completed("mpich") == 1
    assert data.launch_figures("a").size == 2, "its lines are whole"
    changed(file, lambda lines: [*lines[:3], *lines])
    twice = load(file).left_out[("mpich", 1)]
    assert twice == "it started 2 times", "what failed says itself what is wrong"


def test_lines_that_are_read_while_they_are_written_are_checked_too(file: Path) -> None:
    lines = file.read_text().splitlines(keepends=True)
    for changes, figures in (({}, 2), ({"8.0": "9.0"}, 0)):
        file.write_text("")
        ledger = Ledger(file)
        for line in lines:
            for old, new in changes.items():
                line = line.replace(old, new)  # noqa: PLW2901
            with file.open("a") as growing:
                growing.write(line)
            ledger.update()
        assert ledger.measured("a").launches == 2
        assert len(ledger.measured("a").figures) == figures
