"""Headlines: sentences computed from the figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from halocline.base.quantities import Unit, rate_unit, significant, size_label, time_unit
from halocline.report.best import Best, apart, best_protocols, comparable, fastest_of
from halocline.report.bounds import cached, memory_text
from halocline.report.entries import BOTH_WAYS, ON_NODE, ONE_WAY, Entry, ordered
from halocline.specification.experiment import HERE
from halocline.summary.metrics import INCONCLUSIVE, Metric
from halocline.summary.ratios import plus_minus, share_text, target, times_text
from halocline.summary.summary import Summary

SMALL_BYTES = 8
LARGE_BYTES = 2**20
_LEAST = 0.01  # a difference that is worth a sentence
ROUGH = 0.1  # half-width above which a ratio is reported with "about"

Bests = Mapping[tuple[str, str, int], Best]


@dataclass(frozen=True)
class Headline:
    """A claim, and the figures that support it."""

    claim: str
    evidence: str


def headlines(summaries: Sequence[Summary], points: Sequence[Entry]) -> tuple[Headline, ...]:
    """The few sentences to remember, most important first."""
    places = ordered(point.place for point in points if point.measured)
    lines: list[Headline] = []
    for place in places:
        through = _through(summaries, place)
        lines += _of_place(points, place, places, through)
    return (*lines, *_trust(summaries))


def _through(summaries: Sequence[Summary], place: str) -> tuple[str, str]:
    """The path of a large message on a real node, if known, and the memory's rate."""
    real = all(summary.machine == HERE for summary in summaries)
    if place != ON_NODE or not real or not cached(summaries, LARGE_BYTES):
        return "", ""
    return " through the cores' caches", memory_text(summaries)


def _of_place(
    points: Sequence[Entry], place: str, places: Sequence[str], through: tuple[str, str]
) -> Iterator[Headline]:
    """Headlines for one placement of the ranks: libraries are compared only within it."""
    here = [replace(point, series=point.library) for point in points if point.place == place]
    compared = comparable(here)
    best = best_protocols(compared)
    for headline in (
        *_latency(best, fastest_of(here, compared)),
        *_bandwidth(best, *through),
        *_crossings(best),
        *_both_ways(best),
        *_protocols(here, best_protocols(here)),
    ):
        if tuple(places) == (ON_NODE,):
            yield headline
        else:
            # No headline starts with a name.
            claim = headline.claim[0].lower() + headline.claim[1:]
            yield replace(headline, claim=f"{place[0].upper()}{place[1:]}: {claim}")


def at_size(best: Bests, workload: str, wanted_bytes: int) -> dict[str, Best]:
    """The best of each series at that size; empty if no series has it."""
    return {
        series: best_of
        for (series, name, size), best_of in best.items()
        if (name, size) == (workload, wanted_bytes)
    }


def _latency(best: Bests, fastest: str) -> Iterator[Headline]:
    by_series = at_size(best, ONE_WAY, SMALL_BYTES)
    if not by_series:
        return
    size = size_label(SMALL_BYTES)
    ranked = sorted(by_series.items(), key=lambda item: item[1].time.median)
    unit = time_unit(best_of.time.median for _, best_of in ranked)
    (fast, first), (slow, last) = ranked[0], ranked[-1]
    if len(ranked) == 1:
        yield Headline(
            f"A message of {size} takes {_in(first.time, unit)} one way",
            f"{fast}, {first.fastest.protocol}, half of a round trip",
        )
        return
    carried = ", ".join(f"{name} {_in(best_of.time, unit)}" for name, best_of in ranked[1:-1])
    between = f"; between them {carried}" if carried else ""
    evidence = (
        f"{_in(first.time, unit)} against {_in(last.time, unit)} one way, "
        f"each with its {fastest}{between}"
    )
    yield Headline(
        _compared(f"At {size}", fast, slow, first.time, last.time, "faster than"), evidence
    )


