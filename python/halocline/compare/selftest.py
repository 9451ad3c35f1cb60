"""How reliable verdicts are on a machine, from three sides: two identical and one delayed."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc

from halocline.base.errors import NoFigures
from halocline.base.units import counted
from halocline.compare import folder
from halocline.compare.comparison import LAUNCHES_MINIMUM, cautious
from halocline.summary.ratios import NO_DIFFERENCE, RISK, judged_estimates, percent_text, share_text
from halocline.summary.stats import CONFIDENCE, estimate

_REPORTS = 400
_REPORTS_OF_A_DELAY = 100  # for each of some ten delays
_LAUNCHES = 20  # of a drawn report, if twice as many exist
_CHANCE = 0.01  # of calling good verdicts untrustworthy
CLAIMS = ("faster", "slower")
_DELAYS = (0.0005, 1.0)  # search range of the smallest detected delay


@dataclass(frozen=True)
class SelfTest:
    """The result. `measured`: reports of consecutive launches; the rest are drawn
    at random from all launches, so they are many but not independent.
    """

    mpi: str
    delay: float
    launches: int
    usable_share: float  # of launches and cases
    cases: tuple[int, int]  # judged, and measured
    reports_of: int  # launches of a drawn report
    measured: Rates
    alike: Rates
    delayed: Rates | None
    found_from: float | None = None  # smallest delay found in 95 % of the cases, if any

    @property
    def trusted(self) -> bool:
        """Whether the number of false claims is consistent with the allowed 5 %."""
        return all(
            bdtrc(rates.reports_claimed - 1, rates.reports, RISK) > _CHANCE
            for rates in (self.alike, self.measured)
        )

    @property
    def lines(self) -> tuple[str, ...]:
        """The result in words."""
        alike, delayed = self.alike, self.delayed
        lines = [
            f"{self.mpi} against itself, {self.launches} launches of each side, "
            f"{100 * self.usable_share:.0f} % of their figures usable{self._dropped}:",
            f"  false alarms: {_of(alike.reports_claimed, alike.reports)} reports of "
            f"{self.reports_of} launches and {_of(alike.cells_claimed, alike.cells)} cases claim a "
            f"difference where none exists, the largest {share_text(alike.largest_claim)}; of "
            f"consecutive launches "
            f"{_of(self.measured.reports_claimed, self.measured.reports)} reports.",
            f"  intervals: {100 * alike.coverage:.1f} % of the 95 % intervals hold the true value.",
        ]
        if delayed is not None:
            lines.append(
                f"  power: a delay of {share_text(self.delay)} is found in "
                f"{100 * delayed.found_share:.1f} % of the cases, and measured as "
                f"{percent_text(self.delay + delayed.bias)}."
            )
        else:
            lines.append(
                f"  power: too few launches of the side delayed by {share_text(self.delay)} have "
                "figures to say how often that is found; the size below is estimated without it."
            )
        lines.append(
            f"Claimed differences can be trusted on this machine under this load; "
            f"{self._found_text}."
            if self.trusted
            else "Verdicts cannot be trusted here: too many reports claim a difference; "
            "end other work on this node, bind the cores, and try again."
        )
        return tuple(lines)

    @property
    def _dropped(self) -> str:
        """The number of cases without figures in most launches, which are not judged."""
        judged, measured = self.cases
        if judged == measured:
            return ""
        return f", {counted(measured - judged, 'case')} of {measured} left out for lack of them"

    @property
    def _found_text(self) -> str:
        """The smallest difference that is detected."""
        where = f"in 95 % of the cases, by {self.reports_of} launches"
        if self.found_from is None:
            return f"not even a factor of two is found {where}: end other work on this node"
        size = share_text(math.ceil(1000 * self.found_from) / 1000)
        return f"differences of {size} or more are found {where}, smaller ones may be missed"


def is_selftest(path: Path) -> bool:
    """Whether this is the folder of a self-test: a comparison with a delayed side."""
    return folder.is_comparison(path) and any(side.delay_share for side in folder.sides(path))


def of_folder(path: Path) -> SelfTest:
    """The result of a folder of three sides; NoFigures if too few launches are usable."""
    logs, delay = folder.logs(path)
    alike, delayed = logs[0], logs[1]
    usable = np.isfinite(alike).mean(axis=0) >= 0.5
    both = usable & (np.isfinite(delayed).mean(axis=0) >= 0.5)
    usable = both if both.any() else usable
    kept, delayed = alike[:, usable], delayed[:, usable]
    whole = kept[np.isfinite(kept).all(axis=1)] if kept.shape[1] else kept[:0]
    if len(whole) < 2 * LAUNCHES_MINIMUM:
        raise NoFigures(
            f"{len(whole)} of {len(alike)} launches are usable, needed: {2 * LAUNCHES_MINIMUM}",
            saved=path,
            remedy=f"{_why_unusable(path)}, and start it again",
        )
    count = _LAUNCHES if len(whole) >= 2 * _LAUNCHES else LAUNCHES_MINIMUM
    pieces = [whole[at : at + LAUNCHES_MINIMUM] for at in range(0, len(whole), LAUNCHES_MINIMUM)]
    measured = judged_reports([piece for piece in pieces if len(piece) == LAUNCHES_MINIMUM], 0.0)
    return SelfTest(
        mpi=folder.names(path)[0],
        delay=delay,
        launches=len(alike),
        usable_share=float(np.isfinite(alike).mean()) if alike.size else 0.0,
        cases=(kept.shape[1], alike.shape[1]),
        reports_of=count,
        measured=measured,
        alike=drawn(whole, 0.0, count, _REPORTS),
        delayed=_of_delayed(delayed, delay, count),
        found_from=_found_from(whole, delayed, delay, count),
    )


def _why_unusable(path: Path) -> str:
    """What to do about launches without figures: a reason that the sides give, or load."""
    reasons = [row.reason for comparison in folder.read(path) for row in comparison.rows]
    said = next((reason for reason in reasons if reason.startswith(("failed:", "skipped:"))), "")
    return f"fix the cause ({said})" if said else "end other work on this node, or raise --budget"


def _found_from(
    alike: NDArray[np.float64], delayed: NDArray[np.float64], delay: float, count: int
) -> float | None:
    """The smallest delay found, from launches without one and from those with the known one:
    the larger, as the actual delay may be shorter than requested.
    """

    def without(wanted: float) -> float:
        return drawn(alike, wanted, count, _REPORTS_OF_A_DELAY).found_share

    def with_known(wanted: float) -> float:
        moved = delayed + math.log1p(wanted) - math.log1p(delay)
        rates = _of_delayed(moved, wanted, count, _REPORTS_OF_A_DELAY)
        assert rates is not None
        return rates.found_share

    delays = [found_from(without)]
    if _of_delayed(delayed, delay, count, 1) is not None:
        delays.append(found_from(with_known))
    return None if None in delays else max(size for size in delays if size is not None)


def _of_delayed(
    logs: NDArray[np.float64], delay: float, count: int, reports: int = _REPORTS
) -> Rates | None:
    """Reports drawn from launches with the actual delay."""
    kept = logs[np.isfinite(logs).all(axis=1)]
    if len(kept) < 2 * count:
        return None
    source = np.random.default_rng(1)
    chosen = [kept[source.choice(len(kept), count, replace=False)] for _ in range(reports)]
    return judged_reports(chosen, delay)


def _of(count: int, all_: int) -> str:
    return f"{count} of {all_}"


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
