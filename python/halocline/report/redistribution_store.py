"""Store, the route of a redistribution: its time over the number of ranks, next to Li 2007."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import altair as alt

from halocline.base.quantities import MICROSECOND, significant, time_text
from halocline.report import redistribution_systems
from halocline.report.axes import (
    extent,
    finished,
    hue_and_shape,
    powers_of_ten,
    size_axis,
    tooltips,
)
from halocline.report.cells import NOTHING, Cell, Table, cell
from halocline.report.figures import Figure
from halocline.report.rows import Row, rounded
from halocline.report.section import Section
from halocline.store.growth import ratio_at
from halocline.store.paper import FIRST_RANKS, GRID, STORE_S
from halocline.store.scaling import (
    Planned,
    Stored,
    distinct,
    grows,
    largest_series,
    planned,
    whole,
)
from halocline.summary.ratios import plus_minus, times_text
from halocline.summary.summary import Summary

_ESMF = "ESMF 2007, Table 2"
_HERE = "Halocline"
_PAPER_HEADS = ("ESMF 2007, µs", f"ESMF / {FIRST_RANKS} ranks")
_CURVES = {1: "O(n)", 2: "O(n²)"}
_WHOLE_PLACE = ("MPI", "machine")  # of ranks that exist, on a machine that may be simulated


def redistribution_store(summaries: Sequence[Summary]) -> Section | None:
    """Routes for numbers of ranks that need not exist, and systems over ranks that do."""
    plans = planned(summaries)
    systems = redistribution_systems.panels(summaries)
    if not plans and not whole(summaries) and not systems:
        return None
    series = largest_series(plans)
    grown = (_figure(series),) if len(series) > 1 and series[0].ranks == FIRST_RANKS else ()
    return Section(
        name="redistribution-store",
        title="Redistribution: over the number of ranks",
        sentences=(*sentences(summaries), *redistribution_systems.sentences(systems)),
        charts=(*grown, *((redistribution_systems.figure(systems),) if systems else ())),
        details=(*tables(summaries), *redistribution_systems.tables(systems)),
    )


def sentences(summaries: Sequence[Summary]) -> Iterator[str]:
    """The time at both ends, the growth, the memory, and Table 1."""
    plans = planned(summaries)
    series = largest_series(plans)
    if series:
        ends = " and ".join(
            f"{time_text(plan.time.median)} {plus_minus(plan.time.half_width_relative)} at "
            f"{plan.ranks:,}"
            for plan in dict.fromkeys((series[0], series[-1]))
        )
        place = ", ".join(_place(series[0], distinct(plans, "MPI")))
        yield (
            f"Each rank computes its route on its own, from the layouts alone, in {ends} ranks "
            f"({series[0].grid}, {place})."
        )
        yield from _growth(series)
        yield from _memory(series)
    yield from _whole_sentence(whole(summaries))
    compared = [plan.to_the_byte for plan in plans if plan.to_the_byte is not None]
    if compared:
        yield (
            f"Table 1: the routes of all ranks move as many bytes as in the paper for "
            f"{sum(compared)} of {len(compared)} totals, to the byte."
        )


def _whole_sentence(whole_runs: Sequence[Stored]) -> Iterator[str]:
    """The time at both ends, for the series with the most numbers of ranks."""
    series: dict[tuple[str, ...], list[Stored]] = {}
    for run in whole_runs:
        series.setdefault(run.series, []).append(run)
    if not series:
        return
    longest = max(series.values(), key=len)
    place = ", ".join(_place(longest[0], distinct(whole_runs, *_WHOLE_PLACE)))
    ends = " and ".join(
        f"{time_text(run.time.median)} on {run.ranks:,}"
        for run in dict.fromkeys((longest[0], longest[-1]))
    )
    grown = grows(longest)
    words = (
        f", growing as n^{grown.exponent:.2f} ({grown.low:.2f} to {grown.high:.2f})"
        if grown
        else ""
    )
    yield (
        f"All that a program does once, route and redistribution with their collectives, takes "
        f"{ends} ranks ({longest[0].grid}, {place}){words}."
    )


def _growth(series: Sequence[Planned]) -> Iterator[str]:
    growth = grows(series)
    if growth is None:
        return
    esmf = STORE_S[max(STORE_S)] / STORE_S[FIRST_RANKS]
    yield (
        f"Its time grows as n^{growth.exponent:.2f} ({growth.low:.2f} to {growth.high:.2f}) with "
        f"the number n of ranks, {series[0].ranks:,} to {series[-1].ranks:,}; ESMF's grew "
        f"{times_text(esmf)}-fold from {FIRST_RANKS} to {max(STORE_S):,}; past 128 by its text as "
        "n², by its column as n^1.73."
    )


def _memory(series: Sequence[Planned]) -> Iterator[str]:
    last = series[-1]
    if last.memory and last.boxes:
        yield (
            f"At {last.ranks:,} ranks no rank stores more than {last.memory.median:,.0f} B and "
            f"{last.boxes.median:.0f} boxes for it."
        )


def tables(summaries: Sequence[Summary]) -> tuple[Table, ...]:
    """Times next to the paper's, and bytes next to Table 1; none without rows."""
    plans = planned(summaries)
    candidates = (
        _times_table(plans),
        _whole_table(whole(summaries)),
        _bytes_table([plan for plan in plans if plan.paper_bytes]),
    )
    return tuple(table for table in candidates if table.rows)


