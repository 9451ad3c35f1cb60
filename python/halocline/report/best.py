"""Which protocol is best at which size, and where that is inconclusive."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from halocline.report.entries import Entry
from halocline.summary.metrics import Metric


@dataclass(frozen=True)
class Best:
    """The fastest point of one series, variant and size, and those that may be as fast."""

    fastest: Entry
    tied: tuple[Entry, ...]  # the fastest is not among them

    @property
    def time(self) -> Metric:
        return self.fastest.time


def comparable(points: Sequence[Entry]) -> tuple[Entry, ...]:
    """Points for comparing series, without protocols that one of them had no time for.

    A series without any time at a size is not compared there, and excludes nothing.
    """
    timed = {(point.series, *_size(point)) for point in points if point.measured}
    lacking = {
        (point.protocol, *_size(point))
        for point in points
        if point.summary.left_out and (point.series, *_size(point)) in timed
    }
    return tuple(point for point in points if (point.protocol, *_size(point)) not in lacking)


def fastest_of(points: Sequence[Entry], compared: Sequence[Entry]) -> str:
    """Among which protocols the fastest of the compared points is the fastest."""
    all_are = sum(point.measured for point in points) == sum(p.measured for p in compared)
    return "fastest protocol" if all_are else "fastest protocol that all had time for"


def _size(point: Entry) -> tuple[str, str, int]:
    return point.place, point.variant, point.size


def apart(faster: Metric, slower: Metric) -> bool:
    """Whether two intervals are disjoint; never without an interval."""
    return faster.high is not None and slower.low is not None and faster.high < slower.low


def best_protocols(points: Sequence[Entry]) -> dict[tuple[str, str, int], Best]:
    """By series, variant and size, in order of appearance."""
    groups: dict[tuple[str, str, int], list[Entry]] = defaultdict(list)
    for point in points:
        if point.measured:
            groups[point.series, point.variant, point.size].append(point)
    return {key: _best(group) for key, group in groups.items()}


def _best(group: Iterable[Entry]) -> Best:
    fastest, *rest = sorted(group, key=lambda point: point.time.median)
    return Best(fastest, tuple(point for point in rest if not apart(fastest.time, point.time)))
