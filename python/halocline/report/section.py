"""A section of the page: the results of one kind of measurement, in words, charts and tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from halocline.base.quantities import significant
from halocline.report.cells import Table
from halocline.report.entries import Ratio
from halocline.report.figures import Figure


@dataclass(frozen=True)
class Section:
    """Made by a pure function from summaries; omitted without data."""

    name: str
    title: str
    sentences: tuple[str, ...]
    charts: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()
    details: tuple[Table, ...] = field(default=())  # shown on demand


def ratio_text(ratio: Ratio) -> str:
    """`1.31 (1.25 to 1.36)`, or a note that the interval is unknown."""
    median, low, high = ratio.median, ratio.low, ratio.high
    if low is None or high is None:
        return f"{_short(median)} (interval unknown)"
    if ratio.wide:
        return f"{_short(median)} (inconclusive)"
    return f"{_short(median)} ({_short(low)} to {_short(high)})"


def _short(ratio: float) -> str:
    return significant(ratio, 3 if ratio < 10 else 2)


def joined(sentences: Sequence[str], most: int = 6) -> tuple[str, ...]:
    """The first sentences, and how many more there are."""
    more = len(sentences) - most
    return (*sentences[:most], *([f"And {more} more, in the tables."] if more > 0 else []))
