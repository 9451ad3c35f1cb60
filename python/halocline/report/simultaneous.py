"""Simultaneous pairs, one pair at a distance, and contention between pairs: three sections."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from halocline.base.quantities import MB_S, rate_text, size_label, time_text
from halocline.base.units import counted
from halocline.report.cells import NOTHING, Cell, Rows, Table, cell, time_cell, unit_of
from halocline.report.entries import Entry, entries, ordered, over, varying
from halocline.report.lines import lines
from halocline.report.rows import dot
from halocline.report.section import Section, joined, ratio_text
from halocline.summary.metrics import Metric
from halocline.summary.ratios import plus_minus
from halocline.summary.summary import Summary

PAIRS, DISTANCE, CONTENTION = "pairs", "distance", "contention"
PATTERNS = ("pingpong", "pingping")
_KEY_HEADS = ("library", "pattern", "protocol", "size")
_NAMED = ("pattern", "protocol", "bytes", "distance", "pairs", "direction", "stride")


def pairs(summaries: Sequence[Summary]) -> Section | None:
    """Simultaneous pairs: their sum, the slowest, and each."""
    cases = entries(summaries, (PAIRS,))
    if not cases:
        return None
    dots = [
        dot(_panel(e), _with_pairs(e), e.size, total, "bandwidth")
        for e in cases
        if (total := _aggregate(e))
    ]
    words = "The sum over all simultaneous pairs; pingpong is one way, pingping both ways."
    charts = (lines("pairs-bandwidth", "Aggregate bandwidth of pairs", words, dots, "bandwidth"),)
    return Section(
        name="pairs",
        title="Simultaneous pairs",
        sentences=joined([*_more_pairs(cases), *_both_ways(cases)]),
        charts=charts if dots else (),
        details=(_case_table(cases, ("pairs",), "Simultaneous pairs"), *_each_pair(cases)),
    )


def distance(summaries: Sequence[Summary]) -> Section | None:
    """One pair, the others idle: the effect of distance."""
    return _along(entries(summaries, (DISTANCE,)), DISTANCE, "Distance", "distance, ranks")


def contention(summaries: Sequence[Summary]) -> Section | None:
    """Increasing numbers of pairs a stride apart: the effect on the slowest."""
    return _along(entries(summaries, (CONTENTION,)), CONTENTION, "Contention", "pairs at once")


def _along(cases: Sequence[Entry], name: str, title: str, along: str) -> Section | None:
    """The slowest pair's time against distance or number of pairs; drawn if that varies."""
    if not cases:
        return None
    others = varying([entry.axes for entry in cases], _NAMED)
    dots = [
        dot(
            f"{_panel(e)}, {size_label(e.size)}",
            ", ".join([e.series, *_course(e), *_further(e, others)]),
            _at(e),
            e.time,
            size_text="{:,}".format,
        )
        for e in cases
    ]
    varies = len({_at(e) for e in cases}) > 1
    words = "Time of the slowest pair."
    chart = lines(f"{name}-time", title, words, dots, "time", along, in_bytes=False)
    axes = ("distance", "direction") if name == DISTANCE else ("pairs", "stride", "direction")
    return Section(
        name=name,
        title=title,
        sentences=joined(list(_ends(cases, others)) if varies else [_single(cases, name)]),
        charts=(chart,) if varies else (),
        details=(_case_table(cases, (*axes, *others), title),),
    )


def _panel(entry: Entry) -> str:
    return f"{entry.word('pattern')}, {entry.protocol}"


def _course(entry: Entry) -> list[str]:
    """The direction of the pairs, if not the usual one."""
    direction = entry.word("direction")
    words = [f"along {direction}"] if direction != "x" or entry.number("grid_z") > 1 else []
    return [*words, f"stride {entry.word('stride')}"] if "stride" in entry.axes else words


def _further(entry: Entry, axes: Sequence[str]) -> list[str]:
    """The other axes that vary: `from=2`."""
    return [f"{axis}={entry.word(axis)}" for axis in axes if axis in entry.axes]


