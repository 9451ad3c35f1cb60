"""Replays of profiled programs: the time of their calls with each library."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath

import altair as alt

from halocline.base.quantities import time_text
from halocline.base.units import counted
from halocline.report.axes import TIME_LABEL, finished, logarithmic, tooltips
from halocline.report.cells import Table, time_cell, unit_of
from halocline.report.entries import Entry, entries, ordered, over
from halocline.report.figures import Figure
from halocline.report.palette import colour
from halocline.report.rows import bounded
from halocline.report.section import Section, joined, ratio_text
from halocline.summary.ratios import plus_minus
from halocline.summary.summary import Summary

REPLAY = "replay"
_WORDS = (
    "All calls of the program once, without what it computes between them. Bars are 95 % "
    "intervals over launches; the axis is logarithmic."
)


def replay(summaries: Sequence[Summary]) -> Section | None:
    """The time of one replay with each library, the fastest first."""
    cases = sorted(entries(summaries, (REPLAY,)), key=lambda each: each.time.median)
    if not cases:
        return None
    groups = ordered(_group(entry) for entry in cases)
    return Section(
        name="replay",
        title="Replay",
        sentences=joined([_sentence(group, cases, len(groups)) for group in groups]),
        charts=tuple(_chart(cases, group, number) for number, group in enumerate(groups)),
        details=(_table(cases),),
    )


def _group(entry: Entry) -> str:
    """What can be compared: one plan on one number of ranks."""
    return f"{PurePath(entry.word('plan')).stem} on {counted(entry.summary.case.ranks, 'rank')}"


def _of(cases: Sequence[Entry], group: str) -> Iterator[Entry]:
    return (entry for entry in cases if _group(entry) == group)


def _sentence(group: str, cases: Sequence[Entry], groups: int) -> str:
    fastest, *slower = _of(cases, group)
    time = f"{time_text(fastest.time.median)} {plus_minus(fastest.time.half_width_relative)}"
    calls = f"the calls of {group}" if groups > 1 else "the program's calls"
    against = [f"{entry.series} {_against(entry, fastest)}" for entry in slower]
    return "; ".join([f"{fastest.series} makes {calls} in {time}", *against]) + "."


def _against(each: Entry, fastest: Entry) -> str:
    ratio = over(each.time, fastest.time)
    text = ratio_text(ratio)
    return (
        f"takes {text} times as long" if ratio.apart else f"may be as fast, {text} times the time"
    )


def _chart(cases: Sequence[Entry], group: str, number: int) -> Figure:
    drawn = [
        {
            "line": entry.series,
            "interval": plus_minus(entry.time.half_width_relative),
            "launches": entry.time.launches,
            **bounded(entry.time, time_text, "time"),
        }
        for entry in _of(cases, group)
    ]
    scale, axis = logarithmic(drawn, "time", TIME_LABEL)
    x = alt.X("time:Q", title="time of one replay", scale=scale, axis=axis)
    lines = [row["line"] for row in drawn]
    y = alt.Y("line:N", sort=lines, title=None, axis=alt.Axis(labelLimit=520))
    shown = {
        "line": "library",
        "time_text": "time",
        "interval": "95 % interval",
        "launches": "launches",
    }
    base = alt.Chart().encode(y, color=alt.value(colour("series-0")))
    chart = alt.layer(
        base.transform_filter("isValid(datum.time_low)")
        .mark_rule(strokeWidth=1.5, clip=True, aria=False)
        .encode(alt.X("time_low:Q"), alt.X2("time_high")),
        base.mark_point(filled=True, size=44, opacity=1, aria=False).encode(
            x, tooltip=tooltips(shown)
        ),
        data=alt.InlineData(values=drawn),
    ).properties(width=620, height=max(60, 24 * len(lines)))
    several = len({_group(entry) for entry in cases}) > 1
    subject = group if several else f"one replay {group.partition(' ')[2]}"
    return Figure(f"replay-time-{number}", f"Time of {subject}", _WORDS, finished(chart))


def _table(cases: Sequence[Entry]) -> Table:
    unit = unit_of(cases)
    rows = tuple(
        ((_group(entry), entry.series, entry.word("plan")), (time_cell(entry, unit),))
        for entry in cases
    )
    heads = (f"time, {unit.name}",)
    return Table("Every replay, the fastest first", ("what", "library", "plan"), heads, rows)
