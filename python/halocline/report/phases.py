"""The parts of a step: their shares by case, how they are spread over the ranks, and a table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from halocline.base.quantities import (
    GFLOPS,
    MB_S,
    MEGABYTES,
    Unit,
    significant,
    time_text,
    time_unit,
)
from halocline.report.axes import finished, tooltips
from halocline.report.cells import NOTHING, Cell, Rows, Table, cell
from halocline.report.entries import Entry, entries, names, ordered
from halocline.report.figures import Figure
from halocline.report.palette import colour, part_colour
from halocline.report.rows import Row, rounded
from halocline.report.section import Section, joined
from halocline.summary.metrics import SIMULATED_YEARS
from halocline.summary.phases import OfBound, PhaseSummary, UsualBatch
from halocline.summary.ratios import fine_share_text, plus_minus
from halocline.summary.shares import unknown_text
from halocline.summary.summary import Summary

_OUTSIDE = "outside all phases"
_MOST_CASES = 8  # whose timelines are drawn
_MOST_RANKS = 64  # of a case that a figure can distinguish
_UNEVEN = 1.1  # slowest over mean from which a phase is named
_HEADS = ("share of the step", "slowest / mean", "Gflop/s", "of arithmetic", "MB/s", "of memory")

Drawn = Sequence[tuple[str, Entry]]


@dataclass(frozen=True)
class _Group:
    """The cases of one workload, whose phases share their colours."""

    workload: str  # empty if there is only one
    drawn: Drawn

    @property
    def phases(self) -> list[str]:
        return list(ordered(p.name for _, entry in self.drawn for p in entry.summary.phases))

    def figure(self, name: str, title: str, *rest: Any) -> Figure:
        """With the workload in its name and title, if there are several."""
        if self.workload:
            name, title = f"{name}-{self.workload}", f"{title}: {self.workload}"
        return Figure(name, title, *rest)

    @property
    def batches(self) -> list[tuple[str, UsualBatch]]:
        """The batch of each case whose ranks a figure can distinguish."""
        return [
            (name, entry.summary.usual_batch)
            for name, entry in self.drawn
            if entry.summary.usual_batch and entry.summary.case.ranks <= _MOST_RANKS
        ]

    @property
    def medians(self) -> list[tuple[str, Mapping[str, Sequence[float]]]]:
        """Each such case with the times of its ranks, by phase; without those of one rank."""
        cases = [
            (name, {p.name: p.rank_s for p in e.summary.phases if len(p.rank_s) > 1})
            for name, e in self.drawn
            if 1 < e.summary.case.ranks <= _MOST_RANKS
        ]
        return [(name, rank_s) for name, rank_s in cases if rank_s]


def phases(summaries: Sequence[Summary]) -> Section | None:
    """Each phase's share of the step, and its imbalance."""
    workloads = ordered(
        case.case.workload for summary in summaries for case in summary.cases if case.phases
    )
    cases = [entry for entry in entries(summaries, workloads) if entry.summary.phases]
    if not cases:
        return None
    drawn = list(zip(names(cases), cases, strict=True))
    groups = [
        _Group(workload if len(workloads) > 1 else "", of)
        for workload in workloads
        if (of := [(name, entry) for name, entry in drawn if entry.workload == workload])
    ]
    return Section(
        name="phases",
        title="Phases: where a step's time goes",
        sentences=(*joined([_sentence(name, entry) for name, entry in drawn]), *_unbounded(cases)),
        charts=(
            *map(_shares, groups),
            *(chart for group in groups for chart in _timelines(group)),
            *(chart for group in groups for chart in _imbalance(group)),
        ),
        tables=(_table(drawn),),
        details=tuple(table for group in groups for table in _rank_tables(group)),
    )


def _sentence(name: str, entry: Entry) -> str:
    """The longest phase, and the most uneven one of those that matter."""
    parts = entry.summary.phases
    longest = max(parts, key=lambda phase: phase.share.median)
    text = (
        f"{name}: {longest.name} takes {fine_share_text(longest.share.median)} of the step of "
        f"{time_text(entry.time.median)} {plus_minus(entry.time.half_width_relative)}"
    )
    if years := entry.metric(SIMULATED_YEARS):
        text += f", {significant(years.median)} {SIMULATED_YEARS}"
    uneven = [p for p in parts if p.share.median >= 0.05 and p.imbalance.median >= _UNEVEN]
    if uneven:
        worst = max(uneven, key=lambda phase: phase.imbalance.median)
        text += (
            f"; in {worst.name} the slowest rank takes {significant(worst.imbalance.median, 3)} "
            "times the mean"
        )
    bounds = [bound for bound in (longest.of_memory, longest.of_arithmetic) if bound]
    if bounds:
        nearest = max(bounds, key=lambda each: each.share)
        share = fine_share_text(nearest.share)
        text += f"; {longest.name} reaches {share} of the rate of {nearest.bound}"
    return f"{text}."


