"""The reliability of verdicts: reports drawn from launches of sides with a known true ratio."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halocline.compare.comparison import cautious
from halocline.summary.ratios import NO_DIFFERENCE, judged_estimates
from halocline.summary.stats import CONFIDENCE, estimate

CLAIMS = ("faster", "slower")
_DELAYS = (0.0005, 1.0)  # search range of the smallest detected delay


@dataclass(frozen=True)
class Rates:
    """Counts over reports on sides whose times have the ratio 1 + `delay`.

    A claim is right if it is `slower` and the delay is positive.
    """

    delay: float
    reports: int
    cells: int
    cells_claimed: int
    cells_right: int
    reports_claimed: int
    largest_claim: float  # among wrong claims
    covered: int  # 95 % intervals of one case that contain the true ratio
    bias: float  # mean of estimate minus truth, as a share

    @property
    def found_share(self) -> float:
        """Cells in which the delay was found."""
        return self.cells_right / self.cells

    @property
    def coverage(self) -> float:
        """Share of the intervals that contain the true value."""
        return self.covered / self.cells


def drawn(
    logs: NDArray[np.float64], delay: float, launches: int, reports: int, seed: int = 1
) -> Rates:
    """Reports of this many launches each, drawn at random from recorded ones.

    `logs` has a row for each launch and a column for each case: the logarithm of one side's time
    over the other's, both without a delay. The sides are swapped at random: they are identical.
    """
    source = random.Random(seed)
    chosen = []
    for _ in range(reports):
        rows = logs[source.sample(range(len(logs)), launches)]
        signs = np.array([source.choice((-1.0, 1.0)) for _ in range(launches)])
        chosen.append(rows * signs[:, None] + math.log1p(delay))
    return judged_reports(chosen, delay)


def found_from(found_share: Callable[[float], float], share: float = CONFIDENCE) -> float | None:
    """The smallest delay found in this share of the cases; None if even a factor of two is not.

    Accurate to 5 %. `found_share` gives the share in which a delay is found.
    """
    low, high = math.log(_DELAYS[0]), math.log(_DELAYS[1])

    def found(log_delay: float) -> bool:
        return found_share(math.exp(log_delay)) >= share

    if not found(high):
        return None
    while high - low > math.log(1.05):
        middle = (low + high) / 2
        low, high = (low, middle) if found(middle) else (middle, high)
    return math.exp(high)


def judged_reports(reports: Sequence[NDArray[np.float64]], delay: float) -> Rates:
    """The claims of reports, each with a row per launch and a column per case; NaN: no figure."""
    truth = math.log1p(delay)
    cells = claimed = right = covered = with_claim = 0
    largest, differences = 0.0, []
    for report in reports:
        columns = [column[np.isfinite(column)] for column in report.T]
        estimates = [estimate(column) if column.size > 1 else None for column in columns]
        ratios = judged_estimates(
            [*map(cautious, estimates)], [column.size for column in columns], NO_DIFFERENCE
        )
        claims = 0
        for known, ratio in zip(estimates, ratios, strict=True):
            if known is None:
                continue
            cells += 1
            covered += abs(known.centre - truth) <= known.reach(1 - CONFIDENCE)
            differences.append(known.centre - truth)
            if ratio.verdict in CLAIMS:
                claims += 1
                if delay > 0 and ratio.verdict == "slower":
                    right += 1
                else:
                    largest = max(largest, abs(ratio.ratio - 1))
        claimed += claims
        with_claim += claims > 0
    return Rates(
        delay=delay,
        reports=len(reports),
        cells=cells,
        cells_claimed=claimed,
        cells_right=right,
        reports_claimed=with_claim,
        largest_claim=largest,
        covered=covered,
        bias=math.expm1(float(np.mean(differences))) if differences else 0.0,
    )
