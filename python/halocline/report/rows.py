"""What the figures and the page's controls work on: a row for every measured point."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from halocline.report.best import apart, best_protocols
from halocline.report.points import Point
from halocline.report.text import plus_minus, rate_text, size_label, time_text
from halocline.summary import Metric

Row = dict[str, Any]

# 0 B has no place on a logarithmic axis: it stands two octaves left of the smallest size.
ZERO_GAP = 4
SLOWDOWN_CLASSES = ("best, or may be", "to 1.1 times", "to 1.5", "to 2", "to 4", "more")
_SLOWDOWN_LIMITS = (1.1, 1.5, 2.0, 4.0)


def rows(points: Sequence[Point]) -> list[Row]:
    """One row a measured point; texts are ready to show, numbers have six digits."""
    zero_at = min((point.size for point in points if point.size), default=1) / ZERO_GAP
    best = best_protocols(points)
    return [
        _row(point, point.time, zero_at, best[point.series, point.workload, point.size].time)
        for point in points
        if point.time is not None
    ]


def _row(point: Point, time: Metric, zero_at: float, fastest: Metric) -> Row:
    slowdown = time.median / fastest.median
    row: Row = {
        "series": point.series,
        "workload": point.workload,
        "protocol": point.protocol,
        "bytes": point.size,
        "at": point.size or zero_at,
        "size": size_label(point.size),
        "interval": plus_minus(time.half_width_relative),
        "launches": time.launches,
        "slowdown": _rounded(slowdown),
        "class": _slowdown_class(slowdown, not apart(fastest, time)),
        **_bounded(time, time_text),
    }
    if len(time.modes) > 1:
        row["modes"] = " and ".join(f"{time_text(m.value)} ({m.share:.0%})" for m in time.modes)
    return row | (_bounded(point.bandwidth, rate_text) if point.bandwidth else {})


def _bounded(metric: Metric, text: Callable[[float], str]) -> Row:
    name = metric.name
    row: Row = {name: _rounded(metric.median), f"{name}_text": text(metric.median)}
    if metric.low is not None and metric.high is not None:
        row |= {f"{name}_low": _rounded(metric.low), f"{name}_high": _rounded(metric.high)}
    return row


def _rounded(value: float) -> float:
    return float(f"{value:.6g}")


def _slowdown_class(slowdown: float, tied: bool) -> str:
    above = sum(slowdown > limit for limit in _SLOWDOWN_LIMITS)
    return SLOWDOWN_CLASSES[0 if tied else 1 + above]
