"""The contents of a page's tables: texts, ready to print, one unit per kind of column."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from halocline.base.quantities import DIGITS, SIZES, Unit, significant, time_unit
from halocline.base.quantities import unit_of as binary_unit_of
from halocline.report.entries import Entry, Ratio
from halocline.summary.metrics import Metric
from halocline.summary.ratios import plus_minus

NOTHING = "–"


@dataclass(frozen=True)
class Cell:
    """A value with its uncertainty, or a word instead."""

    value: str
    spread: str = ""
    note: str = ""


@dataclass(frozen=True)
class Table:
    """Rows under column heads; `keys` of a row are its own heads."""

    caption: str
    key_heads: tuple[str, ...]
    heads: tuple[str, ...]
    rows: tuple[tuple[tuple[str, ...], tuple[Cell, ...]], ...]


Rows = list[tuple[tuple[str, ...], tuple[Cell, ...]]]


def cell(metric: Metric | None, unit: Unit, note: str = "") -> Cell:
    """A metric in the table's unit."""
    if metric is None:
        return Cell(NOTHING)
    value = significant(metric.median / unit.factor)
    return Cell(value, plus_minus(metric.half_width_relative), note)


def bytes_text(amount: float, digits: int = DIGITS) -> str:
    """`11.2 KiB`: an amount of bytes that need not be round."""
    unit = binary_unit_of(amount, SIZES)
    return f"{significant(amount / unit.factor, digits)} {unit.name}"


def unit_of(entries: Iterable[Entry]) -> Unit:
    """The unit for a table of these times."""
    return time_unit(entry.time.median for entry in entries)


def time_cell(entry: Entry | None, unit: Unit) -> Cell:
    """The time of a case, or a dash."""
    return cell(entry.time, unit) if entry else Cell(NOTHING)


def ratio_cell(ratio: Ratio | None) -> Cell:
    """A ratio with its bounds, and a note if they include 1."""
    if ratio is None:
        return Cell(NOTHING)
    value = significant(ratio.median, 3)
    if ratio.low is None or ratio.high is None:
        return Cell(value, "", "interval unknown")
    if ratio.wide:
        return Cell(value, "", "inconclusive")
    span = f"{significant(ratio.low, 3)} to {significant(ratio.high, 3)}"
    return Cell(value, "", span if ratio.apart else f"{span}: inconclusive")