def _unbounded(cases: Sequence[Entry]) -> Iterator[str]:
    for line in ordered(line for entry in cases for line in entry.summary.unbounded):
        yield f"{unknown_text(line)}."


def _shares(group: _Group) -> Figure:
    """A bar for each case, stacked from mean times of the ranks: they add up to the step."""
    rows: list[Row] = []
    for name, entry in group.drawn:
        shares = [(phase.name, phase.share.median) for phase in entry.summary.phases]
        rest = max(0.0, 1 - sum(share for _, share in shares))
        for order, (phase, share) in enumerate([*shares, (_OUTSIDE, rest)]):
            time_s = share * entry.time.median
            rows.append(
                {
                    "case": name,
                    "phase": phase,
                    "share": rounded(share),
                    "order": order,
                    "share_text": fine_share_text(share),
                    "time_text": time_text(time_s) if time_s else "0",
                }
            )
    cases = list(ordered(row["case"] for row in rows))
    shown = {"case": "case", "phase": "phase", "share_text": "share", "time_text": "time"}
    chart = alt.layer(
        alt.Chart()
        .mark_bar(aria=False)
        .encode(
            alt.X(
                "share:Q",
                title="share of the step",
                axis=alt.Axis(format=".0%"),
                scale=alt.Scale(domain=[0, _longest(rows)], nice=False),
                stack="zero",
            ),
            alt.Y("case:N", sort=cases, title=None, axis=alt.Axis(labelLimit=420)),
            _hue([*group.phases, _OUTSIDE]),
            order=alt.Order("order:Q"),
            tooltip=tooltips(shown),
        ),
        data=alt.InlineData(values=rows),
    ).properties(width=560, height=max(60, 24 * len(cases)))
    words = (
        "Mean over the ranks of the time in each phase, divided by the time of the step. What is "
        "in no phase is grey."
    )
    return group.figure("phases-shares", "Shares of the step", words, finished(chart))


def _longest(rows: Sequence[Row]) -> float:
    """Where the longest bar ends: medians of shares need not add up to 1."""
    ends: dict[str, float] = defaultdict(float)
    for row in rows:
        ends[row["case"]] += row["share"]
    return max(1.0, *ends.values())


def _hue(names: Sequence[str]) -> alt.Color:
    hues = [colour("grid") if n == _OUTSIDE else part_colour(i) for i, n in enumerate(names)]
    legend = alt.Legend(title=None, orient="top", columns=4, labelLimit=300)
    return alt.Color("phase:N", scale=alt.Scale(domain=list(names), range=hues), legend=legend)


def _timelines(group: _Group) -> Iterator[Figure]:
    """One batch of each case: how long every rank was in each phase of a step."""
    batches = group.batches
    if not batches:
        return
    shown = batches[:_MOST_CASES]
    rows = [row for name, batch in shown for row in _of_batch(_panel(name, batch), batch)]
    panels = list(ordered(row["case"] for row in rows))
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
            _hue(group.phases),
            order=alt.Order("order:Q"),
            tooltip=tooltips(tips),
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
    title = "Ranks through a step"
    yield group.figure("phases-timeline", title, words, finished(chart), len(panels))


def _panel(name: str, batch: UsualBatch) -> str:
    step = time_text(batch.step_s)
    return f"{name}: launch {batch.launch}, batch {batch.number}, a step of {step}"


def _of_batch(panel: str, batch: UsualBatch) -> Iterator[Row]:
    for order, (phase, times_s) in enumerate(batch.rank_s.items()):
        for rank, time_s in enumerate(times_s):
            share = time_s / batch.step_s
            yield {
                "case": panel,
                "phase": phase,
                "rank": str(rank),
                "share": rounded(share),
                "order": order,
                "time_text": time_text(time_s) if time_s else "0",
                "share_text": fine_share_text(share),
            }


