"""The tables of a report, as text ready to print."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from halocline.base.quantities import (
    MB_S,
    MICROSECOND,
    Unit,
    rate_unit,
    significant,
    size_label,
    time_unit,
)
from halocline.hosts.reachable import BETWEEN_NODES
from halocline.report.best import Best, apart, best_protocols, comparable, fastest_of
from halocline.report.cells import NOTHING, Cell, Table, cell
from halocline.report.entries import BOTH_WAYS, ON_NODE, ONE_WAY, Entry, ordered
from halocline.report.headlines import LARGE_BYTES, SMALL_BYTES, at_size
from halocline.report.paper import MACHINES, Published
from halocline.summary.summary import CaseSummary


@dataclass(frozen=True)
class Specification:
    """One quantity of the 2005 table: this machine's series, then the published machines."""

    quantity: str
    where: str
    here: tuple[Cell, ...]
    published: tuple[str, ...]


def specification(points: Sequence[Entry]) -> tuple[Specification, ...]:
    """The technical-specification table of 2005, with each library's fastest protocol.

    Measurements between made hosts have their own row: no published figure is comparable.
    """
    places = (ON_NODE, *ordered([BETWEEN_NODES, *(p.place for p in points if p.place != ON_NODE)]))
    libraries = ordered(point.library for point in points)
    best = best_protocols(points)
    quantities: tuple[tuple[str, str, int, Literal["time", "bandwidth"], Unit], ...] = (
        ("8-byte latency, one way, µs", ONE_WAY, SMALL_BYTES, "time", MICROSECOND),
        ("1 MiB bandwidth, one direction, MB/s", ONE_WAY, LARGE_BYTES, "bandwidth", MB_S),
        ("1 MiB bandwidth, both directions, MB/s", BOTH_WAYS, LARGE_BYTES, "bandwidth", MB_S),
    )
    table = []
    for row, (quantity, workload, size, name, unit) in enumerate(quantities):
        known = {
            (fastest.library, fastest.place): fastest
            for winner in at_size(best, workload, size).values()
            for fastest in [winner.fastest]
        }
        for place, where in enumerate(places):
            here = tuple(
                cell(fastest.metric(name), unit, fastest.protocol)
                if (fastest := known.get((library, where)))
                else Cell(NOTHING)
                for library in libraries
            )
            published = tuple(_published(machine, row, place) for machine in MACHINES)
            shown = "on the node" if where == ON_NODE else where
            table.append(Specification(quantity, shown, here, published))
    return tuple(table)


def _published(machine: Published, row: int, place: int) -> str:
    values = (machine.latency_us, machine.one_way_mb_s, machine.both_ways_mb_s)[row]
    value = values[place] if place < len(values) else None
    return NOTHING if value is None else f"{value:g}"


def curve_tables(
    points: Sequence[Entry],
    quantity: Literal["time", "bandwidth"],
    size_text: Callable[[int], str] = size_label,
) -> list[Table]:
    """A figure's data: a table per workload, protocols and sizes down, series across."""
    series = ordered(point.series for point in points)
    tables = []
    for variant in ordered(point.variant for point in points):
        shown = [point for point in points if point.variant == variant]
        metrics = [m for point in shown if (m := point.metric(quantity))]
        if not metrics:
            continue
        medians = [metric.median for metric in metrics]
        unit = time_unit(medians) if quantity == "time" else rate_unit(medians)
        at = {(point.protocol, point.size, point.series): point for point in shown}
        rows = []
        for protocol, size in dict.fromkeys((point.protocol, point.size) for point in shown):
            cells = tuple(_point_cell(at.get((protocol, size, s)), quantity, unit) for s in series)
            rows.append(((protocol, size_text(size)), cells))
        caption = f"{variant}: {quantity} in {unit.name}, median and 95 % interval"
        tables.append(Table(caption, ("protocol", "size"), series, tuple(rows)))
    return tables


def _point_cell(point: Entry | None, quantity: str, unit: Unit) -> Cell:
    if point is None:
        return Cell(NOTHING)
    metric = point.metric(quantity)
    return cell(metric, unit) if metric else Cell(_without_metric(point.summary))


def _without_metric(summary: CaseSummary) -> str:
    return NOTHING if summary.status == "measured" else summary.status


def best_tables(
    points: Sequence[Entry], size_text: Callable[[int], str] = size_label
) -> list[Table]:
    """Which protocol is best at which size: a table for each workload, series across."""
    compared = comparable(points)
    best = best_protocols(compared)
    series = ordered(name for name, _, _ in best)
    tables = []
    for variant in ordered(name for _, name, _ in best):
        times = [fastest.time.median for (_, name, _), fastest in best.items() if name == variant]
        unit = time_unit(times)
        rows = []
        for size in sorted({size for _, name, size in best if name == variant}):
            cells = []
            for curve in series:
                fastest = best.get((curve, variant, size))
                if fastest is None:
                    cells.append(Cell(NOTHING))
                    continue
                rivals = ", ".join(point.protocol for point in fastest.tied)
                may_be = f"; {rivals} may be as fast" if rivals else ""
                cells.append(cell(fastest.time, unit, fastest.fastest.protocol + may_be))
            rows.append(((size_text(size),), tuple(cells)))
        caption = f"{variant}: the {fastest_of(points, compared)}, and its time in {unit.name}"
        tables.append(Table(caption, ("size",), series, tuple(rows)))
    return tables


def slowdown_tables(
    points: Sequence[Entry], size_text: Callable[[int], str] = size_label
) -> list[Table]:
    """The slowdown of each protocol relative to the best: a table per workload."""
    best = best_protocols(points)
    series = ordered(point.series for point in points)
    tables = []
    for variant in ordered(name for _, name, _ in best):
        at = {(p.protocol, p.size, p.series): p for p in points if p.variant == variant}
        rows = []
        for protocol, size in dict.fromkeys((protocol, size) for protocol, size, _ in at):
            cells = tuple(_slowdown(at.get((protocol, size, curve)), best) for curve in series)
            rows.append(((protocol, size_text(size)), cells))
        caption = f"{variant}: time divided by that of the library's fastest protocol"
        tables.append(Table(caption, ("protocol", "size"), series, tuple(rows)))
    return tables


def _slowdown(point: Entry | None, best: Mapping[tuple[str, str, int], Best]) -> Cell:
    if point is None:
        return Cell(NOTHING)
    if not point.measured:
        return Cell(_without_metric(point.summary))
    fastest = best[point.series, point.variant, point.size]
    ratio = significant(point.time.median / fastest.time.median, 3)
    return Cell(ratio, note="" if apart(fastest.time, point.time) else "best, or may be")
