"""A comparison: the verdict, a figure of every case, a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import altair as alt

from halocline.base.quantities import size_label, time_text
from halocline.base.units import counted
from halocline.compare.comparison import Comparison
from halocline.compare.comparison import Row as Compared
from halocline.compare.phases import PhaseRow
from halocline.compare.sentence import sentence
from halocline.report.axes import finished, powers_of_ten, tooltips
from halocline.report.cells import NOTHING, Cell, Table
from halocline.report.entries import ordered
from halocline.report.figures import Figure
from halocline.report.html import Answer, write_report
from halocline.report.palette import colour
from halocline.report.rows import Row
from halocline.report.section import Section
from halocline.summary.metrics import is_wide
from halocline.summary.ratios import VERDICTS, percent_text, share_text

VERDICT_WORDS = {
    "faster": "faster",
    "slower": "slower",
    "none": "no difference",
    "unknown": "inconclusive",
}
_COLOURS = ("series-0", "series-1", "series-2", "muted")
_AIR = 1.002  # beyond the outermost ends
_CASES_ALONE = 40  # with one line each; more cases share a line per workload and protocol


_ABOUT = "Each side by itself: figures, tables, launches, environment"


def write_page(
    found: Sequence[Comparison],
    runs: Sequence[Path],
    output: Path | None = None,
    lead: Section | None = None,
    title: str = "",
) -> Path:
    """Write the report of the sides' runs, headed by their comparison.

    `lead` comes before it. The runs are named after the sides.
    """
    sections = [comparison(side, at) for at, side in enumerate(found)]
    if lead is None:
        sections[0] = replace(sections[0], title="Verdict")  # the page's title has the sides
    sides = (found[0].baseline, *(side.other for side in found))
    title = title or f"{' and '.join(sides[1:])} against {found[0].baseline}"
    answer = Answer([*([lead] if lead else []), *sections], _ABOUT, title, sides)
    return write_report(runs, output, answer)


def comparison(found: Comparison, number: int = 0) -> Section:
    """The section of one side against the baseline."""
    name = f"comparison-{number}" if number else "comparison"
    shown = _rows(found)
    charts = (_picture(f"{name}-ratios", found, shown),) if shown else ()
    return Section(
        name=name,
        title=f"Comparison: {found.other} against {found.baseline}",
        sentences=(sentence(found), _method(found), *found.notes_of_all),
        charts=charts,
        tables=(_table(found), *_phases(found)),
    )


def _method(found: Comparison) -> str:
    launches = counted(found.launches, "launch")
    if not found.taken:
        return f"Two runs of {launches} or more, measured one after the other."
    return (
        f"Both sides ran concurrently and were measured in turn, in blocks of 2 ms, in "
        f"{launches} each. Intervals are over launches; verdicts hold for the "
        f"table as a whole, with 95 % confidence."
    )


def case_words(row: Compared) -> tuple[str, str]:
    """The labels on the left: workload and protocol, then the rest."""
    axes = dict(row.baseline.shared_with(row.other).axes)
    protocol = str(axes.pop("protocol", ""))
    size = axes.pop("bytes", None)
    words = [f"{name}={value}" for name, value in axes.items()]
    words += row.common
    words += [size_label(int(size))] if size is not None else []
    return " ".join(filter(None, (row.baseline.workload, protocol))), ", ".join(words)


def _rows(found: Comparison) -> list[Row]:
    drawn: list[Row] = []
    alone = len(found.rows) <= _CASES_ALONE
    for row in found.begun:
        if row.low is None or row.high is None:
            continue
        kind, rest = case_words(row)
        name = ", ".join(filter(None, (kind, rest)))
        # A point without a bar where the interval is wider than the ratio.
        bar = {} if _is_wide(row) else {"low": row.low, "high": row.high}
        drawn.append(
            {
                "line": name if alone else kind,
                "case": name,
                "ratio": row.ratio.ratio,
                **bar,
                "verdict": VERDICT_WORDS[row.ratio.verdict],
                "text": row.ratio.text,
                "times": _times(row),
            }
        )
    return drawn


def _cells(row: Compared | PhaseRow) -> tuple[Cell, ...]:
    times = [Cell(time_text(t) if t else NOTHING) for t in (row.baseline_s, row.other_s)]
    if row.low is None or row.high is None:
        return (*times, Cell(NOTHING), Cell(row.reason))
    span = f"{percent_text(row.low - 1)} to {percent_text(row.high - 1)}"
    span = "inconclusive" if _is_wide(row) else span
    return (*times, Cell(percent_text(row.ratio.ratio - 1), note=span), Cell(row.ratio.text))


def _phases(found: Comparison) -> tuple[Table, ...]:
    """Which phases of a step differ."""
    words = {row.baseline.id: case_words(row) for row in found.rows}
    rows = [((*words[row.baseline.id], row.phase), _cells(row)) for row in found.phases]
    if not rows:
        return ()
    caption = (
        f"Phases of a step with {found.other} against {found.baseline}: mean time of the ranks, "
        "and the verdict that holds for all phases together"
    )
    heads = (found.baseline, found.other, "difference", "verdict")
    return (Table(caption, ("workload", "case", "phase"), heads, tuple(rows)),)


def _is_wide(row: Compared | PhaseRow) -> bool:
    return is_wide(row.ratio.ratio, row.low, row.high)


def _times(row: Compared) -> str:
    return " and ".join(time_text(t) if t else NOTHING for t in (row.baseline_s, row.other_s))


def _picture(name: str, found: Comparison, shown: Sequence[Row]) -> Figure:
    words = (
        f"Left of 1, {found.other} is faster. Bars are 95 % intervals of each single case; colours "
        f"are verdicts for the table as a whole. No difference: none is proven, and one above "
        f"{share_text(found.resolution)} is ruled out. The axis is logarithmic."
    )
    if any("low" not in row for row in shown):
        words += " A point without a bar has an interval wider than its value."
    title = f"time with {found.other}, divided by that with {found.baseline}"
    return Figure(name, "Every case", words, ratios(title, shown))


def ratios(title: str, shown: Sequence[Row]) -> dict[str, Any]:
    """A line for each name with its ratio, interval and verdict."""
    lines = list(ordered(row["line"] for row in shown))
    ends = [row[name] for row in shown for name in ("ratio", "low", "high") if name in row]
    ticks = powers_of_ten(min([1.0, *ends]) / _AIR, max([1.0, *ends]) * _AIR)
    x = alt.X(
        "ratio:Q",
        title=title,
        scale=alt.Scale(type="log", nice=False, padding=8),
        axis=alt.Axis(values=ticks, format=".4~g", labelOverlap="greedy"),
    )
    y = alt.Y("line:N", sort=lines, title=None, axis=alt.Axis(labelLimit=520))
    hue = alt.Color(
        "verdict:N",
        scale=alt.Scale(
            domain=[VERDICT_WORDS[verdict] for verdict in VERDICTS],
            range=[colour(name) for name in _COLOURS],
        ),
        legend=alt.Legend(title=None, orient="top"),
    )
    base = alt.Chart().encode(y, hue)
    unity = alt.Chart().mark_rule(color=colour("muted"), aria=False).encode(x=alt.datum(1))
    shown_words = {"case": "case", "times": "times", "text": "verdict"}
    chart = alt.layer(
        unity,
        base.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=1.5, aria=False)
        .encode(alt.X("low:Q"), alt.X2("high")),
        base.mark_point(filled=True, size=44, opacity=1, aria=False).encode(
            x, tooltip=tooltips(shown_words)
        ),
        data=alt.InlineData(values=list(shown)),
    ).properties(width=620, height=max(60, 18 * len(lines)))
    return finished(chart)


def _table(found: Comparison) -> Table:
    rows = [(case_words(row), _cells(row)) for row in found.begun]
    caption = (
        f"Time with {found.other} against {found.baseline}: difference with 95 % interval, and "
        "the verdict, valid for the table as a whole"
    )
    heads = (found.baseline, found.other, "difference", "verdict")
    return Table(caption, ("workload", "case"), heads, tuple(rows))
