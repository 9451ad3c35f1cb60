"""What verdicts are worth: reports drawn from launches of sides whose true ratio is known."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halocline.compare.comparison import cautious
from halocline.ratios import NO_DIFFERENCE, judged_estimates
from halocline.stats import CONFIDENCE, estimate

CLAIMS = ("faster", "slower")
_DELAYS = (0.0005, 1.0)  # between which the smallest that is found is sought


@dataclass(frozen=True)
class Rates:
    """What came of so many reports on sides whose times have the ratio 1 + `delay`.

    A claim is right if it is `slower` and there is a delay.
    """

    delay: float
    reports: int
    cells: int
    cells_claimed: int
    cells_right: int
    reports_claimed: int
    largest_claim: float  # of those that are not right
    covered: int  # 95 % intervals of one case that hold the true ratio
    bias: float  # mean of what was found less what there is, as a share

    @property
    def found_share(self) -> float:
        """Cells in which the delay was found."""
        return self.cells_right / self.cells

    @property
    def false_share(self) -> float:
        """Cells with a claim that is wrong."""
        return (self.cells_claimed - self.cells_right) / self.cells

    @property
    def reports_share(self) -> float:
        """Reports with a claim at all."""
        return self.reports_claimed / self.reports

    @property
    def coverage(self) -> float:
        """Share of the intervals that hold the truth."""
        return self.covered / self.cells


def drawn(
    logs: NDArray[np.float64], delay: float, launches: int, reports: int, seed: int = 1
) -> Rates:
    """Reports of so many launches each, drawn at random from recorded ones.

    `logs` has a row for each launch and a column for each case: the logarithm of one side's time
    over the other's, both without a delay. Which side is which is drawn too: they are alike.
    """
    source = random.Random(seed)
    chosen = []
    for _ in range(reports):
        rows = logs[source.sample(range(len(logs)), launches)]
        signs = np.array([source.choice((-1.0, 1.0)) for _ in range(launches)])
        chosen.append(rows * signs[:, None] + math.log1p(delay))
    return judged_reports(chosen, delay)


def found_from(found_share: Callable[[float], float], share: float = CONFIDENCE) -> float | None:
    """The smallest delay that is found in this share of the cases; None if twice the time is not.

    To a twentieth of itself. `found_share` says in which share a delay is found.
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
    """What is claimed of reports, each a row for a launch and a column for a case; NaN: none."""
    truth = math.log1p(delay)
    cells = claimed = right = covered = with_claim = 0
    largest, differences = 0.0, []
    for report in reports:
        columns = [column[np.isfinite(column)] for column in report.T]
        found = [estimate(column) if column.size > 1 else None for column in columns]
        ratios = judged_estimates(
            [*map(cautious, found)], [column.size for column in columns], NO_DIFFERENCE
        )
        claims = 0
        for known, ratio in zip(found, ratios, strict=True):
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