def _bandwidth(best: Bests, through: str, memory: str) -> Iterator[Headline]:
    by_series = {
        series: (best_of.time, rate)
        for series, best_of in at_size(best, ONE_WAY, LARGE_BYTES).items()
        if (rate := best_of.fastest.metric("bandwidth"))
    }
    if not by_series:
        return
    size = size_label(LARGE_BYTES)
    ranked = sorted(by_series.items(), key=lambda item: item[1][0].median)
    rates = [rate for _, (_, rate) in ranked]
    unit = rate_unit(rate.median for rate in rates)
    (fast, (first, _)), (slow, (last, _)) = ranked[0], ranked[-1]
    if len(ranked) == 1:
        evidence = "; ".join(filter(None, (f"{fast}, one direction", memory)))
        yield Headline(f"{size} moves at {_in(rates[0], unit)}{through}", evidence)
        return
    yield Headline(
        _compared(f"At {size}", fast, slow, first, last, "the bandwidth of", noun=True),
        f"{_in(rates[0], unit)} against {_in(rates[-1], unit)}, one direction{through}"
        f"{'; ' if memory else ''}{memory}",
    )


def _compared(
    place: str, fast: str, slow: str, first: Metric, last: Metric, than: str, noun: bool = False
) -> str:
    if _same(first, last):
        return f"{place} {fast} and {slow} differ by less than {share_text(_LEAST)}"
    if not apart(first, last):
        return f"{place} {fast} against {slow} is inconclusive"
    if first.wide or last.wide:
        than = "has more bandwidth than" if noun else "is faster than"
        return f"{place} {fast} {than} {slow}; by how much is inconclusive"
    times = _times([last.median / first.median], first, last)
    return f"{place} {fast} {'has' if noun else 'is'} {times} {than} {slow}"


def _same(first: Metric, last: Metric) -> bool:
    """Whether a difference worth a sentence is ruled out."""
    ends = first.low, first.high, last.low, last.high
    known = [end for end in ends if end is not None]
    return len(known) == len(ends) and max(known) / min(known) - 1 < _LEAST


def _times(ratios: Sequence[float], *measured: Metric) -> str:
    """Measured ratios: `2.6 times`, or `about 8 times (± 12 %)` if uncertain."""
    widths = [metric.half_width_relative for metric in measured]
    known = [width for width in widths if width is not None]
    widest = max(known) if len(known) == len(widths) else None
    if widest is not None and widest <= ROUGH:
        return f"{_span([times_text(ratio) for ratio in sorted(ratios)])}\u00a0times"
    rough = [significant(ratio, 2 if ratio < 2 else 1) for ratio in sorted(ratios)]
    spread = plus_minus(widest).strip("()").replace("± ", "±\u00a0")
    return f"about {_span(rough)}\u00a0times ({spread})"


def _span(ascending: Sequence[str]) -> str:
    low, high = ascending[0], ascending[-1]
    return low if low == high else f"{low} to {high}"


def _crossings(best: Bests) -> Iterator[Headline]:
    """Which library is fastest over which range of sizes, if that changes."""
    sizes = sorted({size for _, workload, size in best if workload == ONE_WAY})
    ranges: list[tuple[str, int, int]] = []
    undecided = False  # at a size since the last range
    for size in sizes:
        ranked = sorted(at_size(best, ONE_WAY, size).items(), key=lambda item: item[1].time.median)
        if len(ranked) < 2:
            undecided = True
            continue
        (leader, first), (_, second) = ranked[:2]
        if not apart(first.time, second.time) or _same(first.time, second.time):
            undecided = True
            continue
        if ranges and ranges[-1][0] == leader and not undecided:
            ranges[-1] = (leader, ranges[-1][1], size)
        else:
            ranges.append((leader, size, size))
        undecided = False
    if len({leader for leader, *_ in ranges}) > 1:
        listed = "; ".join(
            f"{leader} from {size_label(low)} to {size_label(high)}"
            if low < high
            else f"{leader} at {size_label(low)}"
            for leader, low, high in ranges
        )
        yield Headline("Which library is fastest depends on the size", listed)


