"""Periodic steps: each additional packet adds the same time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from halocline.detect.background import Background
from halocline.detect.curves import Curve, Level, Matrix, level, usable
from halocline.summary.stats import CONFIDENCE, Interval

FALSE_ALARMS = 0.03  # share of curves without packets that may seem to have them
SMALLEST = 0.01  # of the time in the middle of the curve; smaller steps are of no practical use
BOUNDARIES_MINIMUM = 3
POINTS_MINIMUM = 18
_POINTS_MAXIMUM = 160  # of more sizes every second is used, or third ...: time grows with the cube
_POINTS_A_PACKET = 4
_ALIKE = 0.5  # a boundary's own step is at least this share of the common one …
_ALIKE_SHARE = 0.75  # … at this share of the boundaries
_KNOWN_MAXIMUM = 4  # single steps, such as an eager limit, that are removed first
_REFINED_SHARE, _REFINED_COUNT = 0.03, 13  # range relative to the period, number of values in it
_SMOOTHNESS = 4.0  # the background bends over a quarter of the curve, or more
_LENGTHS, _AMPLITUDES = (1.0, 3.0), (0.003, 0.03, 0.3)


@dataclass(frozen=True)
class Packets:
    """Steps every `period_bytes`, the first of them past `first_bytes`."""

    period_bytes: int
    first_bytes: int
    boundaries: int
    step_s: Interval


@dataclass(frozen=True, eq=False)
class _Stairs:
    period: float
    first: float
    column: Matrix


def find_packets(times: Curve) -> Packets | None:
    """Periodic steps of a curve of times (s) at evenly spaced sizes; None without."""
    curve = usable(times)
    curve = curve.kept(range(0, len(curve.at), -(-len(curve.at) // _POINTS_MAXIMUM) or 1))
    if len(curve.at) < POINTS_MINIMUM:
        return None
    sizes = np.array(curve.at, dtype=np.float64)
    scale_s, at_level = _relative(curve)
    parts = _SMOOTHNESS * (sizes - sizes[0]) / np.ptp(sizes)
    background = Background(parts, at_level, _LENGTHS, _AMPLITUDES)
    best = _most_probable(background, sizes, at_level.degrees)
    if best is None:
        return None
    stairs, known = best
    stairs = _refined(background, sizes, stairs, known)
    height, error = _height(background, stairs.column, known)
    if height < SMALLEST or not _everywhere(background, stairs, known, height):
        return None
    reach = float(stdtrit(at_level.degrees, (1 + CONFIDENCE) / 2)) * error
    bounds = (scale_s * value for value in (height, height - reach, height + reach))
    return Packets(
        period_bytes=round(stairs.period),
        first_bytes=round(stairs.first),
        boundaries=int(stairs.column.max()),
        step_s=Interval(*bounds),
    )


def _most_probable(
    background: Background, sizes: Matrix, degrees: float
) -> tuple[_Stairs, Matrix] | None:
    """The periodic steps, and more probable single ones; None if none are significant.

    An eager limit, for example, must be removed before the periodic ones show.
    """
    stairs = list(_all_stairs(sizes))
    singles = (np.arange(sizes.size)[:, None] > np.arange(1, sizes.size - 2)).astype(np.float64)
    columns = np.column_stack([*(candidate.column for candidate in stairs), singles])
    critical = float(stdtrit(degrees, 1 - FALSE_ALARMS / columns.shape[1]))
    known = np.empty((sizes.size, 0))
    for _ in range(_KNOWN_MAXIMUM + 1):
        heights = background.heights(columns, known)
        best = int(np.argmax(heights.probability))
        if abs(heights.height[best]) <= critical * heights.error[best]:
            return None
        if best < len(stairs):
            return stairs[best], known
        known = np.column_stack([known, columns[:, best]])
        columns = np.delete(columns, best, axis=1)
    return None


def _refined(background: Background, sizes: Matrix, near: _Stairs, known: Matrix) -> _Stairs:
    """The most probable of many periodic steps near these."""
    spacing = float(np.median(np.diff(sizes)))
    around = [
        _stairs(sizes, near.period * (1 + share), near.first + shift * spacing)
        for share in np.linspace(-_REFINED_SHARE, _REFINED_SHARE, _REFINED_COUNT)
        for shift in np.linspace(-1, 1, _REFINED_COUNT)
    ]
    columns = np.column_stack([candidate.column for candidate in around])
    return around[int(np.argmax(background.heights(columns, known).probability))]


def _height(background: Background, column: Matrix, known: Matrix) -> tuple[float, float]:
    heights = background.heights(column[:, None], known)
    return float(heights.height[0]), float(heights.error[0])


def _relative(curve: Curve) -> tuple[float, Level]:
    """The time in the middle, and times relative to it with all launches normalised."""
    medians = np.nanmedian(curve.figures, axis=0)
    speeds = np.nanmedian(curve.figures / medians, axis=1, keepdims=True)
    scale_s = float(np.median(medians))
    return scale_s, level(curve.figures / speeds / scale_s)


def _all_stairs(sizes: Matrix) -> Iterator[_Stairs]:
    """Every period and first step that the spacing of the sizes can resolve."""
    spacing, span = float(np.median(np.diff(sizes))), float(np.ptp(sizes))
    period = _POINTS_A_PACKET * spacing
    while period <= span / BOUNDARIES_MINIMUM:
        for first in np.arange(sizes[0] + spacing / 2, sizes[0] + period, spacing):
            stairs = _stairs(sizes, period, float(first))
            if stairs.column[-1] >= BOUNDARIES_MINIMUM:
                yield stairs
        period += spacing * period / span


def _stairs(sizes: Matrix, period: float, first: float) -> _Stairs:
    return _Stairs(period, first, np.maximum(np.floor((sizes - first) / period) + 1, 0.0))


def _everywhere(background: Background, stairs: _Stairs, known: Matrix, common: float) -> bool:
    """Whether most boundaries have a step: a single high one is not a packet."""
    count = int(stairs.column.max())
    steps = np.column_stack([(stairs.column > n).astype(np.float64) for n in range(count)])
    own = (
        _height(background, steps[:, n], np.column_stack([known, np.delete(steps, n, axis=1)]))[0]
        for n in range(count)
    )
    return sum(height >= _ALIKE * common for height in own) >= _ALIKE_SHARE * count
