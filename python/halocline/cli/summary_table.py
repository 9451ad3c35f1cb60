"""The figures of a run on a terminal: one table per workload, common values above it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from halocline.base.quantities import (
    GFLOPS,
    in_unit,
    rate_text,
    significant,
    size_label,
    time_unit,
    unit_of_bytes,
)
from halocline.base.units import counted
from halocline.report.entries import ordered
from halocline.report.run_tables import Trouble, troubles
from halocline.samples.left_out import NO_TIME
from halocline.summary.metrics import SIMULATED_YEARS
from halocline.summary.phases import OfBound, PhaseSummary
from halocline.summary.ratios import VERDICTS, fine_share_text, plus_minus
from halocline.summary.shares import unknown_text
from halocline.summary.summary import CaseSummary, Summary

_PIPE_WIDTH = 10_000  # columns: no line breaks in a pipe
_FIGURES_WIDTH = 52  # maximum columns for the figures and the status
_GAP = 2
_FEW = 3  # cases that are listed
_MODES = {2: "two modes", 3: "three modes"}
_HEADS = ("share", "slowest / mean", "Gflop/s", "of bound", "memory", "of bound", "sent")


def show(summary: Summary) -> None:
    """Print the tables, then the cases without a figure, with reasons."""
    console = Console()
    if not console.is_terminal:
        console.width = _PIPE_WIDTH
    measured = [case for case in summary.cases if case.metric("time")]
    cases = counted(len(summary.cases), "case")
    console.print(
        f"{summary.title} ({summary.path}): {len(measured)} of {cases} measured; medians, and "
        "95 % intervals over n launches",
        markup=False,
        highlight=False,
    )
    for workload in ordered(case.case.workload for case in measured):
        own = [case for case in measured if case.case.workload == workload]
        _show_workload(console, workload, own, summary.swept)
    if summary.effects:
        console.print(_effects_table(summary))
    for line in _remarks(summary):
        console.print(line, markup=False, highlight=False)


def _show_workload(
    console: Console, workload: str, cases: Sequence[CaseSummary], swept: Sequence[str]
) -> None:
    values = [_values(case, swept) for case in cases]
    names = ordered(name for case_values in values for name in case_values)
    values_of = {name: {case_values.get(name, "") for case_values in values} for name in names}
    common = [
        f"{name} {next(iter(values_of[name]))}" for name in names if len(values_of[name]) == 1
    ]
    own = [name for name in names if len(values_of[name]) > 1]
    distinct = tuple(own)
    unit = time_unit(time.median for case in cases if (time := case.metric("time")))
    columns = [column for column in _COLUMNS if any(map(column.text, cases))]
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, _GAP - 1, 0, 0))
    # If columns do not fit next to the figures, one column has all values, wrapped.
    widths = [max(map(len, (name, *values_of[name]))) + _GAP for name in own]
    if sum(widths) > console.width - _FIGURES_WIDTH:
        rows = [
            [", ".join(case_values[name] for name in own if name in case_values)]
            for case_values in values
        ]
        own = [", ".join(own)]
    else:
        rows = [[case_values.get(name, "") for name in own] for case_values in values]
    for name in own:
        table.add_column(escape(name), overflow="fold")
    for head in (f"time, {unit.name}", "95 %", *(column.head for column in columns), "n"):
        table.add_column(head, justify="right", no_wrap=True)
    table.add_column("status", no_wrap=True)
    for case, row in zip(cases, rows, strict=True):
        table.add_row(*map(escape, row), *_figures(case, unit.factor, columns))
    console.print()
    console.print(Text(f"{workload}: {', '.join(common)}", style="bold"))
    console.print(table)
    for line in _bounds_text(cases):
        console.print(line, markup=False, highlight=False)
    parted = [(case, row) for case, row in zip(cases, values, strict=True) if case.phases]
    if parted:
        parted_axes = [{name: row.get(name, "") for name in distinct} for _, row in parted]
        console.print(phases_table([case for case, _ in parted], parted_axes))
        for line in ordered(line for case, _ in parted for line in case.unbounded):
            console.print(unknown_text(line), markup=False, highlight=False)


def _bounds_text(cases: Sequence[CaseSummary]) -> list[str]:
    """What the shares are of, and what to measure for those that are not known."""
    names = ordered(case.of_bound.bound for case in cases if case.of_bound)
    lines = [f"Of bound: the time of {', '.join(names)} in the same launches"] if names else []
    if names:
        missing = ordered(line for case in cases if not case.phases for line in case.unbounded)
        lines += [unknown_text(line) for line in missing]
    return lines


@dataclass(frozen=True)
class _Column:
    """A figure that some workloads have: shown where any case has it."""

    head: str
    text: Callable[[CaseSummary], str]


def _bandwidth(case: CaseSummary) -> str:
    rate = case.metric("bandwidth")
    return rate_text(rate.median) if rate else ""


def _years(case: CaseSummary) -> str:
    years = case.metric(SIMULATED_YEARS)
    return significant(years.median) if years else ""


def _of_bound(case: CaseSummary) -> str:
    return of_bound_text(case.of_bound)


_COLUMNS = (
    _Column("bandwidth", _bandwidth),
    _Column("years/day", _years),
    _Column("of bound", _of_bound),
)


def _values(case: CaseSummary, swept: Sequence[str]) -> dict[str, str]:
    """The values that identify a case, by name."""
    axes = {
        name: size_label(int(value)) if name == "bytes" else str(value)
        for name, value in case.case.axes
    }
    values = {"MPI": case.case.mpi, **case.case.settings(swept)}
    values |= {"protocol": axes.pop("protocol")} if "protocol" in axes else {}
    return values | axes | {"ranks": str(case.case.ranks)}


def _figures(case: CaseSummary, unit_s: float, columns: Sequence[_Column]) -> tuple[str, ...]:
    time = case.metric("time")
    if time is None:
        raise ValueError(f"case {case.case.id} was not measured")
    few = "partial" if case.reason else "measured"
    return (
        significant(time.median / unit_s),
        plus_minus(time.half_width_relative),
        *(column.text(case) for column in columns),
        str(time.launches),
        few if len(time.modes) < 2 else _MODES.get(len(time.modes), "more modes"),
    )


def _remarks(summary: Summary) -> list[str]:
    """Cases without a figure or with an odd one, one line per reason; then the notes."""
    lines = [
        f"{entry.library}: {entry.status}: {_named(entry)}: {entry.reason}"
        for entry in troubles([summary])
        # Cases left out for time are reported per part.
        if entry.status != "left out" and not entry.reason.startswith(NO_TIME)
    ]
    lines += summary.notes
    lines += [
        f"{entry.mpi}: {entry.reason} for {counted(len(entry.cases), 'case')}"
        for entry in summary.left_out
    ]
    return lines + [f"failed: {failure}" for failure in summary.failures]


def _named(trouble: Trouble) -> str:
    """The number of cases, and which ones if few."""
    few = f" ({trouble.cases})" if trouble.count <= _FEW else ""
    return f"{counted(trouble.count, 'case')}{few}"


def _effects_table(summary: Summary) -> Table:
    table = Table(title="Effects of the settings", title_justify="left", box=SIMPLE_HEAD)
    for head in ("MPI", "setting", "against", "over all cases"):
        table.add_column(head, overflow="fold")
    for head in VERDICTS:
        table.add_column(head, justify="right", no_wrap=True)
    for effect in summary.effects:
        counts = [str(effect.count(verdict)) for verdict in VERDICTS]
        setting = f"{effect.key}={effect.value}"
        words = (effect.mpi, setting, effect.baseline, effect.overall.text)
        table.add_row(*map(escape, words), *counts)
    return table


def phases_table(cases: Sequence[CaseSummary], named: Sequence[Mapping[str, str]]) -> Table:
    """Of cases that have phases; `named` are the values that distinguish the cases."""
    unit = time_unit(phase.time.median for case in cases for phase in case.phases)
    table = Table(
        title="Phases of a step: mean time of the ranks; rates of one rank",
        title_justify="left",
        box=SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    names = [", ".join(labels.values()) for labels in named]
    heads = [", ".join(named[0])] if any(names) else []
    for head in (*heads, "phase"):
        table.add_column(escape(head), overflow="fold")
    for head in (f"time, {unit.name}", "95 %", *_HEADS):
        table.add_column(head, justify="right", no_wrap=True)
    for case, name in zip(cases, names, strict=True):
        for at, phase in enumerate(case.phases):
            first = [name if at == 0 else ""] if heads else []
            table.add_row(*map(escape, (*first, phase.name)), *_phase_figures(phase, unit.factor))
    return table


def _phase_figures(phase: PhaseSummary, unit_s: float) -> tuple[str, ...]:
    return (
        significant(phase.time.median / unit_s),
        plus_minus(phase.time.half_width_relative),
        fine_share_text(phase.share.median),
        significant(phase.imbalance.median, 3),
        in_unit(phase.rate.median, GFLOPS).removesuffix(f" {GFLOPS.name}") if phase.rate else "",
        of_bound_text(phase.of_arithmetic),
        rate_text(phase.bandwidth.median) if phase.bandwidth else "",
        of_bound_text(phase.of_memory),
        in_unit(phase.sent_bytes.total, unit_of_bytes(phase.sent_bytes.total))
        if phase.sent_bytes.total
        else "",
    )


def of_bound_text(nearest: OfBound | None) -> str:
    """The share, empty where it is not known."""
    return fine_share_text(nearest.share) if nearest else ""