def _imbalance(group: _Group) -> Iterator[Figure]:
    """A point for each rank in each phase, relative to the mean of the ranks."""
    rows = [
        _of_rank(name, phase, rank, time_s, sum(times_s) / len(times_s))
        for name, rank_s in group.medians
        for phase, times_s in rank_s.items()
        if sum(times_s) > 0
        for rank, time_s in enumerate(times_s)
    ]
    if not rows:
        return
    panels = list(ordered(row["case"] for row in rows))
    shown = {"phase": "phase", "rank": "rank", "time_text": "time", "ratio": "of the mean"}
    even = alt.Chart().mark_rule(color=colour("muted"), aria=False).encode(y=alt.datum(1))
    points = (
        alt.Chart()
        .mark_line(point=alt.OverlayMarkDef(size=36, filled=True), strokeWidth=1, aria=False)
        .encode(
            alt.X("rank:Q", title="rank", axis=alt.Axis(tickMinStep=1, format="d", grid=False)),
            alt.Y("ratio:Q", title="time / mean of the ranks", scale=alt.Scale(zero=True)),
            _hue(group.phases),
            tooltip=tooltips(shown),
        )
    )
    faceted = (
        alt.layer(even, points)
        .properties(width=560, height=160)
        .facet(
            facet=alt.Facet("case:N", title=None, sort=panels),
            columns=1,
            data=alt.InlineData(values=rows),
        )
    )
    words = (
        "Median time of each rank in each phase, divided by the mean over the ranks: 1 is even. In "
        "a phase that waits, as in a global sum, the ranks that come early take longest."
    )
    title = "Imbalance by rank"
    yield group.figure("phases-imbalance", title, words, finished(faceted), len(panels))


def _of_rank(case: str, phase: str, rank: int, time_s: float, mean_s: float) -> dict[str, Any]:
    ratio = float(f"{time_s / mean_s:.4g}")
    text = time_text(time_s) if time_s else "0"
    return {"case": case, "phase": phase, "rank": rank, "ratio": ratio, "time_text": text}


def _rank_tables(group: _Group) -> Iterator[Table]:
    """The numbers of the timelines and of the imbalance: ranks down, phases across."""
    of = f" of {group.workload}" if group.workload else ""
    batches = [(_panel(*each), each[1].rank_s) for each in group.batches[:_MOST_CASES]]
    for words, cases in (("in one batch", batches), ("median over launches", group.medians)):
        times_s = [time_s for _, rank_s in cases for each in rank_s.values() for time_s in each]
        unit = time_unit(times_s)
        rows = tuple(
            ((name, str(rank)), tuple(_rank_cell(rank_s.get(p), rank, unit) for p in group.phases))
            for name, rank_s in cases
            for rank in range(max(map(len, rank_s.values())))
        )
        if rows:
            caption = f"Time of each rank in each phase of a step{of}, {words}, in {unit.name}"
            yield Table(caption, ("case", "rank"), tuple(group.phases), rows)


def _rank_cell(times_s: Sequence[float] | None, rank: int, unit: Unit) -> Cell:
    known = times_s is not None and rank < len(times_s)
    return Cell(significant(times_s[rank] / unit.factor) if times_s and known else NOTHING)


def _table(drawn: Drawn) -> Table:
    unit = time_unit(phase.time.median for _, entry in drawn for phase in entry.summary.phases)
    rows: Rows = [
        (
            (name, phase.name),
            (
                cell(phase.time, unit),
                Cell(
                    fine_share_text(phase.share.median),
                    plus_minus(phase.share.half_width_relative),
                ),
                Cell(significant(phase.imbalance.median, 3)),
                cell(phase.rate, GFLOPS),
                _of_bound(phase.of_arithmetic),
                cell(phase.bandwidth, MB_S, _total(phase)),
                _of_bound(phase.of_memory),
                Cell(_megabytes(phase.sent_bytes.total)),
            ),
        )
        for name, entry in drawn
        for phase in entry.summary.phases
    ]
    caption = (
        "Phases of one step: mean time of the ranks, median and 95 % interval over launches; rates "
        "of one rank while it is in the phase, and their share of what the kernels of the same run "
        "reached with all ranks at once"
    )
    heads = (f"time, {unit.name}", *_HEADS, "MB sent, all ranks")
    return Table(caption, ("case", "phase"), heads, tuple(rows))


def _total(phase: PhaseSummary) -> str:
    return f"{_megabytes(phase.memory_bytes.total)} MB in all" if phase.bandwidth else ""


def _megabytes(amount: int) -> str:
    return significant(amount / MEGABYTES.factor) if amount else NOTHING


def _of_bound(nearest: OfBound | None) -> Cell:
    if nearest is None:
        return Cell(NOTHING)
    ends = [fine_share_text(end) for end in (nearest.low, nearest.high) if end is not None]
    span = " to ".join(ends) if len(ends) == 2 else ""
    return Cell(fine_share_text(nearest.share), note=span)
