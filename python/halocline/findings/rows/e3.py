"""E3: Store and the number of ranks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scipy.special import stdtrit

from halocline.base.quantities import time_text
from halocline.findings.claim import Check, Claim, Criterion, Evidence, Number, Unanswered
from halocline.findings.evidence import check
from halocline.findings.redistribution import PAPER, STORE_EXPERIMENT, WHOLE_EXPERIMENT
from halocline.store.growth import RISK, growth
from halocline.store.paper import STORE_S
from halocline.store.scaling import Stored, StoredRow, grows, largest_series, planned, whole
from halocline.summary.stats import degrees_of
from halocline.summary.summary import Summary

LINEAR_TO = 128  # ranks, in the paper
PAPER_GROWTH = growth({ranks: time_s for ranks, time_s in STORE_S.items() if ranks >= LINEAR_TO})
QUANTITY = "exponent of Store's growth with the number of ranks, collectives included"
# The paper's own column grows less than the text says: 1.73 from 128 ranks on.
QUADRATIC = Criterion(
    f"O(n^2) past {LINEAR_TO} ranks",
    QUANTITY,
    1.5,
    2.5,
    (f"{LINEAR_TO} to {max(STORE_S)} ranks",),
)
LINEAR = Criterion(
    f"O(n) up to {LINEAR_TO} ranks", QUANTITY, 0.7, 1.3, (f"{min(STORE_S)} to {LINEAR_TO} ranks",)
)
RANKS = {
    LINEAR: tuple(ranks for ranks in STORE_S if ranks <= LINEAR_TO),
    QUADRATIC: tuple(ranks for ranks in STORE_S if ranks >= LINEAR_TO),
}
NEEDS = "this needs a node with that many cores"
SIMULATED = (
    "`halocline run redistribution --scaling --machine thousand-nodes` simulates its collectives "
    "on 32 to 2048 ranks"
)


@dataclass(frozen=True)
class Exponent:
    """The exponent between the fewest and the most ranks. A line through three points would say
    little of them, and the paper's own three would not show that they grow linearly.
    """

    fewest: Stored
    most: Stored

    @property
    def value(self) -> float:
        """The exponent."""
        return math.log(self.most.time.median / self.fewest.time.median) / self._span

    def bounds(self, risk: float) -> tuple[float, float]:
        """Its interval, from those of both times."""
        reach = math.hypot(*(_reach(row) for row in (self.fewest, self.most))) / self._span
        degrees = degrees_of(min(row.time.launches for row in (self.fewest, self.most)))
        reach *= float(stdtrit(degrees, 1 - risk / 2) / stdtrit(degrees, 1 - RISK / 2))
        return self.value - reach, self.value + reach

    @property
    def _span(self) -> float:
        return math.log(self.most.ranks / self.fewest.ranks)


def _reach(row: Stored) -> float:
    """How far the logarithm of its time may be off, at 95 %."""
    assert row.time.bounds is not None
    low_s, high_s = row.time.bounds
    return math.log(high_s / low_s) / 2


def judge(routes: Summary | None, prepared: Summary | None) -> Evidence:
    """How the whole grows up to 128 ranks and beyond; a rank's route alone is shown with it."""
    wholes = whole([prepared] if prepared else [])
    series = [row for row in largest_series(wholes) if row.ranks in STORE_S]
    plans = largest_series(planned([routes] if routes else []))
    alone = [plan for plan in plans if plan.ranks in STORE_S]
    quadratic = f"2; {PAPER_GROWTH.exponent:.2f} in its column" if PAPER_GROWTH else "2"
    checks = (_check(LINEAR, series, "1"), _check(QUADRATIC, series, quadratic))
    numbers = [_time(f"the whole on {row.ranks} ranks", row) for row in wholes]
    numbers += [_time(f"a rank's route alone, {plan.ranks} ranks", plan) for plan in alone]
    for criterion in (LINEAR, QUADRATIC):
        label = f"exponent of a rank's route alone, {criterion.places[0]}"
        if growth_alone := grows(_part(criterion, alone)):
            ends = growth_alone.low, growth_alone.high
            numbers.append(Number(label, growth_alone.exponent, "", *ends))
    for plan in (alone[0], alone[-1]) if alone else ():
        if plan.boxes:
            label = f"boxes of a rank's route at {plan.ranks} ranks"
            numbers.append(Number(label, plan.boxes.median, ""))
        if plan.memory:
            numbers.append(Number(f"kept at {plan.ranks} ranks", plan.memory.median, "B"))
    remark = "" if len(series) == len(STORE_S) else SIMULATED
    slow = [each for each in checks if each.quantity and each.quantity.value < each.criterion.low]
    return Evidence(checks, tuple(numbers), remark, _why(series) if slow else "")


def _part(criterion: Criterion, series: Sequence[StoredRow]) -> list[StoredRow]:
    return [row for row in series if row.ranks in RANKS[criterion]]


def _time(what: str, row: Stored) -> Number:
    paper = time_text(row.paper_s) if row.paper_s else ""
    return Number(what, row.time.median, "s", row.time.low, row.time.high, paper)


def _check(criterion: Criterion, series: Sequence[Stored], paper: str) -> Check:
    part = _part(criterion, series)
    measured = {row.ranks for row in part}

    def measure() -> Exponent:
        lacking = [str(count) for count in RANKS[criterion] if count not in measured]
        if lacking:
            raise Unanswered(
                f"the whole of Store has no time on {', '.join(lacking)} ranks; {NEEDS}"
            )
        if any(row.time.bounds is None for row in part):
            raise Unanswered(
                "Store was measured in one launch, where 2 or more are needed, or its times differ "
                "too much between launches: run it again"
            )
        by_ranks = {row.ranks: row for row in part}
        return Exponent(by_ranks[min(by_ranks)], by_ranks[max(by_ranks)])

    return check(criterion, f"exponent, {criterion.places[0]}", measure, paper)


def _why(series: Sequence[Stored]) -> str:
    """The size of a rank's Store problem, counted in the same run."""
    counted = [(row.ranks, row.boxes.median) for row in series if row.boxes]
    if len(counted) < 2:
        return ""
    (first, few), *_, (last, many) = counted
    return (
        f"A rank's route has {few:.0f} boxes at {first} ranks and {many:.0f} at {last}, counted "
        "in this run: it is made from the ranks that overlap, where ESMF's loops over all"
    )


claim = Claim(
    id="E3",
    text="Table 2: ESMF's Store takes 0.132 ms at 32 ranks and 55.3 ms at 2048: O(n) up to 128 "
    "ranks, O(n²) past it",
    paper=f"{PAPER}, table 2 and figure 8",
    experiments=(STORE_EXPERIMENT, WHOLE_EXPERIMENT),
    judge=judge,
    criteria=(LINEAR, QUADRATIC),
    specification="the times in ms are the paper's machine; their growth is judged, of the whole "
    "and not of a rank's route alone, which is shown with it",
)
