"""Two programs run in turn: the verdict, every launch, a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import altair as alt

from halocline.base.quantities import time_text
from halocline.compare.comparison import Comparison
from halocline.compare.sentence import sentence
from halocline.report import sheet
from halocline.report.axes import finished
from halocline.report.cells import Cell, Table
from halocline.report.environment import machine_line
from halocline.report.figures import Figure
from halocline.report.palette import colour
from halocline.report.section import Section
from halocline.report.write import write_text
from halocline.summary.ratios import percent_text

_WORDS = "Seconds of each run of both programs, launch after launch."


def write_page(
    comparison: Comparison,
    seconds: Sequence[Mapping[int, float]],
    environment: Mapping[str, object],
    path: Path,
) -> Path:
    """Write the page; `seconds` are those of each side by launch."""
    return write_text(path, page(comparison, seconds, environment))


def page(
    comparison: Comparison,
    seconds: Sequence[Mapping[int, float]],
    environment: Mapping[str, object],
) -> str:
    """One self-contained HTML file."""
    (row,) = comparison.rows
    ratio = row.ratio.text
    if row.low is not None and row.high is not None:
        ratio += f"; 95 %: {percent_text(row.low - 1)} to {percent_text(row.high - 1)}"
    lead = Section(
        name="verdict",
        title="Verdict",
        sentences=(sentence(comparison), f"Over {comparison.launches} pairs of runs: {ratio}."),
        charts=(figure(comparison, seconds),),
        tables=(_table(comparison, seconds),),
    )
    title = f"{comparison.other} against {comparison.baseline}"
    return sheet.page(title, machine_line(environment, row.baseline.machine), lead)


def _table(comparison: Comparison, seconds: Sequence[Mapping[int, float]]) -> Table:
    rows = [
        (
            (str(launch),),
            (
                Cell(time_text(seconds[0][launch])),
                Cell(time_text(seconds[1][launch])),
                Cell(percent_text(seconds[1][launch] / seconds[0][launch] - 1)),
            ),
        )
        for launch in _launches(seconds)
    ]
    heads = (comparison.baseline, comparison.other, "difference")
    return Table("Every pair of runs, one after the other", ("launch",), heads, tuple(rows))


def figure(comparison: Comparison, seconds: Sequence[Mapping[int, float]]) -> Figure:
    """Only the figure."""
    drawn = _picture(comparison, seconds, _launches(seconds))
    return Figure("comparison-programs", "Every run", _WORDS, drawn)


def _launches(seconds: Sequence[Mapping[int, float]]) -> list[int]:
    return sorted(set(seconds[0]) & set(seconds[1]))


def _picture(
    comparison: Comparison, seconds: Sequence[Mapping[int, float]], launches: Sequence[int]
) -> dict[str, Any]:
    names = (comparison.baseline, comparison.other)
    drawn = [
        {"launch": launch, "program": name, "seconds": of_side[launch]}
        for name, of_side in zip(names, seconds, strict=True)
        for launch in launches
    ]
    hue = alt.Color(
        "program:N",
        scale=alt.Scale(domain=list(names), range=[colour("series-0"), colour("series-1")]),
        legend=alt.Legend(title=None, orient="top", direction="vertical", labelLimit=560),
    )
    base = alt.Chart().encode(
        alt.X("launch:Q", title="launch", axis=alt.Axis(tickMinStep=1)),
        alt.Y("seconds:Q", title="time of a run, s", scale=alt.Scale(zero=False)),
        hue,
    )
    chart = alt.layer(
        base.mark_line(strokeWidth=1, aria=False),
        base.mark_point(filled=True, size=44, opacity=1, aria=False).encode(
            tooltip=["launch:Q", "program:N", "seconds:Q"]
        ),
        data=alt.InlineData(values=drawn),
    ).properties(width=620, height=260)
    return finished(chart)
