"""A bundle from one layout to another: all ways compared, and the cost of each option."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import altair as alt

from halocline.base.quantities import MB_S, Unit, rate_text, time_text
from halocline.base.units import counted
from halocline.report.axes import TIME_LABEL, finished, logarithmic, tooltips
from halocline.report.cells import NOTHING, Cell, Rows, Table, cell, ratio_cell, time_cell, unit_of
from halocline.report.entries import Entry, Ratio, entries, ordered, over
from halocline.report.figures import Figure
from halocline.report.palette import colour
from halocline.report.rows import Row, bounded
from halocline.report.section import Section, joined, ratio_text
from halocline.summary.esmf import EXCHANGES, NAME, RUNS
from halocline.summary.ratios import plus_minus
from halocline.summary.summary import Summary

REDISTRIBUTION = "redistribution"
_WAY = ("near", "memory", "protocol", "packing", "bundle")
_WHAT = ("grid", "layouts", "fields")
# Each option against the one recommended by the paper, or the fastest here.
_OPTIONS = (
    ("protocol", "sendrecv", "isend_irecv"),
    ("packing", "box", "rank"),
    ("packing", "run", "rank"),
    ("packing", "type", "rank"),
    ("bundle", "fields", "whole"),
    ("memory", "user", "library"),
    ("near", "messages", "shared"),
)


@dataclass(frozen=True)
class Comparison:
    """One option over another, all else being equal."""

    axis: str
    value: str
    baseline: str
    ratio: Ratio
    entry: Entry


def redistribution(summaries: Sequence[Summary]) -> Section | None:
    """The time of one exchange in every measured way."""
    cases = entries(summaries, (REDISTRIBUTION,))
    if not cases:
        return None
    return Section(
        name="redistribution",
        title="Redistribution",
        sentences=joined([*_best(cases), *_compared_sentences(cases)]),
        charts=(_figure(cases),),
        details=(_ways_table(cases), *_options_table(cases)),
    )


def _what(entry: Entry) -> tuple[str, ...]:
    return entry.series, *(entry.word(axis) for axis in _WHAT)


def _what_text(entry: Entry) -> str:
    series, grid, layouts, _ = _what(entry)
    return f"{series}, {grid}, {counted(entry.number('fields'), 'field')}, {layouts}"


def _way_text(entry: Entry) -> str:
    """The axes that describe the way; irrelevant ones are left out."""
    if entry.word("near") == "shared" and entry.place == "on node":
        return f"copied on the node, {entry.word('memory')} memory"
    return ", ".join(entry.word(axis) for axis in _WAY)


def _best(cases: Sequence[Entry]) -> Iterator[str]:
    for bundle in ordered(map(_what_text, cases)):
        first = min(
            (entry for entry in cases if _what_text(entry) == bundle),
            key=lambda entry: entry.time.median,
        )
        bandwidth = first.metric("bandwidth")
        rate = f", {rate_text(bandwidth.median)}" if bandwidth else ""
        yield (
            f"{bundle}: the fastest way takes {time_text(first.time.median)} "
            f"{plus_minus(first.time.half_width_relative)}{rate} ({_way_text(first)})."
        )


def comparisons(cases: Sequence[Entry]) -> Iterator[Comparison]:
    """Every option over its baseline, if both were measured with all else equal."""
    known = {(entry.series, *sorted(entry.axes.items())): entry for entry in cases}
    for axis, value, baseline in _OPTIONS:
        for entry in cases:
            changed = dict(entry.axes) | {axis: baseline}
            if value == "type":
                changed["protocol"] = "isend_irecv"  # packs, otherwise the same calls
            other = known.get((entry.series, *sorted(changed.items())))
            if entry.word(axis) == value and other:
                yield Comparison(axis, value, baseline, over(entry.time, other.time), entry)


def _compared_sentences(cases: Sequence[Entry]) -> Iterator[str]:
    """For each option the comparison with the simplest setting of the others."""
    seen = set()
    for option in comparisons(cases):
        key = (option.axis, option.value)
        if key not in seen:
            seen.add(key)
            ratio = ratio_text(option.ratio)
            apart = "" if option.ratio.apart or option.ratio.low is None else ", inconclusive"
            yield (
                f"{option.axis}={option.value} takes {ratio} times as long as {option.axis}="
                f"{option.baseline}{apart} ({_what_text(option.entry)}; {_way_text(option.entry)})."
            )


def _ways_table(cases: Sequence[Entry]) -> Table:
    unit = unit_of(cases)
    rows: Rows = [
        (
            (*_what(entry), *(entry.word(axis) for axis in _WAY)),
            (
                time_cell(entry, unit),
                cell(entry.metric("bandwidth"), MB_S),
                _smallest_cell(entry, unit),
            ),
        )
        for entry in cases
    ]
    caption = (
        f"Redistribution: time in {unit.name} and bandwidth, median and 95 % interval; as Li 2007 "
        f"reports it, the mean of {EXCHANGES} exchanges, the smallest of up to {RUNS} launches"
    )
    heads = (f"time, {unit.name}", "MB/s", f"{NAME}, {unit.name}")
    return Table(caption, ("library", *_WHAT, *_WAY), heads, tuple(rows))


def _smallest_cell(entry: Entry, unit: Unit) -> Cell:
    smallest = entry.metric(NAME)
    return cell(smallest, unit) if smallest else Cell(NOTHING)


def _options_table(cases: Sequence[Entry]) -> tuple[Table, ...]:
    rows: Rows = [
        (
            (f"{option.axis}={option.value}", option.baseline, _what_text(option.entry)),
            (ratio_cell(option.ratio),),
        )
        for option in comparisons(cases)
    ]
    if not rows:
        return ()
    caption = "Redistribution: the cost of an option, all else being equal"
    return (Table(caption, ("option", "against", "of"), ("time / time",), tuple(rows)),)


def _figure(cases: Sequence[Entry]) -> Figure:
    """One dot with its interval per way, the fastest on top; one panel per grid."""
    fastest_first = sorted(cases, key=lambda entry: entry.time.median)
    drawn: list[Row] = [
        {
            "panel": _what_text(entry),
            "way": _way_text(entry),
            "interval": plus_minus(entry.time.half_width_relative),
            "launches": entry.time.launches,
            **bounded(entry.time, time_text, "time"),
        }
        for entry in fastest_first
    ]
    scale, axis = logarithmic(drawn, "time", TIME_LABEL)
    x = alt.X("time:Q", title="time", scale=scale, axis=axis)
    ways = list(ordered(row["way"] for row in drawn))
    y = alt.Y("way:N", sort=ways, title=None, axis=alt.Axis(labelLimit=360))
    base = alt.Chart().encode(y, color=alt.value(colour("series-0")))
    shown = {"way": "way", "time_text": "time", "interval": "95 % interval", "launches": "launches"}
    chart = alt.layer(
        base.transform_filter("isValid(datum.time_low)")
        .mark_rule(strokeWidth=1.5, clip=True, aria=False)
        .encode(alt.X("time_low:Q", title="time", scale=scale, axis=axis), alt.X2("time_high")),
        base.mark_point(filled=True, size=40, opacity=1, aria=False).encode(x),
        base.mark_point(shape="circle", size=160, filled=True, opacity=0, aria=False).encode(
            x, tooltip=tooltips(shown)
        ),
    ).properties(width=520, height=20 * len(ways))
    panels = list(ordered(row["panel"] for row in drawn))
    faceted = chart.facet(
        facet=alt.Facet("panel:N", title=None, sort=panels),
        columns=1,
        data=alt.InlineData(values=drawn),
    )
    return Figure(
        "redistribution-ways",
        "Every way of a redistribution",
        "One exchange, by near, memory, protocol, packing and bundle. Bars are 95 % intervals "
        "over launches; the time axis is logarithmic.",
        finished(faceted),
        len(panels),
    )
