"""The halo exchange: every protocol over the words of a row, and which is best."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import altair as alt

from halocline.base.quantities import time_text
from halocline.base.units import counted
from halocline.report.axes import finished
from halocline.report.best import Best, best_protocols
from halocline.report.entries import Entry, ordered, points
from halocline.report.figures import SLOWDOWNS, Figure, slowdowns
from halocline.report.lines import lines
from halocline.report.rows import dot, rows
from halocline.report.section import Section, joined
from halocline.report.tables import best_tables, curve_tables, slowdown_tables
from halocline.summary.ratios import plus_minus
from halocline.summary.summary import Summary

HALO = "halo"
_PER_PANEL = 5  # lines that remain distinguishable


def halo(summaries: Sequence[Summary]) -> Section | None:
    """The time of one exchange, including copies to and from buffers."""
    timed = [point for point in points(summaries, (HALO,)) if point.measured]
    if not timed:
        return None
    best = best_protocols(timed)
    chosen = {panel: _chosen(timed, best, panel) for panel in ordered(map(_panel, timed))}
    dots = [
        dot(_panel(point), point.protocol, point.size, point.time, size_text="{:,}".format)
        for point in timed
        if point.protocol in chosen[_panel(point)]
    ]
    curves = lines(
        "halo-time",
        "Time of a halo exchange",
        f"At most {_PER_PANEL} protocols: those that are fastest at most widths, and "
        "send_recv for comparison.",
        dots,
        "time",
        along="words per row",
        in_bytes=False,
    )
    return Section(
        name="halo",
        title="Halo exchange",
        sentences=joined(list(_sentences(best))),
        charts=(curves, *_cells(timed)),
        details=(
            *best_tables(timed, _words),
            *curve_tables(timed, "time", _words),
            *slowdown_tables(timed, _words),
        ),
    )


def _panel(point: Entry) -> str:
    return f"{point.series}{point.variant.removeprefix(HALO)}"


def _words(size: int) -> str:
    return f"{size:,} {'word' if size == 1 else 'words'}"


def _chosen(timed: Sequence[Entry], best: dict[tuple[str, str, int], Best], panel: str) -> set[str]:
    """The protocols that win most often, and the plainest one."""
    wins = [winner.fastest.protocol for winner in best.values() if _panel(winner.fastest) == panel]
    protocols = ordered(point.protocol for point in timed if _panel(point) == panel)
    ranked = sorted(protocols, key=lambda name: (-wins.count(name), name != "send_recv"))
    plain = {"send_recv"} & set(protocols)
    return {*ranked[: _PER_PANEL - len(plain)], *plain}


def _cells(timed: Sequence[Entry]) -> Iterator[Figure]:
    """Every protocol at every width, against the fastest; one figure for each shape of halo."""
    for variant in ordered(point.variant for point in timed):
        drawn = rows([point for point in timed if point.variant == variant], _words)
        panels = ordered(row["series"] for row in drawn)
        if len({row["protocol"] for row in drawn}) > 1:
            chart = slowdowns(drawn, alt.InlineData(values=drawn), "words per row")
            name = f"halo-protocols-{'-'.join(variant.replace('=', ' ').replace(',', '').split())}"
            title = f"Which protocol is best at which width of the {variant}"
            yield Figure(name, title, SLOWDOWNS, finished(chart), len(panels))


def _sentences(best: dict[tuple[str, str, int], Best]) -> Iterator[str]:
    """For each series the fastest protocol of the narrowest and of the widest halo."""
    for panel in ordered(_panel(winner.fastest) for winner in best.values()):
        slowest = sorted(
            (winner for winner in best.values() if _panel(winner.fastest) == panel),
            key=lambda each: each.fastest.size,
        )
        ends = [_one(winner) for winner in (*slowest[:1], *slowest[1:][-1:])]
        yield f"{panel}: {'; '.join(ends)}."


def _one(each: Best) -> str:
    point = each.fastest
    text = (
        f"at {_words(point.size)} per row {point.protocol} is fastest with "
        f"{time_text(each.time.median)} {plus_minus(each.time.half_width_relative)}"
    )
    tied = f" ({counted(len(each.tied), 'other')} may be as fast)" if each.tied else ""
    return text + tied
