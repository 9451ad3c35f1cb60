"""A comparison on the terminal: a row for each case, then the verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from halocline.base.quantities import significant, size_label, time_text
from halocline.compare.sentence import sentence
from halocline.summary.ratios import percent_text

if TYPE_CHECKING:
    from halocline.compare.comparison import Comparison, Row
    from halocline.compare.phases import PhaseRow

_FILE_WIDTH = 160


def show(comparison: Comparison) -> None:
    """Print the table, the notes and the sentence."""
    console = Console()
    if not console.is_terminal:
        console.width = _FILE_WIDTH
    console.print(_table(comparison))
    if comparison.phases:
        console.print(_phases_table(comparison))
    for row in comparison.begun:
        if row.years_a_day:
            console.print(_years(comparison, row), markup=False, highlight=False)
    for note in comparison.notes_of_all:
        console.print(note, markup=False)
    console.print(sentence(comparison), markup=False, highlight=False)


def _table(comparison: Comparison) -> Table:
    how = "in turn" if comparison.taken else "one run after the other"
    sides = f"{comparison.other} against {comparison.baseline}"
    title = f"{sides}: {comparison.launches} launches each, {how}"
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD)
    table.add_column("workload", no_wrap=True)
    table.add_column("case", overflow="fold", max_width=60)
    for head in (comparison.baseline, comparison.other, "time", "95 %"):
        table.add_column(escape(head), justify="right", no_wrap=True)
    table.add_column("verdict for the table as a whole", overflow="fold", min_width=30)
    for row in comparison.begun:
        table.add_row(*map(escape, _cells(row)))
    return table


def _phases_table(comparison: Comparison) -> Table:
    table = Table(
        title="Phases: mean time of the ranks in one step", title_justify="left", box=SIMPLE_HEAD
    )
    table.add_column("workload", no_wrap=True)
    table.add_column("case", overflow="fold", max_width=60)
    table.add_column("phase", no_wrap=True)
    for head in (comparison.baseline, comparison.other, "time", "95 %"):
        table.add_column(escape(head), justify="right", no_wrap=True)
    table.add_column("verdict for all phases together", overflow="fold", min_width=30)
    for row in comparison.phases:
        keys = (row.baseline.workload, _case_text(row), row.phase)
        table.add_row(*map(escape, (*keys, *_figures(row))))
    return table


def _years(comparison: Comparison, row: Row) -> str:
    """`ocean, isend_irecv: simulated years a day: mpich 21.3, openmpi 20.1`."""
    figures = zip((comparison.baseline, comparison.other), row.years_a_day or (), strict=True)
    listed = ", ".join(f"{name} {significant(years)}" for name, years in figures)
    return f"{', '.join(_cells(row)[:2])}: simulated years a day: {listed}"


def _cells(row: Row) -> tuple[str, ...]:
    keys = (
        row.baseline.workload,
        ", ".join(filter(None, (_case_text(row), *row.common))),
    )
    return (*keys, *_figures(row))


def _figures(row: Row | PhaseRow) -> tuple[str, ...]:
    times = [time_text(time_s) if time_s else "" for time_s in (row.baseline_s, row.other_s)]
    if row.low is None or row.high is None:
        return (*times, "", "", row.reason)
    interval = f"{percent_text(row.low - 1)} to {percent_text(row.high - 1)}"
    return (*times, percent_text(row.ratio.ratio - 1), interval, row.ratio.text)


def _case_text(row: Row | PhaseRow) -> str:
    """`send_recv, 8 B`."""
    axes = dict(row.baseline.shared_with(row.other).axes)
    size = axes.pop("bytes", None)
    words = [str(axes.pop("protocol", ""))]
    words += [f"{name}={value}" for name, value in axes.items()]
    words += [size_label(int(size))] if size is not None else []
    return ", ".join(word for word in words if word)