def _at(entry: Entry) -> int:
    return entry.number("distance") if entry.workload == DISTANCE else _count(entry)


def _count(entry: Entry) -> int:
    """The number of pairs."""
    return max(len(entry.summary.pairs), 1)


def _with_pairs(entry: Entry) -> str:
    return f"{entry.series}, {counted(_count(entry), 'pair')}"


def _aggregate(entry: Entry) -> Metric | None:
    """The sum over the pairs; for one pair its own bandwidth."""
    return entry.metric("aggregate bandwidth") or entry.metric("bandwidth")


def _alike(entry: Entry, *besides: str) -> tuple[object, ...]:
    """Everything that two cases must share to be compared, except some axes."""
    kept = tuple((n, v) for n, v in entry.axes.items() if n not in (*besides, "pairs"))
    return entry.series, kept, () if "pairs" in besides else (_count(entry),)


def _more_pairs(cases: Sequence[Entry]) -> Iterator[str]:
    """At the largest size: the most pairs against one, by the best protocol."""
    largest = max(entry.size for entry in cases)
    large = [entry for entry in cases if entry.size == largest and _aggregate(entry)]
    for series in ordered(entry.library for entry in large):
        for place in ordered(e.place for e in large if e.library == series):
            for pattern in PATTERNS:
                here = [
                    e
                    for e in large
                    if (e.library, e.place, e.word("pattern")) == (series, place, pattern)
                ]
                if here:
                    yield _aggregates(here, pattern)


def _aggregates(here: Sequence[Entry], pattern: str) -> str:
    best: dict[int, tuple[Metric, Entry]] = {}
    for entry in here:
        total = _aggregate(entry)
        if total and (_count(entry) not in best or total.median > best[_count(entry)][0].median):
            best[_count(entry)] = (total, entry)
    fewest, most = min(best), max(best)
    total, entry = best[most]
    way = "both ways" if pattern == PATTERNS[1] else "one way"
    sentence = (
        f"{entry.series}: {counted(most, 'pair')} of {size_label(entry.size)} {way} "
        f"{'carry' if most > 1 else 'carries'} {rate_text(total.median)} "
        f"{plus_minus(total.half_width_relative)} with {entry.protocol}"
    )
    slowest = entry.metric("bandwidth")
    if most > 1 and slowest:
        sentence += f", the slowest pair {rate_text(slowest.median)}"
    if most > fewest:
        ratio = over(total, best[fewest][0])
        text = ratio_text(ratio)
        sentence += f": {text} times what {counted(fewest, 'pair')} do{'' if fewest > 1 else 'es'}"
    return f"{sentence}."


def _both_ways(cases: Sequence[Entry]) -> Iterator[str]:
    """Bidirectional against unidirectional aggregate at the largest size, over all protocols."""
    largest = max(entry.size for entry in cases)
    large = [entry for entry in cases if entry.size == largest]
    single = {_alike(e, "pattern"): e for e in large if e.word("pattern") == PATTERNS[0]}
    ratios = [
        (over(both, alone), entry)
        for entry in large
        if entry.word("pattern") == PATTERNS[1] and _alike(entry, "pattern") in single
        if (both := _aggregate(entry)) and (alone := _aggregate(single[_alike(entry, "pattern")]))
    ]
    for place in ordered(entry.place for _, entry in ratios):
        here = sorted(
            (pair for pair in ratios if pair[1].place == place), key=lambda each: each[0].median
        )
        ends = dict.fromkeys(
            f"{ratio_text(ratio)} ({_who(entry)})" for ratio, entry in (here[0], here[-1])
        )
        yield (
            f"Both directions, {place}, carry {' to '.join(ends)} times what one direction does, "
            f"at {size_label(largest)}."
        )


def _who(entry: Entry) -> str:
    return f"{_with_pairs(entry)}, {entry.protocol}"


