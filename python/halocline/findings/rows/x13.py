"""X13: POP at 0.1 degrees, whose barotropic phase waits for its sums."""

from __future__ import annotations

from functools import partial

from halocline.findings.claim import (
    LITTLE,
    NOT_LITTLE,
    TOLERANCE,
    Check,
    Claim,
    Criterion,
    Evidence,
)
from halocline.findings.evidence import (
    OFF_NODE,
    ON_NODE,
    TWO_NODES,
    WHERE,
    analysis,
    between_phases,
    case,
    check,
    in_phases,
    on_nodes,
    over,
    ratio,
    where_of,
)
from halocline.findings.ocean import BAROCLINIC, BAROTROPIC, WORKLOAD
from halocline.summary.summary import CaseSummary, Summary

ALONE = "1N1P"
SINGLE, DUAL, MOST = "10000N1P", "5000N2P", "11250N2P"
SOLVER = "barotropic"
CLASSIC, SINGLE_SUM = "pcg", "chronopoulos_gear"
HALF = Criterion(
    "Chronopoulos-Gear sums half as often",
    "time in the sums of an iteration with pcg over that with chronopoulos_gear",
    2 * (1 - 2 * TOLERANCE),
    2 * (1 + 2 * TOLERANCE),
    ("2 ranks",),
)
SCALES = Criterion(
    "the baroclinic phase scales",
    "time in it on one rank over that on two",
    2 * (1 - TOLERANCE),
    places=("one rank on each of two nodes",),
)
DOMINATES = Criterion(
    "past 5000 ranks, two on a node, the barotropic phase takes longer",
    "time in it over that in the baroclinic phase",
    1,
    places=(DUAL,),
)
GAINS = Criterion(
    "a sum on two levels is faster, two ranks on a node",
    "time in the barotropic phase with a flat sum over that on two levels",
    LITTLE,
    places=(DUAL,),
)
NEAR = Criterion(
    "and comes near one rank on a node",
    "time in the barotropic phase with it over that of one rank on a node",
    0,
    NOT_LITTLE,
    (f"{DUAL} and {SINGLE}",),
)
FASTER = Criterion(
    "with Chronopoulos-Gear too the model is 1.6 times as fast",
    "time of a step with pcg and a flat sum over that with both changes",
    1.6 * (1 - TOLERANCE),
    1.6 * (1 + TOLERANCE),
    (MOST,),
)


def judge(few: Summary | None, many: Summary | None) -> Evidence:
    """How the phases scale, and what sums on two levels and a solver with half of them gain."""

    def step(layout: str) -> partial[CaseSummary]:
        return partial(case, few, WORKLOAD, layout, grid="tenth")

    def on_most(layout: str, solver: str, sum_name: str) -> partial[CaseSummary]:
        return partial(case, many, WORKLOAD, layout, grid="tenth", solver=solver, sum=sum_name)

    def in_sums(solver: str) -> dict[int, float]:
        return in_phases(case(few, SOLVER, ON_NODE, grid="tenth", solver=solver), "global_sum")

    dual = on_nodes(on_most(DUAL, CLASSIC, "flat"), many)
    dual_levels = on_nodes(on_most(DUAL, CLASSIC, "two_level"), many)
    single = on_nodes(on_most(SINGLE, CLASSIC, "flat"), many)
    first, best = on_most(MOST, CLASSIC, "flat"), on_most(MOST, SINGLE_SUM, "two_level")
    apart = on_nodes(step(OFF_NODE), few)
    cores = "this needs nodes with that many cores in total"
    checks: tuple[Check, ...] = (
        check(
            HALF,
            f"sums of {CLASSIC} over those of {SINGLE_SUM} {WHERE[ON_NODE]}",
            lambda: ratio(in_sums(CLASSIC), in_sums(SINGLE_SUM)),
        ),
        check(
            SCALES,
            "baroclinic, one rank over two, one a node",
            between_phases(step(ALONE), BAROCLINIC, apart, BAROCLINIC),
            needs=TWO_NODES,
        ),
        check(
            DOMINATES,
            f"barotropic over baroclinic, {DUAL}",
            between_phases(dual, BAROTROPIC, dual, BAROCLINIC),
            needs=cores,
        ),
        check(
            GAINS,
            f"barotropic, flat sum over two levels, {DUAL}",
            between_phases(dual, BAROTROPIC, dual_levels, BAROTROPIC),
            needs=cores,
        ),
        check(
            NEAR,
            f"barotropic, {DUAL} with two levels over {SINGLE}",
            between_phases(dual_levels, BAROTROPIC, single, BAROTROPIC),
            needs=cores,
        ),
        check(
            FASTER,
            f"{CLASSIC}, flat, over {SINGLE_SUM} on two levels, {MOST}",
            over(on_nodes(first, many), on_nodes(best, many)),
            "1.6",
            cores,
        ),
    )
    numbers = analysis(
        ("1 rank", step(ALONE)),
        (f"2 ranks {WHERE[ON_NODE]}", step(ON_NODE)),
        (f"2 ranks {where_of(few, OFF_NODE)}", step(OFF_NODE)),
    )
    return Evidence(checks, numbers)


claim = Claim(
    id="X13",
    text="POP at 0.1 degrees: the baroclinic phase scales; the barotropic one waits for latency "
    "and takes longer past 5000 ranks, two on a node; there a sum on two levels comes near one "
    "rank on a node, and with Chronopoulos-Gear, which sums half as often, the model is 1.6 times "
    "as fast",
    paper="XT3 and XT4, section 4.2",
    experiments=("ocean_tenth", "ocean_tenth_many"),
    judge=judge,
    criteria=(HALF, SCALES, DOMINATES, GAINS, NEAR, FASTER),
    specification="3600×2400×40; up to 10,000 ranks, one on a node, and 22,500, two on a node; "
    "what the barotropic phase waits for is not judged, only how long it takes",
)