def _both_ways(best: Bests) -> Iterator[Headline]:
    one_way = at_size(best, ONE_WAY, LARGE_BYTES)
    both = at_size(best, BOTH_WAYS, LARGE_BYTES)
    ratios: list[float] = []
    measured: list[Metric] = []
    clauses = []
    for series, sent in both.items():
        together = sent.fastest.metric("bandwidth")
        alone = one_way[series].fastest.metric("bandwidth") if series in one_way else None
        if together and alone and not (together.wide or alone.wide):
            ratios.append(together.median / alone.median)
            unit = rate_unit([together.median])
            measured += (together, alone)
            times = _times(ratios[-1:], together, alone)
            clauses.append(f"{series} {times}, {_in(together, unit)}")
    if clauses:
        times = _times(ratios, *measured)
        yield Headline(
            f"Both directions at once carry {times} as much as one, at {size_label(LARGE_BYTES)}",
            "; ".join(clauses),
        )


def _protocols(points: Sequence[Entry], best: Bests) -> Iterator[Headline]:
    """Where the choice of protocol matters most."""
    slower = [
        (point.time.median / quickest.time.median, point, quickest)
        for point in points
        # Some protocols send no message for 0 B.
        if point.measured and point.variant == ONE_WAY and point.size > 0
        for quickest in [best[point.series, point.variant, point.size]]
        if apart(quickest.time, point.time) and not (quickest.time.wide or point.time.wide)
    ]
    if max(slower, key=lambda each: each[0], default=(1.0,))[0] - 1 < _LEAST:
        return
    times, point, quickest = max(slower, key=lambda each: each[0])
    unit = time_unit([quickest.time.median])
    yield Headline(
        f"The protocol matters most at {size_label(point.size)} with {point.series}: "
        f"{point.protocol} takes {_times([times], point.time, quickest.time)} as long as "
        f"{quickest.fastest.protocol}",
        f"{_in(point.time, unit)} against {_in(quickest.time, unit)}",
    )


def _trust(summaries: Sequence[Summary]) -> Iterator[Headline]:
    """How precise the run is, and how much of it is missing."""
    every = [(case, summary.half_width) for summary in summaries for case in summary.cases]
    cases = [pair for pair in every if not pair[0].left_out]
    widths = [
        (time.half_width_relative, wanted)
        for case, wanted in cases
        if (time := case.metric("time")) and time.half_width_relative is not None
    ]
    counts = Counter(case.status for case, _ in cases)
    missing = ", ".join(
        f"{counts[status]} {status}"
        for status in ("refused", "failed", "skipped")
        if counts[status]
    )
    if len(every) > len(cases):
        left = f"{len(every) - len(cases)} left out for time"
        missing = ", ".join(filter(None, (missing, left)))
    if not widths:
        return
    exact = sum(width <= wanted for width, wanted in widths)
    targets = " or ".join(ordered(target(summary.half_width) for summary in summaries))
    two_modes = sum(len(time.modes) > 1 for case, _ in cases if (time := case.metric("time")))
    modes = f"; {two_modes} with two modes" if two_modes else ""
    middle = median(width for width, _ in widths)
    half = "half of them are" if middle > INCONCLUSIVE else "half of them to"
    yield Headline(
        f"{exact} of {len(cases)} cases are known to {targets}",
        f"{half} {plus_minus(middle).strip('()')}{'; ' + missing if missing else ''}{modes}",
    )


def _in(metric: Metric, unit: Unit) -> str:
    value = significant(metric.median / unit.factor)
    return f"{value} {unit.name} {plus_minus(metric.half_width_relative)}".replace(" ", "\u00a0")
