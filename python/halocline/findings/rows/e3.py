"""E3: Store and the number of ranks."""

from __future__ import annotations

from dataclasses import dataclass

from scipy.special import stdtrit

from halocline.base.quantities import time_text
from halocline.findings.claim import Check, Claim, Criterion, Evidence, Number, Unanswered
from halocline.findings.evidence import check
from halocline.findings.redistribution import PAPER, STORE_EXPERIMENT
from halocline.store.growth import RISK, Growth, growth
from halocline.store.paper import STORE_S
from halocline.store.scaling import Planned, grows, largest_series, planned
from halocline.summary.summary import Summary

LINEAR_TO = 128  # ranks, in the paper
PAPER_GROWTH = growth({ranks: time_s for ranks, time_s in STORE_S.items() if ranks >= LINEAR_TO})
QUANTITY = "exponent of the number of ranks with which Store grows"
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


@dataclass(frozen=True)
class Exponent:
    """An exponent fitted to this many numbers of ranks."""

    growth: Growth
    points: int

    @property
    def value(self) -> float:
        """The exponent."""
        return self.growth.exponent

    def bounds(self, risk: float) -> tuple[float, float]:
        """The fit's interval at another risk."""
        degrees = self.points - 2
        wider = stdtrit(degrees, 1 - risk / 2) / stdtrit(degrees, 1 - RISK / 2)
        reach = float(wider) * (self.growth.high - self.growth.exponent)
        return self.value - reach, self.value + reach


def judge(summary: Summary) -> Evidence:
    """How the time grows up to 128 ranks and beyond, in the paper's range."""
    series = [plan for plan in largest_series(planned([summary])) if plan.ranks in STORE_S]
    checks = [
        _check(LINEAR, series, [count for count in STORE_S if count <= LINEAR_TO], "1"),
        _check(
            QUADRATIC,
            series,
            [count for count in STORE_S if count >= LINEAR_TO],
            f"2; {PAPER_GROWTH.exponent:.2f} in its column" if PAPER_GROWTH else "2",
        ),
    ]
    numbers = [
        Number(
            f"{plan.ranks} ranks",
            *(plan.time.median, "s", plan.time.low, plan.time.high),
            paper=time_text(plan.paper_s) if plan.paper_s else "",
        )
        for plan in series
    ]
    shown = (series[0], series[-1]) if series else ()
    numbers += [
        Number(f"boxes of a rank at {plan.ranks} ranks", plan.boxes.median, "")
        for plan in shown
        if plan.boxes
    ]
    numbers += [
        Number(f"kept at {plan.ranks} ranks", plan.memory.median, "B")
        for plan in shown
        if plan.memory
    ]
    return Evidence(tuple(checks), tuple(numbers), why=_why(series))


def _check(criterion: Criterion, series: list[Planned], wanted: list[int], paper: str) -> Check:
    label = f"exponent, {criterion.places[0]}"
    part = [plan for plan in series if plan.ranks in wanted]

    def measure() -> Exponent:
        lacking = [str(count) for count in wanted if count not in {plan.ranks for plan in part}]
        if lacking:
            raise Unanswered(f"Store was not measured for {', '.join(lacking)} ranks")
        if any(plan.time.half_width_relative is None for plan in part):
            raise Unanswered("Store was measured in one launch; 2 or more are needed: run it again")
        exponent = grows(part)
        if exponent is None:
            raise Unanswered("Store's times have intervals wider than the times")
        return Exponent(exponent, len(part))

    return check(criterion, label, measure, paper)


def _why(series: list[Planned]) -> str:
    """The size of a rank's Store problem, counted in the same run."""
    counted = [(plan.ranks, plan.boxes.median) for plan in series if plan.boxes]
    if len(counted) < 2:
        return ""
    (first, few), *_, (last, many) = counted
    return (
        f"A rank's route has {few:.0f} boxes at {first} ranks and {many:.0f} at {last}, counted "
        "in this run: it is made from the ranks that overlap, where ESMF's loops over all; "
        "`halocline run redistribution --scaling` draws both"
    )


claim = Claim(
    id="E3",
    text="Table 2: ESMF's Store takes 0.132 ms at 32 ranks and 55.3 ms at 2048: O(n) up to 128 "
    "ranks, O(n²) past it",
    paper=f"{PAPER}, table 2 and figure 8",
    experiments=(STORE_EXPERIMENT,),
    judge=judge,
    criteria=(LINEAR, QUADRATIC),
    specification="the times in ms are the paper's machine; their growth is judged",
)
