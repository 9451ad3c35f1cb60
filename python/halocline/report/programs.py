"""Two programs that were run in turn: the verdict, every launch, a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import altair as alt

from halocline.compare.comparison import Comparison
from halocline.compare.sentence import sentence
from halocline.ratios import percent_text
from halocline.report import sheet
from halocline.report.axes import finished
from halocline.report.environment import machine_line
from halocline.report.figures import Figure
from halocline.report.palette import colour
from halocline.report.text import time_text
from halocline.report.write import write_text

_WORDS = "Seconds of each run of both programs, launch after launch."


def write_page(
    found: Comparison,
    seconds: Sequence[Mapping[int, float]],
    environment: Mapping[str, object],
    path: Path,
) -> Path:
    """Write the page; `seconds` are those of each side by launch."""
    return write_text(path, page(found, seconds, environment))


def page(
    found: Comparison, seconds: Sequence[Mapping[int, float]], environment: Mapping[str, object]
) -> str:
    """One HTML file that needs nothing else."""
    (row,) = found.rows
    launches = _launches(seconds)
    ratio = row.ratio.text
    if row.low is not None and row.high is not None:
        ratio += f"; 95 %: {percent_text(row.low - 1)} to {percent_text(row.high - 1)}"
    return sheet.page(
        sheet.Sheet(
            title=f"{found.other} against {found.baseline}",
            about=machine_line(environment, row.baseline.machine),
            sentences=(sentence(found), f"Over {found.launches} pairs of runs: {ratio}."),
            picture=_picture(found, seconds, launches),
            picture_words=_WORDS,
            caption="Every pair of runs, one after the other",
            heads=("launch", found.baseline, found.other, "difference"),
            numbers=frozenset({"launch", found.baseline, found.other, "difference"}),
            rows=[
                (
                    str(launch),
                    time_text(seconds[0][launch]),
                    time_text(seconds[1][launch]),
                    percent_text(seconds[1][launch] / seconds[0][launch] - 1),
                )
                for launch in launches
            ],
        )
    )


def figure(found: Comparison, seconds: Sequence[Mapping[int, float]]) -> Figure:
    """The picture alone."""
    drawn = _picture(found, seconds, _launches(seconds))
    return Figure("comparison-programs", "Every run", _WORDS, drawn)


def _launches(seconds: Sequence[Mapping[int, float]]) -> list[int]:
    return sorted(set(seconds[0]) & set(seconds[1]))


def _picture(
    found: Comparison, seconds: Sequence[Mapping[int, float]], launches: Sequence[int]
) -> dict[str, object]:
    names = (found.baseline, found.other)
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
        alt.Y("seconds:Q", title="seconds of a run", scale=alt.Scale(zero=False)),
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
