"""`halocline summary`: the figures of a run as a table, or as JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

if TYPE_CHECKING:
    from rich.table import Table

    from halocline.summary import CaseSummary, Summary

_FILE_WIDTH = 160  # columns, where the output goes to a file or a pipe


def summary(
    run: Annotated[Path, typer.Argument(help="A run's folder.", show_default=False)],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print the figures of a run: medians and 95 % intervals over launches.

    Example: halocline summary runs/20261121-110000-survey --json
    """
    from halocline.summary import of_run, to_json  # noqa: PLC0415 (NumPy and SciPy are slow to load)

    found = of_run(run)
    if as_json:
        print(json.dumps(to_json(found), indent=1, ensure_ascii=False, allow_nan=False))
        return
    console = Console()
    if not console.is_terminal:
        console.width = _FILE_WIDTH
    console.print(_table(found))
    if found.effects:
        console.print(_effects_table(found))
    for note in found.notes:
        console.print(note, markup=False)
    for each in found.left_out:
        console.print(f"{each.mpi}: {each.reason} for {len(each.cases)} cases", markup=False)
    for failure in found.failures:
        console.print(f"failed: {failure}", markup=False)


def _table(found: Summary) -> Table:
    from rich.box import SIMPLE_HEAD  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    from halocline.left_out import NO_TIME  # noqa: PLC0415
    from halocline.report.text import time_unit  # noqa: PLC0415

    unit = time_unit(
        time.median for case in found.cases if (time := case.metric("time")) is not None
    )
    table = Table(title=f"{found.title} ({found.path})", title_justify="left", box=SIMPLE_HEAD)
    for head in ("MPI", "workload", "case"):
        table.add_column(head, no_wrap=True)
    for head in (f"time, {unit.name}", "95 %", "bandwidth", "n"):
        table.add_column(head, justify="right", no_wrap=True)
    table.add_column("status", overflow="fold")
    for case in found.cases:
        # What there was no time for is told part by part, below the table.
        if case.status == "skipped" and case.reason.startswith(NO_TIME):
            continue
        table.add_row(*_cells(case, found.swept, unit.factor))
    return table


def _effects_table(found: Summary) -> Table:
    from rich.box import SIMPLE_HEAD  # noqa: PLC0415
    from rich.markup import escape  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    from halocline.ratios import VERDICTS  # noqa: PLC0415

    table = Table(title="Effects of the settings", title_justify="left", box=SIMPLE_HEAD)
    for head in ("MPI", "setting", "against", "over all cases"):
        table.add_column(head, overflow="fold")
    for head in VERDICTS:
        table.add_column(head, justify="right", no_wrap=True)
    for effect in found.effects:
        counts = [str(effect.count(verdict)) for verdict in VERDICTS]
        setting = f"{effect.key}={effect.value}"
        words = (effect.mpi, setting, effect.baseline, effect.overall.text)
        table.add_row(*map(escape, words), *counts)
    return table


def _cells(case: CaseSummary, swept: Sequence[str], unit_s: float) -> tuple[str, ...]:
    from rich.markup import escape  # noqa: PLC0415

    from halocline.report.run_tables import axes_text, modes_text  # noqa: PLC0415
    from halocline.report.text import plus_minus, rate_text, significant  # noqa: PLC0415

    settings = (f"{key}={value}" for key, value in case.case.settings(swept).items())
    key = (case.case.mpi, case.case.workload, ", ".join([axes_text(case), *settings]))
    time, rate = case.metric("time"), case.metric("bandwidth")
    remark = "; ".join(filter(None, (case.reason, modes_text(time) if time else "")))
    status = f"{case.status}: {remark}" if remark else case.status
    figures = ("", "", "", "")
    if time:
        figures = (
            significant(time.median / unit_s),
            plus_minus(time.half_width_relative),
            rate_text(rate.median) if rate else "",
            str(time.launches),
        )
    return tuple(escape(text) for text in (*key, *figures, status))
