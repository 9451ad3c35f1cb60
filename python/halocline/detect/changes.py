"""Steps and bends of a curve: where it jumps or turns, by how much, how sure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from scipy.special import stdtrit

from halocline.detect.background import Background
from halocline.detect.curves import Curve, Matrix, blocks, level, usable
from halocline.summary.stats import CONFIDENCE

FALSE_ALARMS = 0.03  # share of smooth curves that may seem to have a step or a bend
SMALLEST = 0.02  # smaller ones are of no practical use
_LOOK_AHEAD = 2  # changes tried in addition to the significant ones
_EDGE = 2  # points needed on each side
POINTS_MINIMUM = 6
_POINTS_MAXIMUM = 96  # of a longer curve only this many are used, evenly spread
_ROUNDS = 30  # of the affine fit, which converges in ten


class Kind(StrEnum):
    """The kinds of change."""

    STEP = "step"
    BEND = "bend"


@dataclass(frozen=True)
class Change:
    """A step between two neighbouring points of a curve, or a bend between them."""

    kind: Kind
    below: int
    above: int
    surely_above: int  # 95 % bounds on its place
    surely_below: int
    height: float  # relative: 0.2 is 20 % more; for a bend, per doubling after it
    low: float  # at 95 %
    high: float


@dataclass(frozen=True, eq=False)
class _Shape:
    """The contribution of a change of height 1 to the logarithm of the curve."""

    kind: Kind
    below: int  # columns of the curve
    above: int
    column: Matrix


def find_changes(whole: Curve, *, affine: bool = True) -> tuple[Change, ...]:
    """The steps and bends of a curve, up or down, ascending by place; possibly none.

    `affine`: first subtract a constant and a part per byte, suitable for times, not ratios.
    Parts of the curve that share no launch are searched separately; the finest one counts.
    """
    changes = [
        change for block in blocks(usable(whole)) for change in _in_block(block, affine=affine)
    ]
    return tuple(sorted(_together(changes), key=lambda change: (change.below, change.above)))


def _together(changes: Sequence[Change]) -> list[Change]:
    """Merge a change found both coarsely and in a refinement; its bounds are the intersection.

    A bend at the same place is part of it: the curve may be flatter after a step.
    """
    closest: list[Change] = []
    for change in sorted(changes, key=lambda change: change.above - change.below):
        same = [other for other in closest if _overlap(other, change)]
        closest = [
            _within(other, change) if other in same and other.kind is change.kind else other
            for other in closest
        ]
        closest += [] if same else [change]
    return closest


def _overlap(one: Change, other: Change) -> bool:
    return one.below < other.above and other.below < one.above


def _within(close: Change, wide: Change) -> Change:
    return replace(
        close,
        below=max(close.below, wide.below),
        above=min(close.above, wide.above),
        surely_above=max(close.surely_above, wide.surely_above),
        surely_below=min(close.surely_below, wide.surely_below),
    )


def _in_block(block: Curve, *, affine: bool) -> tuple[Change, ...]:
    curve = _thinned(block)
    if len(curve.at) < POINTS_MINIMUM:
        return ()
    logarithms = np.log(curve.figures)
    if affine:
        logarithms = logarithms - np.log(_affine(curve))
    at_level = level(logarithms)
    octaves = np.log2(np.array(curve.at, dtype=np.float64))
    background = Background(octaves, at_level)
    shapes = _sure(background, _shapes(octaves), at_level.degrees)
    reach = float(stdtrit(at_level.degrees, (1 + CONFIDENCE) / 2))
    return tuple(_change(curve, background, shape, shapes, reach) for shape in shapes)


def _thinned(curve: Curve) -> Curve:
    count = len(curve.at)
    if count <= _POINTS_MAXIMUM:
        return curve
    return curve.kept(sorted({round(i) for i in np.linspace(0, count - 1, _POINTS_MAXIMUM)}))


def _shapes(octaves: Matrix) -> list[_Shape]:
    count = octaves.size
    steps = [
        _Shape(Kind.STEP, p, p + 1, (np.arange(count) > p).astype(np.float64))
        for p in range(_EDGE - 1, count - _EDGE)
    ]
    bends = [
        _Shape(Kind.BEND, p - 1, p + 1, np.maximum(octaves - octaves[p], 0.0))
        for p in range(_EDGE, count - _EDGE)
    ]
    return steps + bends


def _columns(shapes: Sequence[_Shape], count: int) -> Matrix:
    return np.column_stack([np.empty((count, 0)), *(shape.column for shape in shapes)])


@dataclass(frozen=True, eq=False)
class _Placed:
    """A change at its most probable place, and the columns between which it lies at 95 %."""

    shape: _Shape
    first: int
    last: int


def _sure(background: Background, shapes: Sequence[_Shape], degrees: float) -> tuple[_Placed, ...]:
    """The largest set of jointly significant changes, most probable first.

    One alone may not be significant while another is unknown, so the search looks ahead.
    """
    critical = float(stdtrit(degrees, 1 - FALSE_ALARMS / max(len(shapes), 1) / 2))
    sure: tuple[_Placed, ...] = ()
    tried: tuple[_Placed, ...] = ()
    while len(tried) < min(len(sure) + _LOOK_AHEAD, len(shapes)):
        tried = (*tried, _most_probable(background, shapes, [placed.shape for placed in tried]))
        if all(_is_sure(*_height(background, placed, tried), critical) for placed in tried):
            sure = tried
    return sure


def _most_probable(
    background: Background, shapes: Sequence[_Shape], known: Sequence[_Shape]
) -> _Placed:
    free = [shape for shape in shapes if all(shape is not other for other in known)]
    count = shapes[0].column.size
    probability = background.heights(_columns(free, count), _columns(known, count)).probability
    order = np.argsort(-probability)
    enough = int(np.searchsorted(np.cumsum(probability[order]), CONFIDENCE)) + 1
    likely = [free[int(index)] for index in order[:enough]]
    return _Placed(likely[0], min(s.below for s in likely), max(s.above for s in likely))


def _height(
    background: Background, placed: _Placed, all_placed: Sequence[_Placed]
) -> tuple[float, float]:
    """A change's height, fitted with the others, and its error."""
    other_shapes = [other.shape for other in all_placed if other is not placed]
    column = placed.shape.column
    heights = background.heights(column[:, None], _columns(other_shapes, column.size))
    return float(heights.height[0]), float(heights.error[0])


