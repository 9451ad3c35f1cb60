"""`halocline run redistribution --scaling`: the experiment, and its output on the terminal."""

from __future__ import annotations

from collections.abc import Sequence

import rich.table
from rich.console import Console
from rich.table import Table as Shown

from halocline.base.errors import UserError
from halocline.cli.here import known
from halocline.findings.measured import within_cores
from halocline.launch.binding import available_cores
from halocline.report.cells import Table
from halocline.report.redistribution_store import sentences, tables
from halocline.specification.experiment import Experiment, is_simulated
from halocline.specification.spec import Option, load
from halocline.store.scaling import experiment_file
from halocline.summary.summary import Summary

WORKLOAD = "redistribution"
_PIPE_WIDTH = 10_000  # columns: no line breaks in a pipe
_LEAST_RANKS = 2  # even if they share a core


def experiment_of(what: str | None, words: Sequence[str], options: Sequence[Option]) -> Experiment:
    """The experiment; UserError for other workloads than redistribution."""
    if what != WORKLOAD:
        raise UserError(
            f"--scaling with {what or 'no workload'}",
            allowed=WORKLOAD,
            remedy=f"use `halocline run {WORKLOAD} --scaling`",
        )
    if words:
        raise UserError(
            f"{words[0]!r} together with --scaling",
            remedy=f"leave it out, or name the ranks: `halocline run {WORKLOAD}_store "
            "planned_ranks=32,64`",
        )
    if any(option.key == "experiment.ranks" and option.value is not None for option in options):
        raise UserError(
            "--ranks together with --scaling",
            remedy=f"leave it out, or measure `halocline run {WORKLOAD} --ranks N`",
        )
    machine = next((str(o.value) for o in options if o.key == "experiment.machine" and o.value), "")
    simulated = is_simulated(machine)
    experiment = load(experiment_file(simulated), known(), options)
    if simulated:
        return experiment
    cores = available_cores()
    return within_cores(experiment, max(cores, _LEAST_RANKS)) or experiment


def show(summary: Summary) -> None:
    """Print the tables and what they say about growth."""
    console = Console()
    if not console.is_terminal:
        console.width = _PIPE_WIDTH
    for table in tables([summary]):
        console.print(_shown(table))
    for sentence in sentences([summary]):
        console.print(sentence, highlight=False)


def _shown(table: Table) -> rich.table.Table:
    shown = Shown(title=table.caption)
    for head in table.key_heads:
        shown.add_column(head, no_wrap=True)
    for head in table.heads:
        shown.add_column(head, justify="right")
    for keys, cells in table.rows:
        shown.add_row(*keys, *(f"{cell.value} {cell.spread}".rstrip() for cell in cells))
    return shown
