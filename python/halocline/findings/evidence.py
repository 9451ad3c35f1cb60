"""Evidence from a summary: cases by their properties, and ratios of two, launch by launch."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from halocline.findings.claim import Check, Criterion, Number, Quantity, Unanswered
from halocline.specification.cases import AxisValue
from halocline.summary.ratios import side_by_side
from halocline.summary.stats import Estimate, estimate
from halocline.summary.summary import CaseSummary, Summary

ON_NODE, OFF_NODE = "1N2P", "2N1P"
WHERE = {ON_NODE: "on node", OFF_NODE: "off node"}
BOTH = (ON_NODE, OFF_NODE)
OTHER_WAY = "the library took another way"  # in the driver's reason
_MOST = math.log(1000)  # a wider interval says nothing
TWO_NODES = "this needs two nodes: name them with --hosts"
_SHARED_CORES = "these share this machine's cores"
_SET_RATE = "large messages there take the time of a link whose rate is set here"

Find = Callable[[], CaseSummary]


@dataclass(frozen=True)
class Compared:
    """The ratio of two times, from its logarithm in each launch."""

    logs: Estimate

    @property
    def value(self) -> float:
        """The ratio."""
        return math.exp(self.logs.centre)

    def bounds(self, risk: float) -> tuple[float, float]:
        """Its interval at this risk; two differing launches may leave it unbounded."""
        if self.logs.reach(risk) > _MOST:
            return 0.0, math.inf
        return self.logs.bounds(risk)


def all_cases(
    summary: Summary | None,
    workload: str,
    layout: str | None = None,
    **axes: AxisValue,
) -> list[CaseSummary]:
    """The cases of a workload with these values of axes and `ranks`, measured or not."""
    return [
        candidate
        for candidate in (summary.cases if summary else ())
        if candidate.case.workload == workload
        and axes.items() <= {**dict(candidate.case.axes), "ranks": candidate.case.ranks}.items()
        and (layout is None or candidate.case.settings(("layout",))["layout"] == layout)
    ]


def where_of(summary: Summary | None, layout: str) -> str:
    """`on node`, `off node`, or a note that the nodes were hosts made on this machine."""
    if summary is not None and layout == OFF_NODE and summary.made_rate is not None:
        return summary.between
    return WHERE.get(layout, layout)


def case(
    summary: Summary | None,
    workload: str,
    layout: str | None = None,
    settings: Mapping[str, str] = MappingProxyType({}),
    /,
    **axes: AxisValue,
) -> CaseSummary:
    """The one matching measured case; Unanswered, with the reason, if there is none.

    `settings` are those of its launches, such as placement or pages.
    """
    cases = [
        candidate
        for candidate in all_cases(summary, workload, layout, **axes)
        if candidate.case.settings(tuple(settings)) == settings
    ]
    named = [*settings.items(), *axes.items()]
    name = " ".join([workload, *(f"{axis}={value}" for axis, value in named)])
    where = f" {where_of(summary, layout)}" if layout else ""
    if summary is None:
        raise Unanswered(f"{name}{where} belongs to an experiment that was not run")
    if not cases:
        raise Unanswered(f"{name}{where} is not among the requested cases")
    if not cases[0].metric("time"):
        raise Unanswered(f"{name}{where} was {cases[0].status}: {cases[0].reason}")
    return cases[0]


def check(
    criterion: Criterion,
    what: str,
    measure: Callable[[], Quantity],
    paper: str = "",
    needs: str = "",
) -> Check:
    """Check the criterion against the result of `measure`; open if it raises Unanswered.

    `needs` says what would give the missing case.
    """
    try:
        return Check(criterion, what, measure(), paper=paper)
    except Unanswered as missing:
        return Check(criterion, what, None, f"{missing}{needs and f'; {needs}'}", paper)


def is_wrong(each: CaseSummary) -> bool:
    """Whether a byte arrived wrong: not if a launch did not get that far, nor if all arrived by
    another way than between the nodes.
    """
    unknown = each.reason.startswith("partial:") or OTHER_WAY in each.reason
    return each.status == "failed" and not unknown


def over(
    one: Callable[[], CaseSummary], other: Callable[[], CaseSummary]
) -> Callable[[], Quantity]:
    """A function that returns one time over the other."""
    return lambda: compared(one(), other())


def over_large_pages(summary: Summary | None, small: Find, large: Find) -> Callable[[], Quantity]:
    """A function that returns the time with small pages over that with large ones.

    Unanswered where the kernel gives none: it does not refuse to be asked for them.
    """

    def measure() -> Quantity:
        if summary is not None and not gives_large_pages(summary):
            raise Unanswered(
                "this kernel gives no large pages: /sys/kernel/mm/transparent_hugepage/enabled "
                "is `never`, or missing"
            )
        return compared(small(), large())

    return measure


def gives_large_pages(summary: Summary) -> bool:
    """Whether programs that ask for large pages got them; older runs do not say."""
    memory = summary.environment.get("memory", {})
    return memory.get("transparent_huge_pages", "madvise") not in (None, "never")


def times(*cases: tuple[str, Find]) -> tuple[Number, ...]:
    """The times of the measured cases, as numbers of an answer."""
    numbers = []
    for label, find in cases:
        try:
            numbers.append(number(find(), "time", label))
        except Unanswered:
            continue  # the check that needs it says so
    return tuple(numbers)


def analysis(*cases: tuple[str, Find]) -> tuple[Number, ...]:
    """Each phase's share of the time in the measured cases, and of this machine's bounds."""
    numbers = []
    for label, find in cases:
        try:
            model = find()
        except Unanswered:
            continue  # not needed by any check
        for phase in model.phases:
            share = phase.share
            name = f"{label}: {phase.name}"
            numbers.append(
                Number(f"{name}, share of time", share.median, "", share.low, share.high)
            )
            numbers += [
                Number(f"{name}, share of {of.bound}", of.share, "", of.low, of.high)
                for of in (phase.of_memory, phase.of_arithmetic)
                if of
            ]
    return tuple(numbers)


def compared(one: CaseSummary, other: CaseSummary) -> Compared:
    """The time of one over the other's, launch by launch, as they took turns."""
    return ratio(one.figures_s, other.figures_s)


