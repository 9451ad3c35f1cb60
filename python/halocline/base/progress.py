"""Progress and remaining time of a run, on stderr: a bar on a terminal, else lines."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TextIO

from halocline.base.units import counted

if TYPE_CHECKING:
    from rich.progress import Progress

_LINE_EVERY_S = 10.0


@dataclass(frozen=True)
class Estimate:
    """The seconds until all is done, or an upper bound."""

    seconds: float
    at_most: bool = False


class Reporter(Protocol):
    """Receives events; `left` is the estimated time left, if known."""

    def launch(self, name: str, number: int, cases: int, left: Estimate | None) -> None:
        """A launch of a library begins."""

    def case(self, case: int, cases: int, left: Estimate | None = None) -> None:
        """Case number `case` of the launch begins; None leaves the estimate unchanged."""

    def say(self, line: str) -> None:
        """Something that the user should know."""


def left_text(seconds: float) -> str:
    """A duration as text: `8 s`, `2 min 10 s`, `1 h 5 min`."""
    whole = max(0, round(seconds))
    hours, minutes, rest = whole // 3600, whole % 3600 // 60, whole % 60
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


@contextmanager
def reporting(to: TextIO | None = None) -> Iterator[Reporter]:
    """Progress during the block: a bar if `to` (stderr) is a terminal, otherwise lines."""
    stream = to or sys.stderr
    if not stream.isatty():
        yield Lines(stream)
        return
    from rich.console import Console  # noqa: PLC0415  # slow to load, and only needed here
    from rich.progress import BarColumn, Progress, TextColumn  # noqa: PLC0415

    columns = (TextColumn("{task.description}"), BarColumn(20), TextColumn("{task.fields[left]}"))
    with Progress(*columns, console=Console(file=stream), transient=True) as bar:
        yield Bar(bar)


class _Clock:
    """The time left, counted down between estimates."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._began_s = self._estimated_s = now()
        self._left: Estimate | None = None

    def estimate(self, left: Estimate | None) -> None:
        self._estimated_s, self._left = self._now(), left

    @property
    def left_s(self) -> float | None:
        if self._left is None:
            return None
        return max(0.0, self._left.seconds - (self._now() - self._estimated_s))

    @property
    def text(self) -> str:
        if self._left is None or self.left_s is None:
            return ""
        if self.left_s == 0 < self._left.seconds:
            return "longer than estimated"
        return f"{'at most' if self._left.at_most else 'about'} {left_text(self.left_s)} left"

    @property
    def done_s(self) -> float:
        return self._now() - self._began_s


class Lines:
    """A plain line at the first launch, then one every ten seconds."""

    def __init__(self, stream: TextIO, now: Callable[[], float] = time.monotonic) -> None:
        self._stream, self._now = stream, now
        self._clock = _Clock(now)
        self._name = ""
        self._said_s = now() - _LINE_EVERY_S

    def launch(self, name: str, number: int, cases: int, left: Estimate | None) -> None:
        self._clock.estimate(left)
        self._name = f"{name} launch {number}"
        self._progress(f"{self._name}: {counted(cases, 'case')}")

    def case(self, case: int, cases: int, left: Estimate | None = None) -> None:
        if left is not None:
            self._clock.estimate(left)
        self._progress(f"{self._name}: case {case} of {cases}")

    def say(self, line: str) -> None:
        print(line, file=self._stream, flush=True)

    def _progress(self, line: str) -> None:
        if self._now() - self._said_s >= _LINE_EVERY_S:
            self._said_s = self._now()
            self.say(", ".join(filter(None, (line, self._clock.text))))


class Bar:
    """A progress bar driven by the time left."""

    def __init__(self, bar: Progress, now: Callable[[], float] = time.monotonic) -> None:
        self._bar = bar
        self._clock = _Clock(now)
        self._task = bar.add_task("starting", total=None, left="")
        self._name = ""

    def launch(self, name: str, number: int, cases: int, left: Estimate | None) -> None:
        self._clock.estimate(left)
        self._name = f"{name} launch {number}"
        self._show(f"{self._name}: {counted(cases, 'case')}")

    def case(self, case: int, cases: int, left: Estimate | None = None) -> None:
        if left is not None:
            self._clock.estimate(left)
        self._show(f"{self._name}: case {case} of {cases}")

    def say(self, line: str) -> None:
        self._bar.console.print(line, markup=False, highlight=False)

    def _show(self, what: str) -> None:
        done_s, left_s = self._clock.done_s, self._clock.left_s
        self._bar.update(
            self._task,
            description=what,
            completed=done_s,
            total=None if left_s is None else max(done_s + left_s, 1e-9),
            left=self._clock.text,
        )