def _ends(cases: Sequence[Entry], others: Sequence[str]) -> Iterator[str]:
    """Farthest against nearest, most pairs against fewest: how many differ, and by how much."""
    groups: dict[tuple[object, ...], list[Entry]] = {}
    for entry in cases:
        groups.setdefault(_alike(entry, "distance", "pairs"), []).append(entry)
    compared = []
    for group in groups.values():
        by_place = sorted(group, key=_at)
        if _at(by_place[0]) < _at(by_place[-1]):
            compared.append((over(by_place[-1].time, by_place[0].time), by_place))
    changed = [comparison for comparison in compared if comparison[0].apart]
    if not compared:
        return
    far = "distance" in cases[0].axes
    ends = "the farthest partner and the nearest" if far else "the most pairs and the fewest"
    yield (
        f"{len(changed)} of {len(compared)} comparisons of {ends} show a significant difference."
    )
    if changed:
        ratio, (first, *_, last) = max(changed, key=lambda each: abs(1 - each[0].median))
        condition = f"at distance {_at(last)}" if far else f"with {counted(_at(last), 'pair')}"
        other = f"at distance {_at(first)}" if far else f"with {counted(_at(first), 'pair')}"
        name = ", ".join([first.series, *_further(first, others)])
        yield (
            f"The largest: {name}, {first.word('pattern')} by {first.protocol} of "
            f"{size_label(first.size)} {condition} takes "
            f"{ratio_text(ratio)} times as long as {other}."
        )


def _single(cases: Sequence[Entry], name: str) -> str:
    """Without variation nothing can be compared: report the measured value."""
    entry = min(cases, key=lambda e: e.time.median)
    subject = "one distance" if name == DISTANCE else "one number of pairs"
    return (
        f"Only {subject} was measured ({_at(entry)}), so its effect is unknown; the "
        f"fastest case takes {time_text(entry.time.median)} "
        f"{plus_minus(entry.time.half_width_relative)} ({entry.series}, {entry.protocol}, "
        f"{size_label(entry.size)})."
    )


def _case_table(cases: Sequence[Entry], axes: Sequence[str], title: str) -> Table:
    unit = unit_of(cases)
    rows: Rows = []
    for entry in cases:
        words = [str(_count(entry)) if axis == "pairs" else entry.word(axis) for axis in axes]
        keys = (*_keys(entry), *words)
        slowest, total = entry.metric("bandwidth"), entry.metric("aggregate bandwidth")
        cells = (time_cell(entry, unit), cell(slowest, MB_S), cell(total, MB_S), _where(entry))
        rows.append((keys, cells))
    caption = f"{title}: the slowest pair and the sum, median and 95 % interval"
    heads = (f"time, {unit.name}", "bandwidth, MB/s", "aggregate, MB/s", "pairs off node")
    return Table(caption, (*_KEY_HEADS, *axes), heads, tuple(rows))


def _keys(entry: Entry) -> tuple[str, ...]:
    size = size_label(entry.size)
    return entry.series, entry.word("pattern"), entry.protocol, size


def _where(entry: Entry) -> Cell:
    known = [pair.off_node for pair in entry.summary.pairs]
    return Cell(f"{sum(map(bool, known))} of {len(known)}" if known else NOTHING)


def _each_pair(cases: Sequence[Entry]) -> Iterator[Table]:
    """Every pair of every case with several pairs."""
    several = [entry for entry in cases if _count(entry) > 1]
    if not several:
        return
    unit = unit_of(several)
    rows: Rows = []
    for entry in several:
        for pair in entry.summary.pairs:
            name = "-".join(map(str, pair.ranks))
            time, rate = (entry.metric(f"{w} of pair {name}") for w in ("time", "bandwidth"))
            off = NOTHING if pair.off_node is None else "yes" if pair.off_node else "no"
            cells = (cell(time, unit), cell(rate, MB_S), Cell(off))
            rows.append(((*_keys(entry), name), cells))
    heads = (f"time, {unit.name}", "bandwidth, MB/s", "off node")
    yield Table("Each pair, median and 95 % interval", (*_KEY_HEADS, "pair"), heads, tuple(rows))
