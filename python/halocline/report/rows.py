"""Input of the figures and the page's controls: a row for every measured point."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

from halocline.base.quantities import rate_text, size_label, time_text
from halocline.report.best import apart, best_protocols, comparable
from halocline.report.entries import Entry
from halocline.summary.metrics import Metric
from halocline.summary.ratios import plus_minus

Row = dict[str, Any]

Quantity = Literal["time", "bandwidth"]

ZERO_GAP = 4  # factor between the smallest size and where 0 B is drawn
SLOWDOWN_CLASSES = ("best, or may be", "to 1.1 times", "to 1.5", "to 2", "to 4", "more")
ONE_MODE = "one"
_SLOWDOWN_LIMITS = (1.1, 1.5, 2.0, 4.0)


def rows(points: Sequence[Entry], size_text: Callable[[int], str] = size_label) -> list[Row]:
    """One row per measured point; texts are ready to show, numbers have six digits."""
    zero = zero_at(point.size for point in points)
    best = best_protocols(points)
    fair = best_protocols(comparable(points))
    # Libraries are compared if their ranks are in the same place.
    leaders: dict[tuple[str, str, int], float] = {}  # by place, variant and size
    rivals: dict[str, set[str]] = defaultdict(set)
    for (_, variant, size), fastest in fair.items():
        where = (fastest.fastest.place, variant, size)
        leaders[where] = min(fastest.time.median, leaders.get(where, fastest.time.median))
        rivals[fastest.fastest.place].add(fastest.fastest.library)
    drawn = []
    for point in points:
        if point.measured:
            key = (point.series, point.variant, point.size)
            row = _row(point, zero, best[key].time) | {"size": size_text(point.size)}
            leads = key in fair and fair[key].fastest is point
            if leads and len(rivals[point.place]) > 1:
                row |= _lead(point.time, leaders[point.place, point.variant, point.size])
            drawn.append(row)
    return drawn


def _row(point: Entry, zero: float, fastest: Metric) -> Row:
    time, bandwidth = point.time, point.metric("bandwidth")
    slowdown = time.median / fastest.median
    row: Row = {
        "series": point.series,
        "workload": point.variant,
        "protocol": point.protocol,
        "bytes": point.size,
        "at": point.size or zero,
        **_measured(time),
        "slowdown": rounded(slowdown),
        "class": _slowdown_class(slowdown, not apart(fastest, time)),
        "modes": _modes(time),
        **bounded(time, time_text),
    }
    return row | (bounded(bandwidth, rate_text) if bandwidth else {})


def dot(
    panel: str,
    line: str,
    at: int,
    metric: Metric,
    quantity: Quantity = "time",
    size_text: Callable[[int], str] = size_label,
) -> Row:
    """A value of a line chart: its panel and line, and where it is along the line."""
    text = time_text if quantity == "time" else rate_text
    return {
        "panel": panel,
        "series": line,
        "bytes": at,
        "size": size_text(at),
        **_measured(metric),
        **bounded(metric, text, quantity),
    }


def _measured(metric: Metric) -> Row:
    return {"interval": plus_minus(metric.half_width_relative), "launches": metric.launches}


def zero_at(sizes: Iterable[int]) -> float:
    """Where a logarithmic axis of these sizes has 0: two octaves left of the smallest."""
    return min(filter(None, sizes), default=1) / ZERO_GAP


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