def in_phases(each: CaseSummary, *names: str) -> dict[int, float]:
    """The time of a step in these phases together, averaged over ranks, by turn."""
    figures_s = {phase.name: phase.figures_s for phase in each.phases}
    if lacking := [name for name in names if name not in figures_s]:
        raise Unanswered(f"{each.case.workload} has no phase {' or '.join(lacking)} here")
    turns = set.intersection(*(set(figures_s[name]) for name in names))
    return {turn: sum(figures_s[name][turn] for name in names) for turn in turns}


def ratio(one: Mapping[int, float], other: Mapping[int, float]) -> Compared:
    """The ratio of two series of times, launch by launch."""
    both = [pair for pair in side_by_side([one, other]) if min(pair) > 0]
    if len(both) < 2:
        raise Unanswered(
            f"both have figures in {len(both)} of the launches; at least 2 are needed: run it again"
        )
    return Compared(estimate([math.log(a / b) for a, b in both]))


def between_phases(
    one: Find, names: tuple[str, ...], other: Find, others: tuple[str, ...]
) -> Callable[[], Quantity]:
    """A function that returns the time in some phases over that in others, of any two cases."""
    return lambda: ratio(in_phases(one(), *names), in_phases(other(), *others))


def on_nodes(find: Find, summary: Summary | None, why: str = _SHARED_CORES) -> Find:
    """The same, but not between hosts made here, which share cores and have no network."""

    def on_real_nodes() -> CaseSummary:
        if summary is not None and summary.made_rate is not None:
            raise Unanswered(f"it ran {summary.between}: {why}")
        return find()

    return on_real_nodes


def unless_rate_is_set(find: Find, summary: Summary | None, of_the_link: bool) -> Find:
    """The same, but nothing of large messages over a link made here."""
    return on_nodes(find, summary, _SET_RATE) if of_the_link else find


def number(each: CaseSummary, metric: str, what: str, paper: str = "") -> Number:
    """A metric of a case as a number of an answer."""
    value = each.metric(metric)
    if value is None:
        raise Unanswered(f"{what} has no {metric}: {each.reason or each.status}")
    return Number(what, value.median, value.unit, value.low, value.high, paper)
