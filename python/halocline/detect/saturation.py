"""Where adding pairs of ranks no longer helps: a link or the memory is saturated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halocline.detect.curves import Curve, NotFound, usable
from halocline.summary.stats import Interval, interval

LINEAR = 0.9  # of each pair's bandwidth with the fewest pairs
GROWTH = 1.05  # less than this counts as no growth


@dataclass(frozen=True)
class Saturation:
    """How the aggregate bandwidth of pairs grows."""

    aggregate: tuple[tuple[int, Interval], ...]  # B/s, by the number of pairs
    share: tuple[tuple[int, Interval], ...]  # per pair, relative to the fewest pairs
    linear_to: int  # most pairs up to which all shares are significantly at least LINEAR
    full_at: int | None  # number of pairs from which it no longer grows; None: not seen
    full: Interval | None  # the highest aggregate from there on, B/s


def saturation(aggregates: Curve) -> Saturation | NotFound:
    """How aggregate bandwidths (B/s) grow with the pairs."""
    curve = _beside_the_first(usable(aggregates))
    if len(curve.at) < 2:
        return NotFound("no two numbers of pairs were measured in the same launches")
    pairs = np.array(curve.at, dtype=np.float64)
    per_pair = curve.figures / pairs
    shares = [_interval(per_pair[:, column] / per_pair[:, 0]) for column in range(len(curve.at))]
    linear_to = curve.at[0]
    for count, share in zip(curve.at[1:], shares[1:], strict=True):
        if share.low is None or share.low < LINEAR:
            break
        linear_to = count
    levels = [_interval(curve.figures[:, column]) for column in range(len(curve.at))]
    full = _full(curve)
    highest = max(levels[full:], key=lambda level: level.median) if full is not None else None
    return Saturation(
        aggregate=tuple(zip(curve.at, levels, strict=True)),
        share=tuple(zip(curve.at, shares, strict=True)),
        linear_to=linear_to,
        full_at=curve.at[full] if full is not None else None,
        full=highest,
    )


def _beside_the_first(curve: Curve) -> Curve:
    """The columns that share a launch with the first one; others have no share."""
    measured = np.isfinite(curve.figures)
    columns = np.flatnonzero((measured & measured[:, :1]).any(axis=0))
    return curve.kept([int(column) for column in columns])


def _full(curve: Curve) -> int | None:
    """The first column after which none is surely, or perhaps, higher by more than GROWTH."""
    columns = range(len(curve.at))
    for column in columns[:-1]:
        growths = [
            curve.figures[:, later] / curve.figures[:, column] for later in columns[column + 1 :]
        ]
        if not all(np.isfinite(growth).any() for growth in growths):
            continue
        highs = [_interval(growth).high for growth in growths]
        if all(high is not None and high < GROWTH for high in highs):
            return column
    return None


def _interval(figures: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Interval:
    return interval(figures[np.isfinite(figures)])
