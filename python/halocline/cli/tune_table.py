"""A search on the terminal: the finalists, the other candidates, and what was left out."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from halocline.summary.ratios import percent_text

if TYPE_CHECKING:
    from halocline.tune.result import Result

_FILE_WIDTH = 160
_MOST = 12  # dropped candidates that are listed


def show(result: Result) -> None:
    """Print the evidence, the files and the sentence."""
    console = Console()
    if not console.is_terminal:
        console.width = _FILE_WIDTH
    case = result.space.default.cases[0]
    ways = dict(result.space.default.ways)
    for default_case in result.space.default.cases:
        problem = " ".join(
            f"{name}={value}" for name, value in default_case.axes if name not in ways
        )
        print(f"{case.workload} {problem} on {case.ranks} ranks, {case.mpi}")
    console.print(_finalists(result))
    if len(result.ranked) > len(result.verdict.finalists):
        console.print(_others(result))
    for reason, count in Counter(result.left_out.values()).most_common():
        console.print(f"left out: {count}, {reason}", markup=False, highlight=False)
    for name, path in result.files.items():
        print(f"{name}: {path}")
    console.print(result.sentence, markup=False, highlight=False, soft_wrap=True)


def _finalists(result: Result) -> Table:
    table = Table(
        title="finalists against the default, in new launches",
        title_justify="left",
        box=SIMPLE_HEAD,
    )
    table.add_column("candidate", overflow="fold", min_width=30)
    for head in ("launches", "time"):
        table.add_column(head, justify="right", no_wrap=True)
    table.add_column("against the default", overflow="fold")
    table.add_column("against the best", overflow="fold")
    verdict = result.verdict
    for candidate, ratio, other in zip(
        verdict.finalists, verdict.against_default, verdict.against_best, strict=True
    ):
        table.add_row(
            escape(candidate.name(result.space.default)),
            str(ratio.launches),
            percent_text(ratio.ratio - 1) if ratio.low is not None else "",
            ratio.text,
            other.text if other else "the best",
        )
    return table


def _others(result: Result) -> Table:
    finalists = set(result.verdict.finalists)
    dropped = [candidate for candidate in result.ranked if candidate not in finalists]
    more = len(dropped) - _MOST
    title = "dropped candidates, best first" + (f", and {more} more in result.json" * (more > 0))
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD)
    table.add_column("candidate", overflow="fold", min_width=30)
    for head in ("dropped after", "launches", "time in them"):
        table.add_column(head, justify="right", no_wrap=True)
    for candidate in dropped[:_MOST]:
        standing = result.standings[candidate.key]
        table.add_row(
            escape(candidate.name(result.space.default)),
            f"rung {result.found.rung_of.get(candidate.key, 0)}",
            str(len(standing.logs)),
            percent_text(math.expm1(standing.score)),
        )
    return table
