"""Collective operations: synchronised times, IMB's, lateness, flat against two levels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from halocline.base.quantities import significant, size_label, time_text
from halocline.base.units import counted
from halocline.report.cells import NOTHING, Cell, Rows, Table, cell, ratio_cell, time_cell, unit_of
from halocline.report.entries import Entry, Ratio, entries, ordered, over
from halocline.report.figures import Figure
from halocline.report.lines import lines
from halocline.report.rows import dot
from halocline.report.section import Section, joined, ratio_text
from halocline.summary.ratios import plus_minus
from halocline.summary.summary import Summary

SYNCHRONISED, BACK_TO_BACK, IMB = "synchronised", "back_to_back", "imb"
FLAT, TWO_LEVEL = "flat", "two_level"

Key = tuple[str, str, int]  # operation, series, size
Way = tuple[str, str]  # timing, structure
Ways = Mapping[Way, Entry]
_PLAIN = (SYNCHRONISED, FLAT)


def collectives(summaries: Sequence[Summary]) -> Section | None:
    """Each operation over the size, all else being equal."""
    operations = {
        case.case.workload
        for summary in summaries
        for case in summary.cases
        if case.case.is_collective
    }
    cases = entries(summaries, tuple(operations))
    if not cases:
        return None
    groups: dict[Key, dict[Way, Entry]] = {}
    for entry in cases:
        key = (entry.workload, entry.series, entry.number("bytes"))
        groups.setdefault(key, {})[entry.word("timing"), entry.word("structure")] = entry
    ways = [way for way in dict.fromkeys(way for group in groups.values() for way in group)]
    dots = [
        dot(entry.workload, _line(entry), entry.number("bytes"), entry.time)
        for entry in cases
        if "bytes" in entry.axes and entry.word("timing") == _shown_timing(ways)
    ]
    charts: tuple[Figure, ...] = ()
    if dots:
        words = "A panel for each operation. Time from the agreed start to the last rank's end."
        if _shown_timing(ways) != SYNCHRONISED:
            words = f"A panel for each operation, timed as {_shown_timing(ways)}."
        charts = (lines("collectives-time", "Time of collective operations", words, dots, "time"),)
    return Section(
        name="collectives",
        title="Collective operations",
        sentences=joined(
            [*_fastest(groups), *_lateness(cases), *_levels(groups), *_timings(groups)]
        ),
        charts=charts,
        details=(_table(groups, ways),),
    )


def _shown_timing(ways: Sequence[Way]) -> str:
    """The synchronised timing if measured."""
    timings = [timing for timing, _ in ways]
    return SYNCHRONISED if SYNCHRONISED in timings else timings[0]


def _line(entry: Entry) -> str:
    return entry.series + (", two levels" if entry.word("structure") == TWO_LEVEL else "")


def _fastest(groups: Mapping[Key, Ways]) -> Iterator[str]:
    """The first operation at its smallest size with each series, fastest first."""
    plain = [key for key, ways in groups.items() if _PLAIN in ways]
    if not plain:
        return
    first = plain[0][0]
    size = min(size for name, _, size in plain if name == first)
    leading = [
        (entry.time, series)
        for (name, series, bytes_), ways in groups.items()
        if (name, bytes_) == (first, size) and (entry := ways.get(_PLAIN))
    ]
    of = f" of {size_label(size)}" if size else ""
    ranking = "; ".join(
        f"{time_text(time.median)} {plus_minus(time.half_width_relative)} with {series}"
        for time, series in sorted(leading, key=lambda each: each[0].median)
    )
    yield f"{first}{of} takes {ranking}."


def _lateness(cases: Sequence[Entry]) -> Iterator[str]:
    """How far apart the ranks started, where a start was agreed."""
    skews = [(skew, entry) for entry in cases if (skew := entry.metric("skew"))]
    if not skews:
        return
    worst, entry = max(skews, key=lambda each: each[0].median)
    share = max(skew.median / entry.time.median for skew, entry in skews)
    yield (
        f"The last rank started at most {time_text(worst.median)} after the agreed time (median "
        f"of a case; {entry.workload}, {entry.series}); that is at most "
        f"{significant(100 * share, 2)} % of any operation's time."
    )


def _compared(
    groups: Mapping[Key, Ways], above: Way, below: Way
) -> list[tuple[Ratio, Entry, Entry]]:
    return [
        (over(group[above].time, group[below].time), group[above], group[below])
        for group in groups.values()
        if above in group and below in group
    ]


def _levels(groups: Mapping[Key, Ways]) -> Iterator[str]:
    """Two levels against flat, in counts, and the case with the largest difference."""
    compared = _compared(groups, (SYNCHRONISED, TWO_LEVEL), _PLAIN)
    if not compared:
        return
    faster = [case for case in compared if case[0].apart and case[0].median < 1]
    slower = [case for case in compared if case[0].apart and case[0].median > 1]
    same = len(compared) - len(faster) - len(slower)
    text = (
        f"Two levels against flat: of {counted(len(compared), 'case')} {len(faster)} faster, "
        f"{len(slower)} slower, {same} inconclusive"
    )
    for cases, label in ((faster, "fastest"), (slower, "slowest")):
        if cases:
            furthest = (
                min(cases, key=_time_ratio) if cases is faster else max(cases, key=_time_ratio)
            )
            text += f"; {label}: {_case(furthest[1])} with {_times(furthest[0])} the time"
    yield f"{text}."


def _time_ratio(each: tuple[Ratio, Entry, Entry]) -> float:
    return each[0].median


def _timings(groups: Mapping[Key, Ways]) -> Iterator[str]:
    """Times from other methods, as a share of the synchronised time."""
    for timing, name in ((IMB, "IMB's method"), (BACK_TO_BACK, "Timing back to back")):
        compared = _compared(groups, (timing, FLAT), _PLAIN)
        if compared:
            ends = dict.fromkeys(
                f"{_times(ratio)} ({_case(entry)})"
                for ratio, entry, _ in (
                    min(compared, key=_time_ratio),
                    max(compared, key=_time_ratio),
                )
            )
            why = (
                ": its ranks wait for each other or run ahead unnoticed"
                if any(ratio.apart for ratio, _, _ in compared)
                else ""
            )
            yield f"{name} reports {' to '.join(ends)} the synchronised time{why}."


def _times(ratio: Ratio) -> str:
    return f"{ratio_text(ratio)} times"


def _case(entry: Entry) -> str:
    size = f" of {size_label(entry.number('bytes'))}" if "bytes" in entry.axes else ""
    return f"{entry.workload}{size}, {entry.series}"


Column = tuple[str, Callable[[Ways], Cell]]


def _table(groups: Mapping[Key, Ways], ways: Sequence[Way]) -> Table:
    """A row for each operation, size and series; a column for each timing."""
    unit = unit_of(entry for group in groups.values() for entry in group.values())

    def time(way: Way) -> Callable[[Ways], Cell]:
        return lambda group: time_cell(group.get(way), unit)

    def ratio(above: Way, below: Way) -> Callable[[Ways], Cell]:
        def of(group: Ways) -> Cell:
            both = above in group and below in group
            return ratio_cell(over(group[above].time, group[below].time) if both else None)

        return of

    def skew(group: Ways) -> Cell:
        lateness = group[_PLAIN].metric("skew") if _PLAIN in group else None
        return cell(lateness, unit) if lateness else Cell(NOTHING)

    columns: list[Column] = []
    for way in sorted(ways, key=lambda way: (way[1], way[0] != SYNCHRONISED)):
        timing, structure = way
        words = timing.replace("_", " ").replace("imb", "IMB's way")
        columns.append((words + (", two levels" if structure == TWO_LEVEL else ""), time(way)))
        if way == _PLAIN:
            columns.append(("lateness", skew))
        elif _PLAIN in ways and (timing == SYNCHRONISED or structure == FLAT):
            name = "two levels / flat" if structure == TWO_LEVEL else f"{words} / synchronised"
            columns.append((name, ratio(way, _PLAIN)))
    rows: Rows = [
        (
            (operation, size_label(size) if size else "", series),
            tuple(of(group) for _, of in columns),
        )
        for (operation, series, size), group in groups.items()
    ]
    caption = f"Collective operations: time in {unit.name}, median and 95 % interval"
    heads = ordered(name for name, _ in columns)
    return Table(caption, ("operation", "bytes", "library"), heads, tuple(rows))
