"""Statistics over launches and over batches: pure functions, times in any one unit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Figures = Sequence[float] | NDArray[np.float64]

CONFIDENCE = 0.95
TRIMMED_SHARE = 0.2

# Two modes are reported only if they are relevant and unlikely to be chance.
MODES_APART = 0.03  # relative distance between neighbouring modes
MODE_SHARE = 0.1  # of all samples, at least
VALLEY_DEPTH = 0.5  # density between two modes, relative to the lower of them
MODES_SAMPLES_MINIMUM = 30
_BINS = 512


@dataclass(frozen=True)
class Interval:
    """The median over launches and the 95 % interval around it; no bounds below two launches."""

    median: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Mode:
    """A value around which samples cluster, and their share."""

    value: float
    share: float


def interval(launch_figures: Figures) -> Interval:
    """Median and 95 % interval: Yuen's 20 % trimmed t on logarithms, widened to contain the median.

    Figures are positive, one per launch; ValueError without any.
    """
    figures = np.sort(np.asarray(launch_figures, dtype=np.float64))
    if figures.size == 0:
        raise ValueError("no launch figures: an interval needs at least one launch")
    # From ordered figures, faster than np.median.
    median = float(figures[(figures.size - 1) // 2] + figures[figures.size // 2]) / 2
    if figures.size == 1:
        return Interval(median, None, None)
    # Relative to the median: equal figures then give an interval of exactly zero width.
    logs = estimate(np.log(figures / median))
    reach = logs.reach(1 - CONFIDENCE)
    low = median * float(np.exp(min(logs.centre - reach, 0.0)))
    high = median * float(np.exp(max(logs.centre + reach, 0.0)))
    return Interval(median, low, high)


@dataclass(frozen=True)
class Estimate:
    """The centre of logarithms and its error: Student's t with these degrees of freedom."""

    centre: float
    error: float
    degrees: float

    def reach(self, risk: float) -> float:
        """The half-width of the interval that misses the centre with this probability."""
        # Imported late, here and below: it takes 0.2 s, and every command imports this module.
        from scipy.special import stdtrit  # noqa: PLC0415

        return float(stdtrit(self.degrees, 1 - risk / 2)) * self.error

    def bounds(self, risk: float) -> tuple[float, float]:
        """That interval on the original scale."""
        reach = self.reach(risk)
        return math.exp(self.centre - reach), math.exp(self.centre + reach)

    @property
    def p_value(self) -> float:
        """The p-value of the hypothesis that the centre is 0."""
        if self.error == 0:
            return 1.0 if self.centre == 0 else 0.0
        from scipy.special import stdtr  # noqa: PLC0415

        return 2 * float(stdtr(self.degrees, -abs(self.centre) / self.error))


def estimate(logs: Figures) -> Estimate:
    """The centre of two logarithms or more: 20 % trimmed mean, winsorised variance."""
    ordered = np.sort(np.asarray(logs, dtype=np.float64))
    trimmed = _trimmed(ordered.size)
    kept = ordered[trimmed : ordered.size - trimmed]
    winsorized = np.clip(ordered, kept[0], kept[-1])
    squares = float(np.sum((winsorized - winsorized.mean()) ** 2))
    error = math.sqrt(squares / (kept.size * (kept.size - 1)))
    return Estimate(float(kept.mean()), error, kept.size - 1)


def degrees_of(launches: int) -> int:
    """The degrees of freedom of an estimate from so many launches."""
    return launches - 2 * _trimmed(launches) - 1


def _trimmed(launches: int) -> int:
    """How many are cut off at each end."""
    return int(TRIMMED_SHARE * launches)


def half_width_relative(launch_figures: Figures) -> float:
    """Half the interval's width relative to the median; infinite below two launches."""
    if len(launch_figures) < 2:
        return math.inf
    value = interval(launch_figures)
    assert value.low is not None and value.high is not None
    return (value.high - value.low) / (2 * value.median)


def modes(samples: Figures) -> tuple[Mode, ...]:
    """The values around which samples cluster, ascending, each with its share.

    A density estimate on logarithms. With few samples, non-positive ones (a skew may be), or no
    clear valley, one mode: the median.
    """
    values = np.asarray(samples, dtype=np.float64)
    if values.size == 0:
        return ()
    single = (Mode(float(np.median(values)), 1.0),)
    if values.size < MODES_SAMPLES_MINIMUM or values.min() <= 0:
        return single
    logs = np.log(values)
    peaks, cuts = _peaks(logs)
    while len(peaks) > 1:
        groups = np.split(np.sort(values), np.searchsorted(np.sort(logs), cuts))
        shares = [group.size / values.size for group in groups]
        smallest = int(np.argmin(shares))
        if shares[smallest] >= MODE_SHARE:
            return tuple(
                Mode(float(np.median(group)), share)
                for group, share in zip(groups, shares, strict=True)
            )
        # A few outliers are not a mode: merge them with the neighbour.
        peaks = np.delete(peaks, smallest)
        cuts = np.delete(cuts, max(smallest - 1, 0))
    return single


def _peaks(logs: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Positions of the density's clear peaks, and of the valleys between them."""
    # Imported late: it takes a while, and a measurement needs no modes.
    from scipy.ndimage import gaussian_filter1d  # noqa: PLC0415

    lower, first, third, upper = np.quantile(logs, [0.01, 0.25, 0.75, 0.99])
    spread = min(float(logs.std()), float(third - first) / 1.349) or float(logs.std())
    bandwidth = max(0.9 * spread * logs.size**-0.2, MODES_APART / 12)
    grid = np.linspace(lower - 4 * bandwidth, upper + 4 * bandwidth, _BINS + 1)
    step = float(grid[1] - grid[0])
    counts = np.histogram(logs, bins=grid)[0].astype(np.float64)
    density = gaussian_filter1d(counts, bandwidth / step, mode="constant")
    peaks = _highest_apart(density, max(MODES_APART / step, 1))
    return _clear_peaks(peaks, density, grid[:-1] + step / 2)


def _highest_apart(density: NDArray[np.float64], apart: float) -> list[int]:
    """The maxima that are at least this far from all higher ones kept.

    As scipy.signal.find_peaks, which takes a third of a second to import: a third of `summary`.
    """
    rises, falls = density[1:-1] > density[:-2], density[1:-1] >= density[2:]
    maxima = 1 + np.flatnonzero(rises & falls)
    kept: list[int] = []
    for maximum in maxima[np.argsort(-density[maxima], kind="stable")].tolist():
        if all(abs(maximum - other) >= apart for other in kept):
            kept.append(maximum)
    return sorted(kept)


def _clear_peaks(
    candidates: Sequence[int], density: NDArray[np.float64], centres: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The peaks separated from the previous one by a deep valley."""
    peaks: list[int] = []
    valleys: list[int] = []
    for peak in candidates:
        if not peaks:
            peaks.append(peak)
            continue
        valley = peaks[-1] + int(np.argmin(density[peaks[-1] : peak + 1]))
        lower_peak = min(density[peaks[-1]], density[peak])
        if density[valley] <= VALLEY_DEPTH * lower_peak:
            peaks.append(peak)
            valleys.append(valley)
        elif density[peak] > density[peaks[-1]]:
            peaks[-1] = peak
    return centres[peaks], centres[valleys]
