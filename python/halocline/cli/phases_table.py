"""The phases of the cases of a workload on a terminal: a line for each phase of each case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from halocline.base.quantities import (
    GFLOPS,
    in_unit,
    rate_text,
    significant,
    time_unit,
    unit_of_bytes,
)
from halocline.summary.phases import OfBound, PhaseSummary
from halocline.summary.ratios import fine_share_text, plus_minus
from halocline.summary.summary import CaseSummary

_HEADS = ("share", "slowest / mean", "Gflop/s", "of bound", "memory", "of bound", "sent")


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
            table.add_row(*map(escape, (*first, phase.name)), *_figures(phase, unit.factor))
    return table


def _figures(phase: PhaseSummary, unit_s: float) -> tuple[str, ...]:
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
