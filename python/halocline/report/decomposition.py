"""Which rank owns which block of a grid, and how much work that is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import altair as alt

from halocline.report.axes import finished
from halocline.report.figures import Figure
from halocline.report.maps import LAND, runs
from halocline.report.palette import SERIES, colour
from halocline.report.rows import Row
from halocline.samples.pictures import NOBODY, Owners

MOST_RANKS = 64  # with a bar of their own
_MOST_NUMBERED = 160  # blocks
_MOST_WIDTH = 560
_DROPPED = "dropped"
_OVERLAP = 0.2  # of a land cell, or the blocks would show between its rows


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
            tooltip=[alt.Tooltip(f"{field}:N", title=of) for field, of in tips.items()]
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
    return Figure(name, title, words, finished(chart))


def work_bars(name: str, title: str, words: str, owners: Owners) -> Figure:
    """A bar for each rank's share of the work, and the mean."""
    total = sum(owners.work) or 1
    ranks = [str(rank) for rank in range(len(owners.work))]
    rows = [
        {"rank": rank, "share": float(f"{work / total:.6g}"), "cells": f"{work:,}"}
        for rank, work in zip(ranks, owners.work, strict=True)
    ]
    bars = (
        alt.Chart()
        .mark_bar(color=colour("series-0"), aria=False)
        .encode(
            alt.X("share:Q", title="share of the cells of ocean", axis=alt.Axis(format=".0%")),
            alt.Y("rank:N", title="rank", sort=ranks, axis=alt.Axis(labelLimit=60)),
            tooltip=[
                alt.Tooltip("rank:N", title="rank"),
                alt.Tooltip("cells:N", title="cells of ocean"),
            ],
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
