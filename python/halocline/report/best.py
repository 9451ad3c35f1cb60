"""Which protocol is best at which size, and where that is inconclusive."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from halocline.report.points import Point
from halocline.summary.metrics import Metric


@dataclass(frozen=True)
class Best:
    """The fastest point of one series, workload and size, and those that may be as fast."""

    fastest: Point
    time: Metric
    tied: tuple[Point, ...]  # the fastest is not among them


def comparable(points: Sequence[Point]) -> tuple[Point, ...]:
    """Points for comparing series, without protocols that one of them had no time for.

    A series without any time at a size is not compared there, and excludes nothing.
    """
    timed = {(point.series, *_size(point)) for point in points if point.time}
    lacking = {
        (point.protocol, *_size(point))
        for point in points
        if point.summary.left_out and (point.series, *_size(point)) in timed
    }
    return tuple(point for point in points if (point.protocol, *_size(point)) not in lacking)


def fastest_of(points: Sequence[Point], compared: Sequence[Point]) -> str:
    """Among which protocols the fastest of the compared points is the fastest."""
    all_are = sum(bool(point.time) for point in points) == sum(bool(p.time) for p in compared)
    return "fastest protocol" if all_are else "fastest protocol that all had time for"


def _size(point: Point) -> tuple[str, str, int]:
    return point.place, point.workload, point.size


def apart(faster: Metric, slower: Metric) -> bool:
    """Whether two intervals are disjoint; never without an interval."""
    return faster.high is not None and slower.low is not None and faster.high < slower.low


def best_protocols(points: Sequence[Point]) -> dict[tuple[str, str, int], Best]:
    """By series, workload and size, in order of appearance."""
    groups: dict[tuple[str, str, int], list[tuple[Metric, Point]]] = defaultdict(list)
    for point in points:
        if point.time is not None:
            groups[point.series, point.workload, point.size].append((point.time, point))
    return {key: _best(group) for key, group in groups.items()}


def _best(group: Iterable[tuple[Metric, Point]]) -> Best:
    (time, fastest), *rest = sorted(group, key=lambda pair: pair[0].median)
    return Best(fastest, time, tuple(point for other, point in rest if not apart(time, other)))
