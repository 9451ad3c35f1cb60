"""Fields of models when they were measured, and how their grids were distributed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import altair as alt
import numpy as np

from halocline.base.quantities import significant
from halocline.report.axes import finished, tooltips
from halocline.report.cells import Cell, Rows, Table
from halocline.report.entries import Entry, entries, names, ordered
from halocline.report.figures import Figure
from halocline.report.maps import LAND, MINUS, field_map, runs
from halocline.report.palette import SERIES, colour
from halocline.report.rows import Row, rounded
from halocline.report.section import Section, joined
from halocline.samples.pictures import NOBODY, Map, Owners, Picture
from halocline.summary.summary import Summary

_MOST = 4  # cases with maps, and cases with blocks
_HOUR_S, _DAY_S = 3600.0, 86_400.0
_GROUND = "ground"
_MEANING = {
    "height": "White lines are the foot of the mountain and half its height.",
    "sea_level": "Above and below the level of rest.",
    "streamfunction": "The transport eastwards between Antarctica and each point. In the first "
    "days the surface still settles, and water also crosses the edges of the classes.",
}
_SHOWN_AXES = ("case", "grid")  # what maps differ by
_CUT_AXES = ("grid", "distribution", "grid_y", "block")  # what blocks differ by, with the ranks
MOST_RANKS = 64  # with a bar of their own
_MOST_NUMBERED = 160  # blocks
_MOST_WIDTH = 560
_DROPPED = "dropped"
_OVERLAP = 0.2  # of a land cell, or the blocks would show between its rows


@dataclass(frozen=True)
class _Shown:
    name: str
    run: str  # empty if there is only one
    entry: Entry
    picture: Picture

    def key(self, axes: Sequence[str]) -> tuple[str, ...]:
        """What its picture differs from others in."""
        ranks = [str(self.entry.summary.case.ranks)] if axes is _CUT_AXES else []
        words = (self.entry.word(axis) for axis in axes)
        return (self.run, self.entry.workload, *words, *ranks)

    @property
    def from_launch(self) -> str:
        return f"From launch {self.picture.launch} of {self.picture.label}."


def pictures(summaries: Sequence[Summary]) -> Section | None:
    """Maps of fields and of blocks, and why others are missing."""
    several = len(summaries) > 1
    shown = [case for summary in summaries for case in _shown(summary, several)]
    missing = [line for summary in summaries for line in _missing(summary)]
    if not (shown or missing):
        return None
    fields, other_fields = _first([case for case in shown if case.picture.maps], _SHOWN_AXES)
    blocks, other_blocks = _first([case for case in shown if case.picture.owners], _CUT_AXES)
    sentences = [
        *(_of_fields(case) for case in fields),
        *(_of_blocks(case, case.picture.owners) for case in blocks if case.picture.owners),
    ]
    others = {id(case) for case in (*other_fields, *other_blocks)}
    alike = len({id(case) for case in shown} - {id(case) for case in (*fields, *blocks)} - others)
    more = [f"{alike} more that look alike"] if alike else []
    more += [f"{len(others)} whose maps or blocks are not drawn"] if others else []
    has = "folders pictures of the runs have" if several else "folder pictures of the run has"
    undrawn = [f"The {has} {', and '.join(more)}."] if more else []
    return Section(
        name="pictures",
        title="Pictures: what was computed, and by whom",
        sentences=(*joined(sentences), *undrawn, *joined(missing)),
        charts=(*_field_figures(fields), *_block_figures(blocks)),
        tables=tuple(_tables(fields, blocks)),
    )


def _shown(summary: Summary, several: bool) -> Iterator[_Shown]:
    run = summary.name if several else ""
    workloads = ordered(case.case.workload for case in summary.cases)
    cases = [
        entry
        for entry in entries([summary], workloads)
        if entry.summary.case.id in summary.pictures
    ]
    for name, entry in zip(names(cases), cases, strict=True):
        words = (run, "" if entry.workload in name else entry.workload, name)
        picture = summary.pictures[entry.summary.case.id]
        yield _Shown(", ".join(filter(None, words)), run, entry, picture)


def _missing(summary: Summary) -> Iterator[str]:
    for case in summary.cases:
        if case.picture_missing and case.case.id not in summary.pictures:
            yield f"{case.case.workload} has no picture: {case.picture_missing}."


def _first(having: Sequence[_Shown], axes: Sequence[str]) -> tuple[list[_Shown], list[_Shown]]:
    """One for each combination of the axes that such pictures differ by; and the cases of those
    combinations that are too many.
    """
    firsts: dict[tuple[str, ...], _Shown] = {}
    for case in having:
        firsts.setdefault(case.key(axes), case)
    keys = list(firsts)[:_MOST]
    return [firsts[key] for key in keys], [case for case in having if case.key(axes) not in keys]


def _model_time(picture: Picture) -> str:
    days = picture.model_s / _DAY_S
    if days >= 2:
        return f"after {significant(days, 3)} days of model time"
    return f"after {significant(picture.model_s / _HOUR_S, 3)} hours of model time"


def _range(drawn: Map) -> str:
    low, high = (significant(float(value), 3) for value in _extremes(drawn))
    return f"{low} to {high} {drawn.unit}".replace("-", MINUS)


def _extremes(drawn: Map) -> tuple[float, float]:
    known = drawn.values[~np.isnan(drawn.values)]
    return (float(known.min()), float(known.max())) if known.size else (0.0, 0.0)


def _of_fields(shown: _Shown) -> str:
    ranges = [
        f"{drawn.title.lower()} {_range(drawn)}"
        for drawn in shown.picture.maps
        if drawn.name != _GROUND
    ]
    return f"{shown.name}: {_model_time(shown.picture)}, {', '.join(ranges)}."


def _of_blocks(shown: _Shown, owners: Owners) -> str:
    uneven = f"the busiest rank has {significant(imbalance(owners.work), 4)} times the mean work"
    if owners.omitted:
        return f"{shown.name}: {owners.omitted}; {uneven}."
    dropped = sum(block.owner == NOBODY for block in owners.blocks)
    total = len(owners.blocks)
    return f"{shown.name}: {dropped} of {total} blocks are land and dropped; {uneven}."


def _field_figures(fields: Sequence[_Shown]) -> Iterator[Figure]:
    for number, shown in enumerate(fields, start=1):
        ground = shown.picture.map(_GROUND)
        for drawn in shown.picture.maps:
            if drawn.name == _GROUND:
                continue
            meaning = _MEANING.get(drawn.name, "") if ground or drawn.name != "height" else ""
            when = _model_time(shown.picture)
            words = f"{drawn.title} in {drawn.unit}, {when}. {meaning} {shown.from_launch}"
            yield field_map(
                f"map-{drawn.name.replace('_', '-')}-{number}",
                f"{drawn.title}: {shown.name}",
                " ".join(words.split()),
                drawn,
                ground,
            )


def _block_figures(blocks: Sequence[_Shown]) -> Iterator[Figure]:
    for number, shown in enumerate(blocks, start=1):
        owners = shown.picture.owners
        if owners is None:
            continue
        if not owners.omitted:
            words = (
                "The grid by columns and rows, not by longitude and latitude; a colour for each "
                "rank, land in grey. Blank blocks have no ocean and belong to nobody. "
                f"{shown.from_launch}"
            )
            yield blocks_map(f"blocks-{number}", f"Blocks: {shown.name}", words, owners)
        if len(owners.work) <= MOST_RANKS:
            words = f"Each rank's cells of ocean. The line is the mean. {shown.from_launch}"
            yield work_bars(f"work-{number}", f"Share of the work: {shown.name}", words, owners)


def _tables(fields: Sequence[_Shown], blocks: Sequence[_Shown]) -> Iterator[Table]:
    rows: Rows = [
        ((shown.name, drawn.title), tuple(map(Cell, (drawn.unit, *_ends(drawn)))))
        for shown in fields
        for drawn in shown.picture.maps
    ]
    if rows:
        heads = ("unit", "lowest", "highest")
        yield Table("Fields of the maps, on cells of 2°", ("case", "field"), heads, tuple(rows))
    rows = [
        ((shown.name, str(rank)), (Cell(f"{work:,}"), Cell(f"{100 * work / total:.2f} %")))
        for shown in blocks
        if shown.picture.owners and (total := sum(shown.picture.owners.work))
        for rank, work in enumerate(shown.picture.owners.work[:MOST_RANKS])
    ]
    if rows:
        caption = f"Work by rank, of the first {MOST_RANKS} ranks at most"
        yield Table(caption, ("case", "rank"), ("cells of ocean", "share"), tuple(rows))


def _ends(drawn: Map) -> tuple[str, str]:
    low, high = _extremes(drawn)
    return significant(low), significant(high)


def blocks_map(name: str, title: str, words: str, owners: Owners) -> Figure:
    """The blocks in the colours of their ranks, over land; those of nobody are left blank."""
    ranks = len(owners.work)
    rows = [
        {
            "x": block.west,
            "x2": block.east,
            "y": block.south,
            "y2": block.north,
            "at_x": (block.west + block.east) / 2,
            "at_y": (block.south + block.north) / 2,
            "owner": _DROPPED if block.owner == NOBODY else f"rank {block.owner}",
            "rank": "" if block.owner == NOBODY else str(block.owner),
            "columns": f"{block.west} to {block.east - 1}",
            "rows": f"{block.south} to {block.north - 1}",
        }
        for block in owners.blocks
        if block.west < block.east and block.south < block.north
    ]
    # Neighbours along a curve follow each other in rank, and so differ in colour.
    names = [f"rank {rank}" for rank in range(ranks)]
    hues = [colour(f"series-{rank % SERIES}") for rank in range(ranks)]
    legend = alt.Legend(title=None, orient="top", columns=4) if ranks <= SERIES else None
    tips = {"owner": "owner", "columns": "columns", "rows": "rows"}
    base = alt.Chart().encode(
        _index("x", owners.columns, "column of the grid"), _index("y", owners.rows, "row")
    )
    edges = base.encode(x2="x2:Q", y2="y2:Q")
    owned = edges.transform_filter(f"datum.owner != '{_DROPPED}'")
    dropped = edges.transform_filter(f"datum.owner == '{_DROPPED}'")
    land = alt.Chart(alt.InlineData(values=list(_land(owners))))
    layers = [
        owned.mark_rect(opacity=0.75, aria=False).encode(
            color=alt.Color(
                "owner:N", scale=alt.Scale(domain=names, range=hues), sort=names, legend=legend
            )
        ),
        land.mark_rect(color=colour(LAND), aria=False).encode(
            x="x:Q", x2="x2:Q", y="y:Q", y2="y2:Q"
        ),
        dropped.mark_rect(color=colour("surface"), opacity=0.7, aria=False),
        edges.mark_rect(filled=False, stroke=colour("surface"), strokeWidth=1, aria=False),
        edges.mark_rect(color=colour("surface"), opacity=0, aria=False).encode(
            tooltip=tooltips(tips)
        ),
    ]
    if ranks > SERIES and len(rows) <= _MOST_NUMBERED:
        layers.append(
            base.mark_text(fontSize=10, color=colour("ink"), aria=False).encode(
                x="at_x:Q", y="at_y:Q", text="rank:N"
            )
        )
    chart = alt.layer(*layers, data=alt.InlineData(values=rows)).properties(
        width=480,
        height=round(480 * owners.rows / owners.columns),
        usermeta={"aspect": owners.rows / owners.columns, "most": _MOST_WIDTH},
    )
    return Figure(name, title, words, finished(chart), tabled=False)


def work_bars(name: str, title: str, words: str, owners: Owners) -> Figure:
    """A bar for each rank's share of the work, and the mean."""
    total = sum(owners.work) or 1
    ranks = [str(rank) for rank in range(len(owners.work))]
    rows = [
        {"rank": rank, "share": rounded(work / total), "cells": f"{work:,}"}
        for rank, work in zip(ranks, owners.work, strict=True)
    ]
    bars = (
        alt.Chart()
        .mark_bar(color=colour("series-0"), aria=False)
        .encode(
            alt.X("share:Q", title="share of the cells of ocean", axis=alt.Axis(format=".0%")),
            alt.Y("rank:N", title="rank", sort=ranks, axis=alt.Axis(labelLimit=60)),
            tooltip=tooltips({"rank": "rank", "cells": "cells of ocean"}),
        )
    )
    mean = (
        alt.Chart()
        .mark_rule(color=colour("ink"), strokeWidth=1.5, aria=False)
        .encode(x=alt.datum(1 / len(ranks)))
    )
    chart = alt.layer(bars, mean, data=alt.InlineData(values=rows)).properties(
        width=560, height=alt.Step(18)
    )
    return Figure(name, title, words, finished(chart))


def imbalance(work: Sequence[int]) -> float:
    """The busiest rank over the mean."""
    return max(work) * len(work) / (sum(work) or 1)


def _land(owners: Owners) -> Iterator[Row]:
    side = owners.land_side
    for number, line in enumerate(owners.land):
        for begin, end in runs(line):
            if line[begin]:
                yield {
                    "x": begin * side,
                    "x2": min(end * side, owners.columns),
                    "y": number * side,
                    "y2": min((number + 1 + _OVERLAP) * side, owners.rows),
                }


def _index(channel: str, end: int, title: str) -> alt.X | alt.Y:
    kind = alt.X if channel == "x" else alt.Y
    axis = alt.Axis(grid=False, tickCount=5, format="d")
    return kind(
        f"{channel}:Q", title=title, axis=axis, scale=alt.Scale(domain=[0, end], nice=False)
    )
