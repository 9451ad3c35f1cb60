"""How progress is reported, with a clock that the test sets."""

from __future__ import annotations

import io

import pytest
from rich.console import Console
from rich.progress import Progress, TextColumn

from halocline.base.progress import Bar, Estimate, Lines, left_text, reporting


class Clock:
    """A time that passes only when the test says so."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(-1, "0 s"), (8.4, "8 s"), (60, "1 min 0 s"), (130, "2 min 10 s"), (3900, "1 h 5 min")],
)
def test_durations(seconds: float, text: str) -> None:
    assert left_text(seconds) == text


def test_without_a_terminal_a_line_every_ten_seconds_however_many_launches() -> None:
    stream, clock = io.StringIO(), Clock()
    lines = Lines(stream, clock)
    lines.launch("mpich", 1, 368, Estimate(90.0, at_most=True))
    for case in range(1, 6):
        clock.now_s += 4.0
        lines.case(case, 368)
    lines.say("something else")
    for number in range(2, 200):
        clock.now_s += 0.125
        lines.launch("mpich", number, 1, Estimate(70.0))
    assert stream.getvalue().splitlines() == [
        "mpich launch 1: 368 cases, at most 1 min 30 s left",
        "mpich launch 1: case 3 of 368, at most 1 min 18 s left",
        "something else",
        "mpich launch 17: 1 case, about 1 min 10 s left",
        "mpich launch 97: 1 case, about 1 min 10 s left",
        "mpich launch 177: 1 case, about 1 min 10 s left",
    ]


def test_an_estimate_that_has_run_out_is_not_repeated() -> None:
    stream, clock = io.StringIO(), Clock()
    lines = Lines(stream, clock)
    lines.launch("mpich", 1, 4, Estimate(10.0, at_most=True))
    clock.now_s += 30.0
    lines.case(2, 4)
    clock.now_s += 30.0
    lines.case(3, 4, Estimate(270.0))
    assert stream.getvalue().splitlines() == [
        "mpich launch 1: 4 cases, at most 10 s left",
        "mpich launch 1: case 2 of 4, longer than estimated",
        "mpich launch 1: case 3 of 4, about 4 min 30 s left",
    ]


def test_no_estimate_is_better_than_a_guess() -> None:
    stream, clock = io.StringIO(), Clock()
    lines = Lines(stream, clock)
    lines.launch("simgrid", 1, 400, None)
    clock.now_s += 10.0
    lines.case(24, 400, Estimate(160.0))
    clock.now_s += 10.0
    lines.case(50, 400)
    assert stream.getvalue().splitlines() == [
        "simgrid launch 1: 400 cases",
        "simgrid launch 1: case 24 of 400, about 2 min 40 s left",
        "simgrid launch 1: case 50 of 400, about 2 min 30 s left",
    ]


def test_on_a_terminal_a_bar_of_the_time() -> None:
    stream, clock = io.StringIO(), Clock()
    console = Console(file=stream, force_terminal=True, width=80)
    with Progress(TextColumn("{task.description}"), console=console) as progress:
        bar = Bar(progress, clock)
        clock.now_s += 10.0
        bar.launch("mpich", 2, 8, Estimate(30.0))
        (task,) = progress.tasks
        assert (task.completed, task.total) == (10.0, 40.0)
        assert task.description == "mpich launch 2: 8 cases"
        clock.now_s += 10.0
        bar.case(3, 8)
        assert (task.completed, task.total) == (20.0, 40.0)
        assert task.description == "mpich launch 2: case 3 of 8"
        assert task.fields == {"left": "about 20 s left"}
        bar.say("[not markup]")
    assert "[not markup]" in stream.getvalue()


def test_what_is_no_terminal_gets_lines() -> None:
    with reporting(io.StringIO()) as reporter:
        assert isinstance(reporter, Lines)
