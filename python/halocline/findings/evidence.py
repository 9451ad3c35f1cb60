"""Evidence from a summary: cases by what they are, and how two compare, launch by launch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from halocline.cases import AxisValue
from halocline.findings.claim import Number, Unanswered
from halocline.ratios import side_by_side
from halocline.stats import estimate
from halocline.summary import CaseSummary, Summary

ON_NODE, OFF_NODE = "1N2P", "2N1P"
WHERE = {ON_NODE: "on node", OFF_NODE: "off node"}
ALIKE = 0.1  # what the papers' readers call the same, seen in a figure
RISK = 0.05


@dataclass(frozen=True)
class Compared:
    """The time of one over that of another, with its 95 % interval."""

    ratio: float
    low: float
    high: float

    @property
    def slower(self) -> bool:
        """Whether the first takes longer for sure."""
        return self.low > 1

    @property
    def faster(self) -> bool:
        """Whether the first takes less time for sure."""
        return self.high < 1

    @property
    def alike(self) -> bool:
        """Whether they differ by no more than readers of a figure would see."""
        return 1 - ALIKE <= self.ratio <= 1 + ALIKE or not (self.slower or self.faster)

    def number(self, what: str, paper: str = "") -> Number:
        """The ratio as a number of an answer."""
        return Number(what, self.ratio, "", self.low, self.high, paper)


def all_cases(
    summary: Summary, workload: str, layout: str | None = None, **axes: AxisValue
) -> list[CaseSummary]:
    """The cases of a workload with these values on their axes, measured or not."""
    return [
        each
        for each in summary.cases
        if each.case.workload == workload
        and axes.items() <= dict(each.case.axes).items()
        and (layout is None or each.case.settings(("layout",))["layout"] == layout)
    ]


def where_of(summary: Summary, layout: str) -> str:
    """`on node`, `off node`, or that the nodes were hosts made on this machine."""
    made = layout == OFF_NODE and summary.made_rate is not None
    return summary.between if made else WHERE.get(layout, layout)


def case(
    summary: Summary, workload: str, layout: str | None = None, **axes: AxisValue
) -> CaseSummary:
    """The one case that is so, measured; Unanswered with the reason why there is none."""
    found = all_cases(summary, workload, layout, **axes)
    name = " ".join([workload, *(f"{axis}={value}" for axis, value in axes.items())])
    where = f" {where_of(summary, layout)}" if layout else ""
    if not found:
        raise Unanswered(f"{name}{where} is not among the cases that were asked for")
    if not found[0].metric("time"):
        raise Unanswered(f"{name}{where} was {found[0].status}: {found[0].reason}")
    return found[0]


def is_measured(
    summary: Summary, workload: str, layout: str | None = None, **axes: AxisValue
) -> bool:
    """Whether there is such a case with a figure."""
    return any(each.metric("time") for each in all_cases(summary, workload, layout, **axes))


def layouts(summary: Summary, workload: str, **axes: AxisValue) -> list[str]:
    """Those of on node and off node that have a figure; Unanswered if none has."""
    found = [layout for layout in WHERE if is_measured(summary, workload, layout, **axes)]
    if not found:
        case(summary, workload, ON_NODE, **axes)  # says why
    return found


def compared(one: CaseSummary, other: CaseSummary) -> Compared:
    """The time of one over the other's, launch by launch, as they took turns."""
    logs = [math.log(a / b) for a, b in side_by_side([one.figures_s, other.figures_s])]
    if len(logs) < 2:
        raise Unanswered(f"{len(logs)} launches have both; at least 2 are needed: run it again")
    found = estimate(logs)
    return Compared(math.exp(found.centre), *found.bounds(RISK))


def number(each: CaseSummary, metric: str, what: str, paper: str = "") -> Number:
    """A metric of a case as a number of an answer."""
    found = each.metric(metric)
    if found is None:
        raise Unanswered(f"{what} has no {metric}: {each.reason or each.status}")
    return Number(what, found.median, found.unit, found.low, found.high, paper)


def fastest(cases: Sequence[CaseSummary]) -> list[CaseSummary]:
    """The measured ones, the fastest first; Unanswered if there is none."""
    measured = [each for each in cases if each.metric("time")]
    if not measured:
        raise Unanswered("none of the protocols was measured")
    return sorted(measured, key=_median_s)


def indistinguishable(cases: Sequence[CaseSummary]) -> list[CaseSummary]:
    """The fastest, and those that are not slower for sure."""
    first, *others = fastest(cases)
    return [first, *(each for each in others if not compared(each, first).slower)]


def protocol_of(each: CaseSummary) -> str:
    """The protocol of a case."""
    return str(each.case.axis("protocol"))


def _median_s(each: CaseSummary) -> float:
    found = each.metric("time")
    return found.median if found else math.inf
