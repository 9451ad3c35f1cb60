"""Input of detectors: times per launch along message sizes, ranks or pairs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halocline.summary.stats import TRIMMED_SHARE
from halocline.summary.summary import CaseSummary

Matrix = NDArray[np.float64]

LAUNCHES_MINIMUM = 4  # below this the variation between launches is unknown
# A point's spread is estimated from few launches: combine it with the usual spread on the curve,
# which counts as this many more launches.
_SHARED_LAUNCHES = 6


@dataclass(frozen=True, eq=False)
class Curve:
    """Figures of launches (rows) along an axis (columns); NaN where a launch gave none."""

    at: tuple[int, ...]  # ascending: sizes in bytes, or numbers of ranks or pairs
    figures: Matrix  # positive

    def __post_init__(self) -> None:
        if list(self.at) != sorted(set(self.at)):
            raise ValueError(f"not ascending: {self.at}")
        if self.figures.ndim != 2 or self.figures.shape[1] != len(self.at):
            raise ValueError(f"{len(self.at)} columns needed, not {self.figures.shape}")

    def kept(self, columns: Sequence[int]) -> Curve:
        """These columns alone."""
        return Curve(tuple(self.at[c] for c in columns), self.figures[:, list(columns)])


@dataclass(frozen=True)
class NotFound:
    """A curve does not show what is searched for."""

    reason: str


@dataclass(frozen=True)
class Level:
    """Logarithms of a curve, common to all launches: mean, its variance, and the precision of
    that variance.
    """

    mean: Matrix
    variance: Matrix
    degrees: float


def curve(cases: Iterable[tuple[int, CaseSummary]]) -> Curve:
    """The curve of cases that differ in one number, without unmeasured cases."""
    return _curve({at: case.figures_s for at, case in sorted(cases, key=_at) if case.figures_s})


def ratio(
    numerators: Iterable[tuple[int, CaseSummary]], denominators: Iterable[tuple[int, CaseSummary]]
) -> Curve:
    """The curve of one case's time over the other's, launch by launch, where both were measured."""
    below = dict(denominators)
    both = [(at, case, below[at]) for at, case in sorted(numerators, key=_at) if at in below]
    divided = {
        at: {n: s / other.figures_s[n] for n, s in case.figures_s.items() if n in other.figures_s}
        for at, case, other in both
    }
    return _curve({at: figures for at, figures in divided.items() if figures})


def usable(whole: Curve) -> Curve:
    """Without the columns that too few launches have, and without 0, which has no logarithm."""
    counts = np.isfinite(whole.figures).sum(axis=0)
    columns = np.flatnonzero((counts >= LAUNCHES_MINIMUM) & (np.array(whole.at) > 0))
    return whole.kept([int(column) for column in columns])


def _at(pair: tuple[int, CaseSummary]) -> int:
    return pair[0]


def _curve(by_launch: Mapping[int, Mapping[int, float]]) -> Curve:
    launches = sorted({launch for figures in by_launch.values() for launch in figures})
    rows = [[figures.get(launch, np.nan) for figures in by_launch.values()] for launch in launches]
    return Curve(tuple(by_launch), np.array(rows).reshape(len(launches), len(by_launch)))


def blocks(whole: Curve) -> tuple[Curve, ...]:
    """The parts of a curve that share no launch, measured separately, as when a search
    refines.
    """
    measured = np.isfinite(whole.figures)
    left = list(range(len(whole.at)))
    parts = []
    while left:
        columns = {left[0]}
        while True:
            launches = measured[:, sorted(columns)].any(axis=1)
            wider = {c for c in left if bool((measured[:, c] & launches).any())} | columns
            if wider == columns:
                break
            columns = wider
        left = [column for column in left if column not in columns]
        part = whole.kept(sorted(columns))
        parts.append(Curve(part.at, part.figures[np.isfinite(part.figures).any(axis=1)]))
    return tuple(parts)


def level(logarithms: Matrix) -> Level:
    """The common part of launches (rows), each normalised by its overall speed first.

    Trimmed like all intervals, so robust against outliers and second modes of some launches.
    """
    centred = logarithms - np.nanmedian(logarithms, axis=1, keepdims=True)
    means, variances, degrees = zip(
        *(_trimmed(column[np.isfinite(column)]) for column in centred.T), strict=True
    )
    variance, own = np.array(variances), float(np.mean(degrees))
    usual = float(np.median(variance))
    mixed = (_SHARED_LAUNCHES * usual + own * variance) / (_SHARED_LAUNCHES + own)
    # Avoid dividing by zero for constant figures, as from a simulation.
    return Level(np.array(means), np.maximum(mixed, 1e-12), _SHARED_LAUNCHES + own)


def _trimmed(values: Matrix) -> tuple[float, float, float]:
    """Trimmed mean, its variance, degrees of freedom."""
    ordered = np.sort(values)
    trimmed = int(TRIMMED_SHARE * ordered.size)
    kept = ordered[trimmed : ordered.size - trimmed]
    winsorised = np.clip(ordered, kept[0], kept[-1])
    squares = float(np.sum((winsorised - winsorised.mean()) ** 2))
    return float(kept.mean()), squares / (kept.size * (kept.size - 1)), float(kept.size - 1)
