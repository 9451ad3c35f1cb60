"""Parameters of LogGP and the max-rate model, as far as the fitted curves determine them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.optimize import least_squares
from scipy.special import stdtrit

from halocline.detect.curves import Curve
from halocline.model.fit import ERROR_ALLOWED, Bounded, Fit
from halocline.model.hockney import Vector
from halocline.model.messages import Probe
from halocline.summary.stats import CONFIDENCE

NO_PROBE = (
    "o and L cannot be separated: that needs the time a send occupies its rank (`eager_probe`)"
)
NO_GAP = "g is unknown: no workload sends a one-way train of messages; it is between o and L + 2 o"
_REPLICATES = 30
_RATES_SIZES_MINIMUM = 3
_ALIKE = 1e-3  # smaller differences of rates count as none


@dataclass(frozen=True)
class LogGP:
    """L + 2 o + (n - 1) G for n bytes, of messages as small as in the first piece.

    The probe bounds o from above, as its time includes clock readings and a notice;
    L is then bounded from below.
    """

    latency_and_overheads_s: Bounded  # L + 2 o
    overhead_at_most_s: float | None  # o
    latency_at_least_s: float | None  # L
    gap_per_byte_s: tuple[Bounded, ...]  # G of each piece
    cannot_tell: tuple[str, ...]


@dataclass(frozen=True)
class MaxRate:
    """a + k n / min(R_N, k R_C) for k simultaneous messages of n bytes at a node.

    R_N is None if too few messages were sent to saturate it.
    """

    from_bytes: int
    at_once: tuple[int, ...]
    message_rate: Bounded  # R_C, B/s
    node_rate: Bounded | None  # R_N, B/s
    median_error: float  # of sizes left out
    worst_error: float

    @property
    def rejected(self) -> str:
        """Why it must not be used; empty if usable."""
        if self.median_error <= ERROR_ALLOWED:
            return ""
        return (
            f"the median error on held-out sizes is {100 * self.median_error:.0f} %; "
            f"{100 * ERROR_ALLOWED:.0f} % are allowed"
        )


def loggp(alone: Fit, probe: Probe | None) -> LogGP | None:
    """From the fit of single messages; None if that is unusable."""
    if alone.usable is None:
        return None
    first = alone.pieces[0]
    reasons = [NO_GAP]
    overhead_s = latency_s = None
    if probe is None or probe.returned_s is None:
        reasons.insert(0, NO_PROBE)
    else:
        overhead_s = min(probe.returned_s, first.latency_s.value) / 2
        latency_s = first.latency_s.value - 2 * overhead_s
    return LogGP(
        first.latency_s,
        overhead_s,
        latency_s,
        tuple(piece.per_byte_s for piece in alone.pieces),
        tuple(reasons),
    )


def max_rate(fits: Mapping[int, Fit], curves: Mapping[int, Curve]) -> MaxRate | None:
    """From the largest sizes, where bytes count; None without several numbers at once."""
    models = {k: fitted.usable for k, fitted in fits.items()}
    if not fits.get(1) or any(model is None for model in models.values()) or len(models) < 2:
        return None
    begin = max(_last_piece(fits[k]) for k in fits)
    used = {k: _from(curves[k], begin) for k in models}
    if min(len(curve.at) for curve in used.values()) < _RATES_SIZES_MINIMUM:
        return None
    medians = {k: np.nanmedian(curve.figures, axis=0) for k, curve in used.items()}
    solution = _solve(used, medians, _start(used, medians))
    errors = np.abs(_left_out(solution, used, medians))
    again = [_solve(used, _drawn(used, number), solution) for number in range(_REPLICATES)]
    launches = min(len(curve.figures) for curve in used.values())
    single, node = (
        _rate(float(solution[which]), np.array([x[which] for x in again]), launches)
        for which in (1, 2)
    )
    # The node's rate is known only if it significantly slows the largest number of messages.
    filled = (node.high or node.value) < max(models) * single.value * (1 - _ALIKE)
    return MaxRate(
        begin,
        tuple(sorted(models)),
        single,
        node if filled else None,
        float(np.median(errors)),
        float(errors.max()),
    )


def _last_piece(fitted: Fit) -> int:
    return fitted.pieces[-1].from_bytes


def _from(curve: Curve, begin: int) -> Curve:
    return curve.kept(
        [
            column
            for column, size in enumerate(curve.at)
            if size >= max(begin, 1) and np.isfinite(curve.figures[:, column]).any()
        ]
    )


def _start(used: Mapping[int, Curve], times_s: Mapping[int, Vector]) -> Vector:
    """Latency (s), rate of one message and of the node (B/s), from the largest sizes."""
    largest = {k: curve.at[-1] / times_s[k][-1] for k, curve in used.items()}
    latency_s = min(float(t.min()) for t in times_s.values()) / 2
    return np.array([latency_s, largest[min(used)], max(k * r for k, r in largest.items())])


def _solve(used: Mapping[int, Curve], times_s: Mapping[int, Vector], start: Vector) -> Vector:
    """The three with the least squares of relative errors."""

    def errors(logs: Vector) -> Vector:
        return _relative(np.exp(logs), used, times_s)

    return np.asarray(np.exp(least_squares(errors, np.log(start)).x), dtype=np.float64)


def _relative(
    parameters: Vector, used: Mapping[int, Curve], times_s: Mapping[int, Vector]
) -> Vector:
    latency_s, single, node = parameters
    return np.concatenate(
        [
            (latency_s + k * np.array(curve.at) / min(node, k * single)) / times_s[k] - 1
            for k, curve in used.items()
        ]
    )


def _left_out(solution: Vector, used: Mapping[int, Curve], times_s: Mapping[int, Vector]) -> Vector:
    """The error at each size with the model fitted to the others."""

    def only(size: int, out: bool) -> tuple[dict[int, Curve], dict[int, Vector]]:
        at = {
            k: [n for n, length in enumerate(curve.at) if (length != size) == out]
            for k, curve in used.items()
        }
        kept = {k: used[k].kept(columns) for k, columns in at.items() if columns}
        return kept, {k: times_s[k][at[k]] for k in kept}

    errors = []
    for size in sorted({size for curve in used.values() for size in curve.at}):
        fitted = _solve(*only(size, out=True), solution)
        errors.append(_relative(fitted, *only(size, out=False)))
    return np.concatenate(errors)


def _drawn(used: Mapping[int, Curve], number: int) -> dict[int, Vector]:
    """Bootstrap medians over resampled launches."""
    random = np.random.default_rng(number)
    drawn = {}
    for k, curve in used.items():
        rows = random.integers(0, len(curve.figures), len(curve.figures))
        figures = curve.figures[rows]
        gaps = ~np.isfinite(figures).any(axis=0)
        figures[:, gaps] = np.nanmedian(curve.figures[:, gaps], axis=0)
        drawn[k] = np.nanmedian(figures, axis=0)
    return drawn


def _rate(value: float, again: Vector, launches: int) -> Bounded:
    if launches < 2:
        return Bounded(value, None, None, None)
    error = float(np.std(again)) * np.sqrt(launches / (launches - 1))
    reach = float(stdtrit(launches - 1, (1 + CONFIDENCE) / 2)) * error
    return Bounded(value, float(error), max(value - reach, 0.0), value + reach)