def _place(row: Stored, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(row.place[name] for name in names)


def _times_table(plans: Sequence[Planned]) -> Table:
    first = _first_s(plans)
    names = distinct(plans)
    rows = tuple(
        (
            (*_place(plan, names), plan.grid, f"{plan.ranks:,}"),
            (
                cell(plan.time, MICROSECOND),
                _growth_cell(plan.time.median, first.get(plan.series)),
                *_paper_cells(plan.paper_s),
                _paper_ratio(plan),
                Cell(f"{plan.memory.median:,.0f}" if plan.memory else NOTHING),
                Cell(f"{plan.boxes.median:.0f}" if plan.boxes else NOTHING),
            ),
        )
        for plan in plans
    )
    heads = ("time, µs", f"/ {FIRST_RANKS} ranks", *_PAPER_HEADS, "ESMF / here", "kept, B", "boxes")
    caption = "Store of one rank by the number of ranks, median and 95 % interval"
    return Table(caption, (*names, "grid", "ranks"), heads, rows)


def _bytes_table(plans: Sequence[Planned]) -> Table:
    names = distinct(plans)
    rows = tuple(
        (
            (*_place(plan, names), f"{plan.ranks:,}"),
            (
                Cell(f"{plan.redistributed.median:.0f}" if plan.redistributed else NOTHING),
                Cell(f"{plan.paper_bytes}"),
                Cell("yes" if plan.to_the_byte else "no"),
            ),
        )
        for plan in plans
    )
    heads = ("sum over all routes, B", "Table 1, B", "equal")
    caption = f"Bytes that change rank, eight fields of {GRID}"
    return Table(caption, (*names, "ranks"), heads, rows)


def _whole_table(runs: Sequence[Stored]) -> Table:
    first = _first_s(runs)
    names = distinct(runs, *_WHOLE_PLACE)
    rows = tuple(
        (
            (*_place(run, names), run.grid, f"{run.ranks:,}"),
            (
                cell(run.time, MICROSECOND),
                _growth_cell(run.time.median, first.get(run.series)),
                *_paper_cells(run.paper_s),
            ),
        )
        for run in runs
    )
    caption = "The whole of Store: route, way, buffers and what the protocol sets up; slowest rank"
    heads = ("time, µs", f"/ {FIRST_RANKS} ranks", *_PAPER_HEADS)
    return Table(caption, (*names, "grid", "ranks"), heads, rows)


def _first_s(rows: Sequence[Stored]) -> dict[tuple[str, ...], float]:
    """The times on the ranks that the paper's second column is relative to, by series."""
    return {row.series: row.time.median for row in rows if row.ranks == FIRST_RANKS}


def _growth_cell(time_s: float, first_s: float | None) -> Cell:
    return Cell(NOTHING if first_s is None else times_text(time_s / first_s))


def _paper_cells(paper_s: float | None) -> tuple[Cell, Cell]:
    """Both columns of Table 2; the second is headed T(n)/T(128) there, but holds T(n)/T(32)."""
    if paper_s is None:
        return Cell(NOTHING), Cell(NOTHING)
    ratio = paper_s / STORE_S[FIRST_RANKS]
    return Cell(significant(paper_s / MICROSECOND.factor)), Cell(times_text(ratio))


def _paper_ratio(each: Planned) -> Cell:
    return Cell(NOTHING if each.paper_s is None else times_text(each.paper_s / each.time.median))


def _figure(series: Sequence[Planned]) -> Figure:
    """Figure 8 of the paper with the measured times; every curve is 1 at its first ranks."""
    drawn = _rows(series)
    low, high = extent(drawn, "ratio")
    scale = alt.Scale(type="log", domain=[low, high], nice=False)
    axis = alt.Axis(values=powers_of_ten(low, high), format=",~r")
    y = alt.Y("ratio:Q", title=f"time / time at {FIRST_RANKS} ranks", scale=scale, axis=axis)
    hue, shape = hue_and_shape(drawn)
    base = alt.Chart().encode(size_axis(drawn, "ranks", in_bytes=False), hue)
    shown = {
        **{"series": "of", "size": "ranks", "time_text": "time"},
        "ratio_text": f"against {FIRST_RANKS} ranks",
    }
    chart = alt.layer(
        base.mark_line(strokeWidth=1.5, aria=False).encode(y),
        base.transform_filter("isValid(datum.ratio_low)")
        .mark_rule(strokeWidth=1.5, clip=True, aria=False)
        .encode(alt.Y("ratio_low:Q", scale=scale, axis=axis), alt.Y2("ratio_high")),
        base.mark_point(filled=True, size=34, opacity=1, aria=False).encode(y, shape),
        base.mark_point(shape="circle", size=160, filled=True, opacity=0, aria=False).encode(
            y, tooltip=tooltips(shown)
        ),
    ).properties(width=900, height=300)
    faceted = chart.facet(
        facet=alt.Facet("panel:N", title=None), columns=1, data=alt.InlineData(values=drawn)
    )
    return Figure(
        "redistribution-store-growth",
        "Store's growth with the number of ranks",
        f"Each time divided by that at {FIRST_RANKS} ranks, as figure 8 of Li 2007, both axes "
        "logarithmic; bars are 95 % intervals over launches.",
        finished(faceted),
    )


def _rows(series: Sequence[Planned]) -> list[Row]:
    first, *_ = series
    ranks = sorted({plan.ranks for plan in series} | set(STORE_S))
    drawn = []
    for plan in series:
        row = _row(_HERE, plan.ranks, plan.time.median / first.time.median)
        row["time_text"] = time_text(plan.time.median)
        if plan.time.bounds:
            low_s, high_s = plan.time.bounds
            row["ratio_low"] = low_s / first.time.median
            row["ratio_high"] = high_s / first.time.median
        drawn.append(row)
    for count, time_s in STORE_S.items():
        row = _row(_ESMF, count, time_s / STORE_S[FIRST_RANKS])
        drawn.append(row | {"time_text": time_text(time_s)})
    for exponent, name in _CURVES.items():
        drawn += [
            _row(name, count, ratio_at(count, FIRST_RANKS, exponent))
            for count in ranks
            if FIRST_RANKS <= count <= max(STORE_S)
        ]
    return drawn


def _row(name: str, ranks: int, ratio: float) -> Row:
    return {
        "panel": "Store",
        "series": name,
        "bytes": ranks,
        "at": ranks,
        "size": f"{ranks:,}",
        "ratio": rounded(ratio),
        "ratio_text": times_text(ratio),
        "time_text": NOTHING,
    }
