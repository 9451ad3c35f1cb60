"""Input of the figures and the page's controls: a row for every measured point."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from halocline.base.quantities import rate_text, size_label, time_text
from halocline.report.best import apart, best_protocols, comparable
from halocline.report.points import Point
from halocline.summary.metrics import Metric
from halocline.summary.ratios import plus_minus

Row = dict[str, Any]

# A logarithmic axis has no 0 B: draw it two octaves left of the smallest size.
ZERO_GAP = 4
SLOWDOWN_CLASSES = ("best, or may be", "to 1.1 times", "to 1.5", "to 2", "to 4", "more")
ONE_MODE = "one"
_SLOWDOWN_LIMITS = (1.1, 1.5, 2.0, 4.0)


def rows(points: Sequence[Point], size_text: Callable[[int], str] = size_label) -> list[Row]:
    """One row per measured point; texts are ready to show, numbers have six digits."""
    zero_at = min((point.size for point in points if point.size), default=1) / ZERO_GAP
    best = best_protocols(points)
    fair = best_protocols(comparable(points))
    # Libraries are compared if their ranks are in the same place.
    leaders: dict[tuple[str, str, int], float] = {}  # by place, workload and size
    rivals: dict[str, set[str]] = defaultdict(set)
    for (_, workload, size), fastest in fair.items():
        where = (fastest.fastest.place, workload, size)
        leaders[where] = min(fastest.time.median, leaders.get(where, fastest.time.median))
        rivals[fastest.fastest.place].add(fastest.fastest.library)
    drawn = []
    for point in points:
        if point.time is not None:
            key = (point.series, point.workload, point.size)
            row = _row(point, point.time, zero_at, best[key].time) | {"size": size_text(point.size)}
            leads = key in fair and fair[key].fastest is point
            if leads and len(rivals[point.place]) > 1:
                row |= _lead(point.time, leaders[point.place, point.workload, point.size])
            drawn.append(row)
    return drawn


def _row(point: Point, time: Metric, zero_at: float, fastest: Metric) -> Row:
    slowdown = time.median / fastest.median
    row: Row = {
        "series": point.series,
        "workload": point.workload,
        "protocol": point.protocol,
        "bytes": point.size,
        "at": point.size or zero_at,
        "interval": plus_minus(time.half_width_relative),
        "launches": time.launches,
        "slowdown": rounded(slowdown),
        "class": _slowdown_class(slowdown, not apart(fastest, time)),
        "modes": _modes(time),
        **bounded(time, time_text),
    }
    return row | (bounded(point.bandwidth, rate_text) if point.bandwidth else {})


def _lead(time: Metric, leader_s: float) -> Row:
    """A series' fastest protocol against the fastest of all series."""
    row = {"lead": rounded(time.median / leader_s)}
    if time.bounds:
        low_s, high_s = time.bounds
        row |= {"lead_low": rounded(low_s / leader_s), "lead_high": rounded(high_s / leader_s)}
    return row


def _modes(time: Metric) -> str:
    if len(time.modes) < 2:
        return ONE_MODE
    return " and ".join(f"{time_text(m.value)} ({100 * m.share:.0f} %)" for m in time.modes)


def bounded(metric: Metric, text: Callable[[float], str], name: str = "") -> Row:
    """A metric's median and interval as fields that begin with its name, or another.

    Inconclusive values have no interval, which would stretch the scale: they are drawn as points.
    """
    name = name or metric.name
    row: Row = {name: rounded(metric.median), f"{name}_text": text(metric.median)}
    if metric.bounds:
        low, high = metric.bounds
        row |= {f"{name}_low": rounded(low), f"{name}_high": rounded(high)}
    return row


def rounded(value: float) -> float:
    """Six digits, which is more than a chart shows."""
    return float(f"{value:.6g}")


def _slowdown_class(slowdown: float, tied: bool) -> str:
    above = sum(slowdown > limit for limit in _SLOWDOWN_LIMITS)
    return SLOWDOWN_CLASSES[0 if tied else 1 + above]
