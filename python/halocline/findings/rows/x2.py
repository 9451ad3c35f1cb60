"""X2: the spectral shallow-water kernel on one core and on all, large fields and small ones."""

from __future__ import annotations

from functools import partial

from halocline.findings.claim import Claim, Criterion, Evidence, alike
from halocline.findings.evidence import (
    OFF_NODE,
    ON_NODE,
    WHERE,
    analysis,
    case,
    check,
    over,
    times,
    where_of,
)
from halocline.summary.summary import CaseSummary, Summary

WORKLOAD = "shallow_water"
LARGE, SMALL = (85, 88), (5, 18)  # truncation, levels
# The paper's 27 % on the XT3 and 25 % on the XT4, with a margin.
COST = Criterion("27 % and 25 % slower", "rate on all cores over that on one", 0.70, 0.78)
CACHED = alike(
    "memory decides: fields that fit in caches lose nothing",
    "rate on all cores over that on one",
    tolerance=0.05,
)


def judge(summary: Summary | None, parallel: Summary | None) -> Evidence:
    """Using all cores at once costs a quarter of the rate for large fields, nothing for small.

    Next to it, where the time of a step goes when ranks share one model.
    """

    def model(fields: tuple[int, int], active: str) -> partial[CaseSummary]:
        truncation, levels = fields
        return partial(case, summary, WORKLOAD, truncation=truncation, levels=levels, active=active)

    def shared(layout: str) -> partial[CaseSummary]:
        return partial(case, parallel, WORKLOAD, layout, active="shared")

    core, both = (model(LARGE, active) for active in ("one", "all"))
    alone, together = (model(SMALL, active) for active in ("one", "all"))
    checks = (
        check(COST, "T85, 88 levels: rate on all cores over one's", over(core, both), "0.73, 0.75"),
        check(CACHED, "T5, 18 levels: rate on all cores over one's", over(alone, together)),
    )
    numbers = times(
        ("T85, 88 levels, one core: a step", core),
        ("T85, 88 levels, on all cores at once", both),
        ("T5, 18 levels, one core: a step", alone),
    )
    phases = analysis(
        ("1 rank", shared("1N1P")),
        (f"2 ranks {WHERE[ON_NODE]}", shared(ON_NODE)),
        (f"2 ranks {where_of(parallel, OFF_NODE)}", shared(OFF_NODE)),
    )
    return Evidence(checks, (*numbers, *phases))


claim = Claim(
    id="X2",
    text="PSTSWM: running it on both cores at once costs 27 % (XT3) and 25 % (XT4) at T85 with 88 "
    "levels; memory bandwidth decides",
    paper="XT3 and XT4, section 3.2, figure 3.2",
    experiments=("shallow_water", "shallow_water_phases"),
    judge=judge,
    criteria=(COST, CACHED),
)
