"""How a time grows with the number of ranks: the exponent of a power law."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

RISK = 0.05


@dataclass(frozen=True)
class Growth:
    """time ~ ranks^exponent, with the exponent's 95 % interval."""

    exponent: float
    low: float
    high: float


def growth(
    times_s: Mapping[int, float], reach_of: Mapping[int, float] | None = None
) -> Growth | None:
    """The power law through times by number of ranks; None for fewer than three.

    `reach_of`: how far the logarithm of each time may be off. Its effect on the exponent is added
    in full: few points can lie on a line by chance, however uncertain each of them is.
    """
    if len(times_s) < 3:
        return None
    ranks, times = np.log(list(times_s)), np.log(list(times_s.values()))
    (exponent, _), covariance = np.polyfit(ranks, times, 1, cov=True)
    reach = float(stdtrit(len(times_s) - 2, 1 - RISK / 2)) * math.sqrt(covariance[0, 0])
    if reach_of is not None:
        apart = ranks - ranks.mean()
        weights = np.abs(apart) / np.sum(apart**2)
        reach += float(weights @ [reach_of[count] for count in times_s])
    return Growth(float(exponent), float(exponent) - reach, float(exponent) + reach)


def ratio_at(ranks: int, first: int, exponent: int) -> float:
    """The factor in time from `first` ranks to `ranks`."""
    return math.pow(ranks / first, exponent)
