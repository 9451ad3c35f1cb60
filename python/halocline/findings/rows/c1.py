"""C1: what a slow network costs."""

from __future__ import annotations

from functools import partial

from halocline.findings.claim import Check, Claim, Criterion, Evidence, Number, Unanswered
from halocline.findings.evidence import OFF_NODE, ON_NODE, case, over, where_of
from halocline.findings.verdicts import RISK
from halocline.summary.summary import CaseSummary, Summary

WORKLOAD, ALONE = "coupled", "1N1P"
LITTLE = Criterion(
    "Gigabit Ethernet gains little", "time on 8 nodes over that on 16", 1.0, 1.25, ("1GigE",)
)
SCALES = Criterion(
    "InfiniBand keeps scaling", "time on 8 nodes over that on 16", 1.5, 2.0, ("InfiniBand",)
)
LACKS = "16 nodes on such a network answer it"


def judge(summary: Summary) -> Evidence:
    """Neither network exists here; the cost of a made link is shown alongside."""
    alone, on_node, off_node = (
        partial(case, summary, WORKLOAD, layout) for layout in (ALONE, ON_NODE, OFF_NODE)
    )
    apart = where_of(summary, OFF_NODE)
    numbers = (
        _ratio(alone, off_node, f"time on 1 rank over that on 2, {apart}"),
        _ratio(alone, on_node, "time on 1 rank over that on 2, on node"),
        _ratio(off_node, on_node, f"time {apart}, over that on node, 2 ranks"),
    )
    checks = (
        Check(LITTLE, "from 8 to 16 nodes, Gigabit Ethernet", None, LACKS),
        Check(SCALES, "from 8 to 16 nodes, InfiniBand", None, LACKS),
    )
    return Evidence(checks, tuple(filter(None, numbers)))


def _ratio(one: partial[CaseSummary], other: partial[CaseSummary], what: str) -> Number | None:
    try:
        ratio = over(one, other)()
    except Unanswered:
        return None
    return Number(what, ratio.value, "", *ratio.bounds(RISK))


claim = Claim(
    id="C1",
    text="Gigabit Ethernet gains little from 8 to 16 nodes; InfiniBand keeps scaling",
    paper="CESM profiling 2011, scaling",
    experiments=("coupled_network",),
    judge=judge,
    criteria=(LITTLE, SCALES),
)