def _is_sure(height: float, error: float, critical: float) -> bool:
    return abs(height) > critical * error and abs(math.expm1(height)) >= SMALLEST


def _change(
    curve: Curve,
    background: Background,
    placed: _Placed,
    all_placed: Sequence[_Placed],
    reach: float,
) -> Change:
    height, error = _height(background, placed, all_placed)
    return Change(
        kind=placed.shape.kind,
        below=curve.at[placed.shape.below],
        above=curve.at[placed.shape.above],
        surely_above=curve.at[placed.first],
        surely_below=curve.at[placed.last],
        height=math.expm1(height),
        low=math.expm1(height - reach * error),
        high=math.expm1(height + reach * error),
    )


def _affine(curve: Curve) -> Matrix:
    """A constant and a share per byte, neither negative, by least absolute relative deviations."""
    medians = np.nanmedian(curve.figures, axis=0)
    at = np.array(curve.at, dtype=np.float64)
    relative = np.column_stack([1 / medians, at / medians])
    weight: Matrix = np.ones_like(at)
    coefficients: Matrix = np.zeros(2)
    for _ in range(_ROUNDS):
        solved = np.linalg.lstsq(relative * weight[:, None], weight, rcond=None)[0]
        coefficients = solved.astype(np.float64)
        misfit: Matrix = np.abs(relative @ coefficients - 1)
        weight = 1 / np.sqrt(np.maximum(misfit, 1e-3))
    # Avoid dividing by non-positive fitted times.
    fitted: Matrix = relative @ np.maximum(coefficients, 0) * medians
    return fitted if bool(np.all(fitted > 0)) else medians
