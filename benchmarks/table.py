"""A benchmark's outcome: what was measured next to the goal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isfinite, nan

from rich.console import Console
from rich.table import Table
from scipy.special import betaincinv

from halocline.summary.stats import CONFIDENCE, interval
from halocline.summary.summary import CaseSummary


@dataclass(frozen=True)
class Row:
    """One figure and the range that is its goal; `evidence` says how the figure came about.

    `likely` is the 95 % interval of the figure, where it has one: it decides whether the goal is
    missed or only not met this time.
    """

    what: str
    figure: float
    low: float
    high: float
    evidence: str
    likely: tuple[float, float] | None = None

    @property
    def missed(self) -> bool:
        """Whether the whole interval lies outside of the range."""
        low, high = self.likely or (self.figure, self.figure)
        return high < self.low or low > self.high

    @property
    def verdict(self) -> str:
        """`met`, `missed`, or `open`: outside of the range, though its interval is not."""
        return "met" if self.met else "missed" if self.missed else "open"

    @property
    def met(self) -> bool:
        """Whether the figure lies in the range."""
        return self.low <= self.figure <= self.high

    @property
    def goal(self) -> str:
        """The range as people write it."""
        if self.low <= 0 and self.high == float("inf"):
            return "none"
        if self.low in (0, -inf):
            return f"≤ {self.high:g}"
        if self.high == float("inf"):
            return f"≥ {self.low:g}"
        return f"{self.low:g} … {self.high:g}"


def without_figure(what: str, goal: tuple[float, float], case: CaseSummary, name: str) -> Row:
    """The row of what a case that was not measured leaves open; one that failed misses the goal."""
    figure = inf if case.status == "failed" else nan
    return Row(what, figure, *goal, f"{name}: {case.status}, {case.reason}")


def likely_median(figures: Sequence[float]) -> tuple[float, float] | None:
    """The interval of the median over launches, each of which has a positive figure."""
    spread = interval(figures)
    return None if spread.low is None or spread.high is None else (spread.low, spread.high)


def likely_share(count: int, of: int) -> tuple[float, float]:
    """The interval of a share that was seen so often: Clopper and Pearson 1934."""
    tail = (1 - CONFIDENCE) / 2
    low = 0.0 if count == 0 else float(betaincinv(count, of - count + 1, tail))
    high = 1.0 if count == of else float(betaincinv(count + 1, of - count, 1 - tail))
    return low, high


COLOURS = {"met": "green", "missed": "red", "open": "yellow"}


def show(rows: Sequence[Row], *notes: str) -> int:
    """Print the rows as a table, and the notes under it; 1 if a goal is missed, else 0."""
    table = Table("what", "measured", "goal", "", "evidence", title="Halocline next to its goals")
    for row in rows:
        colour = COLOURS[row.verdict]
        verdict = "" if row.goal == "none" else f"[{colour}]{row.verdict}[/]"
        figure = f"{row.figure:.4g}" if isfinite(row.figure) else "none"
        table.add_row(row.what, figure, row.goal, verdict, row.evidence)
    console = Console(width=None)
    console.print(table)
    for note in notes:
        console.print(note)
    return int(any(row.missed for row in rows))
