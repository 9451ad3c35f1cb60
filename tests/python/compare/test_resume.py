"""A comparison that was stopped goes on where it was."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import Command
from halocline.dataset import load

SIDES = ("--a", "machine=mock:1us", "--b", "machine=mock:1.1us")
CASES = ("pingpong", "bytes=8,64", "protocol=send_recv", "--launches", "10..10")


def launches_of(run: str) -> list[int]:
    """The launches that are complete."""
    return [end.launch for end in load(Path(run, "samples.jsonl")).completions]


def cut_after(run: str, launches: int) -> None:
    """As if it had been stopped in the launch after so many."""
    samples = Path(run, "samples.jsonl")
    lines = samples.read_text(encoding="utf-8").splitlines(keepends=True)
    ends = [at for at, line in enumerate(lines) if json.loads(line)["type"] == "complete"]
    begun = lines[ends[launches - 1] + 1 :][:2]
    text = "".join([*lines[: ends[launches - 1] + 1], *begun])
    samples.write_text(text[:-10], encoding="utf-8")


def test_it_goes_on_to_as_many_launches_as_were_asked_for(command: Command) -> None:
    assert command("compare", *SIDES, *CASES, "--output", "both").code == 0
    cut_after("both/a", 5)
    cut_after("both/b", 4)
    few = json.loads(command("compare", "both", "--json").out)
    assert few["cases"][0]["ratio"]["low"] is None
    ended = command("compare", "--resume", "both", "--json")
    assert ended.code == 0, ended.err
    found = json.loads(ended.out)
    assert (found["launches"], found["verdict"]) == (10, "slower")
    # The sixth was begun and the fifth has one side only: both are made anew, with other numbers.
    assert launches_of("both/a") == [1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12]
    assert launches_of("both/b") == [1, 2, 3, 4, 7, 8, 9, 10, 11, 12]


def test_more_launches_can_be_asked_for(command: Command) -> None:
    command("compare", *SIDES, *CASES, "--output", "both")
    ended = command("compare", "--resume", "both", "--launches", "12..12", "--json")
    assert json.loads(ended.out)["launches"] == 12
    assert Path("both/report.html").is_file()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--resume", "both", "pingpong"), "'pingpong' together with --resume"),
        (("--resume", "both", "--gate", "3%"), "'3%' together with --resume"),
        (("--resume", "nowhere"), "nowhere is no comparison"),
    ],
)
def test_it_is_resumed_as_it_was_begun(words: tuple[str, ...], said: str, command: Command) -> None:
    ended = command("compare", *words)
    assert ended.code == 2
    assert said in ended.err
