"""One curve of times along sizes: Hockney's model fitted to it, or why it must not be used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, stdtrit

from halocline.detect.curves import Curve
from halocline.model.hockney import (
    SIZES_MINIMUM,
    Chosen,
    Fitter,
    Hockney,
    Validated,
    Vector,
    line,
    pieces_forced,
    validated,
)
from halocline.summary.stats import CONFIDENCE

ERROR_ALLOWED = 0.15  # median over the sizes, each left out of the fit in turn
_TREND_MATTERS = 0.05  # a trend in smaller errors is harmless
_TREND_RISK = 0.01
_REPLICATES = 200


@dataclass(frozen=True)
class Bounded:
    """A parameter with its standard error and 95 % interval; None with a single launch."""

    value: float
    error: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class FittedPiece:
    """A piece with its parameters' uncertainty; `from_bytes` and `to_bytes` were measured."""

    from_bytes: int
    to_bytes: int
    latency_s: Bounded
    per_byte_s: Bounded


@dataclass(frozen=True)
class Residual:
    """A size, its time, the model's value, and its value with this size left out."""

    bytes: int
    measured_s: float
    fitted_s: float
    left_out_error: float  # relative

    @property
    def error(self) -> float:
        return self.fitted_s / self.measured_s - 1


@dataclass(frozen=True)
class Fit:
    """The fit of a curve. `rejected` says why it must not be used; empty if usable."""

    launches: int
    pieces: tuple[FittedPiece, ...]
    residuals: tuple[Residual, ...]
    median_error: float | None  # of sizes left out
    worst_error: float | None
    rejected: str
    model: Hockney | None

    @property
    def usable(self) -> Hockney | None:
        return None if self.rejected else self.model


def fit(curve: Curve, limit: tuple[float, float] | None) -> Fit:
    """The model of a curve, split at the eager limit if known."""
    columns = [c for c in range(len(curve.at)) if np.isfinite(curve.figures[:, c]).any()]
    kept = curve.kept(columns)
    launches = len(kept.figures)
    if len(kept.at) < SIZES_MINIMUM:
        few = f"{len(kept.at)} sizes were measured; at least {SIZES_MINIMUM} are needed"
        return Fit(launches, (), (), None, None, few, None)
    times_s = np.nanmedian(kept.figures, axis=0)
    fitter = Fitter(kept.at, times_s, pieces_forced(kept.at, limit))
    tried = [_judged(fitter, cut) for cut in validated(fitter)]
    best, model, residuals, rejected = next((cut for cut in tried if not cut[3]), tried[0])
    errors = np.abs(best.errors)
    return Fit(
        launches,
        _pieces(kept, times_s, best.chosen, model),
        residuals,
        float(np.median(errors)),
        float(errors.max()),
        rejected,
        model,
    )


def _judged(
    fitter: Fitter, held_out: Validated
) -> tuple[Validated, Hockney, tuple[Residual, ...], str]:
    model = fitter.model(held_out.chosen)
    residuals = tuple(
        Residual(size, float(time_s), model.time_s(size), float(error))
        for size, time_s, error in zip(fitter.sizes, fitter.times_s, held_out.errors, strict=True)
    )
    return held_out, model, residuals, rejection(residuals)


def rejection(residuals: Sequence[Residual]) -> str:
    """Why a fit must not be used; empty if usable."""
    median = float(np.median([abs(residual.left_out_error) for residual in residuals]))
    if median > ERROR_ALLOWED:
        return (
            f"the median error on held-out sizes is {100 * median:.0f} %; "
            f"{100 * ERROR_ALLOWED:.0f} % are allowed"
        )
    errors = np.array([residual.error for residual in residuals])
    size = float(np.sqrt(np.mean(errors**2)))
    if size > _TREND_MATTERS and _runs_p_value(errors) < _TREND_RISK:
        return (
            f"the residuals have a trend: they are {100 * size:.0f} % (RMS), and "
            "neighbouring sizes err in the same direction more often than by chance"
        )
    return ""


def _runs_p_value(errors: Vector) -> float:
    """The probability of this few sign changes, by Wald and Wolfowitz."""
    signs = errors > 0
    above, below = int(signs.sum()), int((~signs).sum())
    if min(above, below) == 0:
        return 1.0
    count = above + below
    runs = 1 + int((signs[1:] != signs[:-1]).sum())
    expected = 2 * above * below / count + 1
    variance = (expected - 1) * (expected - 2) / (count - 1)
    return float(ndtr((runs + 0.5 - expected) / np.sqrt(variance))) if variance > 0 else 1.0


def _pieces(
    curve: Curve, times_s: Vector, chosen: Chosen, model: Hockney
) -> tuple[FittedPiece, ...]:
    sizes = np.array(curve.at, dtype=np.float64)
    resampled = _resampled(curve, times_s)
    pieces = []
    for columns, piece in zip(chosen, model.pieces, strict=True):
        at = list(columns)
        again = np.array([line(sizes[at], sample[at])[:2] for sample in resampled])
        scatter = _scatter(sizes[at], times_s[at])
        values = (piece.latency_s, piece.per_byte_s)
        latency, per_byte = (
            _bounded(value, again[:, which] if len(again) else None, scatter[which], curve)
            for which, value in enumerate(values)
        )
        pieces.append(FittedPiece(curve.at[at[0]], curve.at[at[-1]], latency, per_byte))
    return tuple(pieces)


def _resampled(curve: Curve, times_s: Vector) -> list[Vector]:
    """Bootstrap times over launches drawn with replacement."""
    launches = len(curve.figures)
    if launches < 2:
        return []
    random = np.random.default_rng(launches)
    samples = []
    for _ in range(_REPLICATES):
        drawn = curve.figures[random.integers(0, launches, launches)]
        there = np.isfinite(drawn).any(axis=0)
        again = times_s.copy()
        again[there] = np.nanmedian(drawn[:, there], axis=0)
        samples.append(again)
    return samples


def _scatter(sizes: Vector, times_s: Vector) -> tuple[float, float]:
    """Standard errors of a line's parameters from the scatter of sizes around it."""
    largest = max(float(sizes.max()), 1.0)
    rows = np.column_stack([1 / times_s, sizes / largest / times_s])
    squares = line(sizes, times_s)[2] / max(len(sizes) - 2, 1)
    # Scaled because seconds are small numbers.
    unit_s = float(times_s.min())
    variance = squares * np.linalg.pinv((unit_s * rows).T @ (unit_s * rows))
    return (
        float(np.sqrt(variance[0, 0])) * unit_s,
        float(np.sqrt(variance[1, 1])) * unit_s / largest,
    )


def _bounded(value: float, again: Vector | None, scatter: float, curve: Curve) -> Bounded:
    """The larger of the errors from launches and from scatter around the line."""
    if again is None:
        return Bounded(value, None, None, None)
    launches = len(curve.figures)
    error = max(float(np.std(again)) * np.sqrt(launches / (launches - 1)), scatter)
    reach = float(stdtrit(launches - 1, (1 + CONFIDENCE) / 2)) * error
    return Bounded(value, float(error), max(value - reach, 0.0), value + reach)
