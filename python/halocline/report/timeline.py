"""One batch of each case: how long every rank was in each phase of a step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import altair as alt

from halocline.base.quantities import time_text
from halocline.report.axes import finished
from halocline.report.entries import Entry
from halocline.report.figures import Figure
from halocline.report.palette import colour, part_colour
from halocline.report.points import ordered
from halocline.report.rows import Row
from halocline.summary.phases import UsualBatch

_MOST_CASES = 8
_MOST_RANKS = 64


def timelines(drawn: Sequence[tuple[str, Entry]]) -> Iterator[Figure]:
    """A panel for each case, with a bar for each rank."""
    batches = [
        (name, entry.summary.usual_batch)
        for name, entry in drawn
        if entry.summary.usual_batch and entry.summary.case.ranks <= _MOST_RANKS
    ]
    if not batches:
        return
    shown = batches[:_MOST_CASES]
    rows = [row for name, batch in shown for row in _rows(_panel(name, batch), batch)]
    phases = list(ordered(row["phase"] for row in rows if row["phase"]))
    panels = list(ordered(row["case"] for row in rows))
    hues = [part_colour(i) for i in range(len(phases))]
    tips = {"phase": "phase", "rank": "rank", "time_text": "time", "share_text": "of the step"}
    bars = (
        alt.Chart()
        .mark_bar(aria=False)
        .encode(
            alt.X("share:Q", title="share of the step", axis=alt.Axis(format=".0%"), stack="zero"),
            alt.Y(
                "rank:N",
                title="rank",
                sort=list(ordered(row["rank"] for row in rows)),
                axis=alt.Axis(labelLimit=60),
            ),
            alt.Color(
                "phase:N",
                scale=alt.Scale(domain=phases, range=hues),
                legend=alt.Legend(title=None, orient="top", columns=4, labelLimit=300),
            ),
            order=alt.Order("order:Q"),
            tooltip=[alt.Tooltip(f"{field}:N", title=title) for field, title in tips.items()],
        )
    )
    end = (
        alt.Chart()
        .mark_rule(color=colour("ink"), strokeWidth=1.5, aria=False)
        .encode(x=alt.datum(1))
    )
    chart = (
        alt.layer(bars, end)
        .properties(width=560, height=alt.Step(20))
        .facet(
            facet=alt.Facet("case:N", title=None, sort=panels),
            columns=1,
            data=alt.InlineData(values=rows),
        )
        .resolve_scale(y="independent")
    )
    words = (
        "One batch of each case, the one whose step takes as long as most of its launch's: the "
        "time of every rank in each phase of a step, summed over the visits to that phase. The "
        "line is the end of the step, by its slowest rank; what is missing up to it is in no phase."
    )
    if len(batches) > len(shown):
        words += f" The first {len(shown)} of {len(batches)} cases."
    yield Figure("phases-timeline", "Ranks through a step", words, finished(chart), len(panels))


def _panel(name: str, batch: UsualBatch) -> str:
    step = time_text(batch.step_s)
    return f"{name}: launch {batch.launch}, batch {batch.number}, a step of {step}"


def _rows(panel: str, batch: UsualBatch) -> Iterator[Row]:
    for order, (phase, times_s) in enumerate(batch.rank_s.items()):
        for rank, time_s in enumerate(times_s):
            share = time_s / batch.step_s
            yield {
                "case": panel,
                "phase": phase,
                "rank": str(rank),
                "share": float(f"{share:.6g}"),
                "order": order,
                "time_text": time_text(time_s) if time_s else "0",
                "share_text": f"{100 * share:.1f} %",
            }
