"""A search: the recommendation, the finalists against the default, and the rest."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from halocline.base.units import counted
from halocline.compare.comparison import Comparison
from halocline.report.cells import NOTHING, Cell, Table
from halocline.report.comparison import VERDICT_WORDS, ratios, write_page
from halocline.report.figures import Figure
from halocline.report.rows import Row
from halocline.report.section import Section
from halocline.summary.ratios import percent_text
from halocline.tune.result import Result


def write_tuned(
    result: Result, pairs: Sequence[Comparison], runs: Sequence[Path], output: Path
) -> Path:
    """Write the report of the final comparison, headed by the recommendation."""
    case = result.space.default.cases[0]
    title = f"Tune {case.workload} on {counted(case.ranks, 'rank')}, {case.mpi}"
    return write_page(pairs, runs, output, section(result), title)


def section(result: Result) -> Section:
    """The recommendation, and the evidence."""
    reasons = Counter(result.left_out.values()).most_common()
    left_out = [f"Left out: {counted(number, 'candidate')}, {why}." for why, number in reasons]
    return Section(
        name="recommendation",
        title="Recommendation",
        sentences=(result.sentence, _problems(result), *left_out),
        charts=_pictures(result),
        tables=(_finalists(result),),
        details=(_others(result),),
    )


def _problems(result: Result) -> str:
    ways = dict(result.space.default.ways)
    every = [
        " ".join(f"{name}={value}" for name, value in case.axes if name not in ways)
        for case in result.space.default.cases
    ]
    case = result.space.default.cases[0]
    return f"Measured: {case.workload} with {'; '.join(filter(None, every)) or 'its defaults'}."


def _pictures(result: Result) -> tuple[Figure, ...]:
    verdict, default = result.verdict, result.space.default
    drawn: list[Row] = []
    for finalist, ratio in zip(verdict.finalists, verdict.against_default, strict=True):
        if ratio.low is None or ratio.high is None:
            continue
        drawn.append(
            {
                "line": finalist.name(default),
                "case": finalist.name(default),
                "ratio": ratio.ratio,
                **({} if ratio.wide else {"low": ratio.low, "high": ratio.high}),
                "verdict": VERDICT_WORDS[ratio.verdict],
                "text": ratio.text,
                "times": counted(ratio.launches, "launch"),
            }
        )
    if not drawn:
        return ()
    words = (
        "The finalists, measured in turn with the default. Left of 1, a "
        "candidate is faster. Bars are joint 95 % confidence intervals."
    )
    title = "time divided by that of the default"
    return (Figure("recommendation-ratios", "Against the default", words, ratios(title, drawn)),)


def _finalists(result: Result) -> Table:
    verdict, default = result.verdict, result.space.default
    rows = tuple(
        (
            (finalist.name(default),),
            (
                Cell(str(ratio.launches)),
                Cell(percent_text(ratio.ratio - 1) if ratio.low is not None else NOTHING),
                Cell(ratio.text),
                Cell(other.text if other else "the best"),
            ),
        )
        for finalist, ratio, other in zip(
            verdict.finalists, verdict.against_default, verdict.against_best, strict=True
        )
    )
    caption = "The finalists: difference from the default, and both verdicts"
    heads = ("launches", "time", "against the default", "against the best")
    return Table(caption, ("candidate",), heads, rows)


def _others(result: Result) -> Table:
    finalists = set(result.verdict.finalists)
    rows = tuple(
        (
            (candidate.name(result.space.default),),
            (
                Cell(str(result.found.rung_of.get(candidate.key, 0))),
                Cell(str(len(result.standings[candidate.key].logs))),
                Cell(percent_text(math.expm1(result.standings[candidate.key].score))),
            ),
        )
        for candidate in result.ranked
        if candidate not in finalists
    )
    caption = "The other candidates, best first: time against the default until dropped"
    return Table(caption, ("candidate",), ("dropped after rung", "launches", "time"), rows)
