"""Which candidates advance to the next rung: pure decisions on what has been measured so far."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

# Launches of a candidate after each rung: each rung adds as many as all before it.
RUNGS = (1, 2, 4)
KEPT = 4  # a rung keeps its best quarter, and
SURE = 3.0  # all within this many standard errors of its best
# Launches of one side differ by this much even on an idle node with quiet blocks.
LAUNCHES_APART = 0.013
FINALISTS = 2
REPEATED = 4  # disturbed launches until a candidate is given up
ONE_LOST_OF = 4  # launches: one of this many may be discarded
_NORMAL = 1.4826  # standard deviations per median absolute deviation


@dataclass(frozen=True)
class Standing:
    """The state of a candidate.

    `logs`: the logarithm of its time over the default's in each usable launch, the mean
    over its problems. `launches`: how often it was launched. `reason`: why it is out, if so.
    `rung`: the last one in which it was launched, from 1; 0 if never.
    """

    logs: tuple[float, ...] = ()
    launches: int = 0
    reason: str = ""
    rung: int = 0

    @property
    def score(self) -> float:
        """The estimate so far; infinite without a figure."""
        return float(np.mean(self.logs)) if self.logs else math.inf

    def after(self, launches: int) -> Standing:
        """The state after its first launches."""
        return Standing(self.logs[:launches], min(launches, self.launches), self.reason, self.rung)


def lacking(standings: Mapping[str, Standing], alive: Iterable[str], launches: int) -> list[str]:
    """The candidates with fewer launches than this; discarded launches are repeated a few times.

    One in four may stay discarded: a launch for a few takes as long to start as one for many.
    """

    def lacks(each: Standing) -> bool:
        if each.reason or each.launches >= launches + REPEATED:
            return False
        return each.launches < launches or len(each.logs) < launches - launches // ONE_LOST_OF

    return [key for key in alive if lacks(standings[key])]


def kept(standings: Mapping[str, Standing], within: float) -> tuple[str, ...]:
    """The candidates that advance, best first.

    The best quarter, and every other one that may still be the best: it is behind by less than
    three standard errors of the difference. `within` is the default's spread within a launch.
    """
    known = {
        key: standing
        for key, standing in standings.items()
        if standing.logs and not standing.reason
    }
    if not known:
        return ()
    between = between_launches(known.values(), within)
    ranked = sorted(known, key=lambda key: (known[key].score, key))
    best = known[ranked[0]]
    quarter = math.ceil(len(ranked) / KEPT)

    def may_be_best(each: Standing) -> bool:
        error = between * math.sqrt(1 / len(each.logs) + 1 / len(best.logs))
        return each.score - best.score < SURE * error

    return tuple(
        key for place, key in enumerate(ranked) if place < quarter or may_be_best(known[key])
    )


def spread(residuals: Sequence[float]) -> float:
    """The standard deviation of residuals, robust against outliers."""
    return _NORMAL * float(np.median(np.abs(residuals))) if len(residuals) else 0.0


def between_launches(standings: Iterable[Standing], within: float) -> float:
    """The spread between launches of one candidate; from `within` if none had two."""
    residuals: list[float] = []
    for standing in standings:
        count = len(standing.logs)
        if count > 1:
            scale = math.sqrt(count / (count - 1))
            residuals += [scale * (log - standing.score) for log in standing.logs]
    return max(LAUNCHES_APART, spread(residuals) or within)
