"""U6: POP at one degree, which is latency-bound."""

from __future__ import annotations

from functools import partial

from halocline.findings.claim import LITTLE, Check, Claim, Criterion, Evidence
from halocline.findings.evidence import (
    OFF_NODE,
    ON_NODE,
    WHERE,
    analysis,
    between_phases,
    case,
    check,
    on_nodes,
    where_of,
)
from halocline.findings.ocean import (
    BAROCLINIC,
    BAROTROPIC,
    COMPUTING,
    MESSAGES,
    ONE_SIDED,
    SENDING,
    WORKLOAD,
)
from halocline.summary.summary import CaseSummary, Summary

ALONE = "1N1P"
BELOW, ABOVE = "64N1P", "128N1P"  # the phases cross near 100 ranks
ONE_SIDED_FASTER = Criterion(
    "one-sided halos and sums are faster",
    "time in halos and sums of the barotropic phase by messages over that by one-sided ones",
    LITTLE,
    places=("2 ranks on a node",),
)
THREE_TIMES = Criterion(
    "on 64 ranks more than 3 times",
    "time in the barotropic phase by messages over that by one-sided ones",
    3,
    places=(BELOW,),
)
SHORTER = Criterion(
    "up to about 100 ranks the barotropic phase is the shorter one",
    "time in it over that in the baroclinic phase",
    0,
    1,
    (BELOW,),
)
LONGER = Criterion("and the longer one on more", "the same", 1, places=(ABOVE,))
BOUND = Criterion(
    "from 128 ranks it is bound by communication",
    "time in its halos and sums over that in its computation",
    1,
    places=(ABOVE,),
)


def judge(few: Summary | None, many: Summary | None) -> Evidence:
    """What one-sided communication gains, and where the phases cross."""

    def step(layout: str, way: dict[str, str]) -> partial[CaseSummary]:
        return partial(case, few, WORKLOAD, layout, grid="x1", **way)

    def on_many(layout: str, way: dict[str, str]) -> partial[CaseSummary]:
        return partial(case, many, WORKLOAD, layout, grid="x1", **way)

    two, two_sided = step(ON_NODE, ONE_SIDED), step(ON_NODE, MESSAGES)
    below = on_nodes(on_many(BELOW, MESSAGES), many)
    below_one_sided = on_nodes(on_many(BELOW, ONE_SIDED), many)
    above = on_nodes(on_many(ABOVE, MESSAGES), many)
    cores = "that many real nodes would answer it"
    checks: tuple[Check, ...] = (
        check(
            ONE_SIDED_FASTER,
            f"halos and sums, messages over one-sided {WHERE[ON_NODE]}",
            between_phases(two_sided, SENDING, two, SENDING),
        ),
        check(
            THREE_TIMES,
            f"barotropic, messages over one-sided, {BELOW}",
            between_phases(below, BAROTROPIC, below_one_sided, BAROTROPIC),
            "more than 3",
            cores,
        ),
        check(
            SHORTER,
            f"barotropic over baroclinic, {BELOW}",
            between_phases(below, BAROTROPIC, below, BAROCLINIC),
            needs=cores,
        ),
        check(
            LONGER,
            f"barotropic over baroclinic, {ABOVE}",
            between_phases(above, BAROTROPIC, above, BAROCLINIC),
            needs=cores,
        ),
        check(
            BOUND,
            f"halos and sums over computation, {ABOVE}",
            between_phases(above, SENDING, above, COMPUTING),
            needs=cores,
        ),
    )
    numbers = analysis(
        ("1 rank", step(ALONE, MESSAGES)),
        (f"2 ranks {WHERE[ON_NODE]}", two_sided),
        (f"2 ranks {where_of(few, OFF_NODE)}", step(OFF_NODE, MESSAGES)),
    )
    return Evidence(checks, numbers)


claim = Claim(
    id="U6",
    text="POP at one degree waits for latency: on the XT3 its phases cross near 100 ranks and it "
    "is bound by communication from 128; one-sided halos and sums made the barotropic phase more "
    "than 3 times as fast on 64",
    paper="X1, XD1 and XT3, POP",
    experiments=("ocean_x1", "ocean_x1_many"),
    judge=judge,
    criteria=(ONE_SIDED_FASTER, THREE_TIMES, SHORTER, LONGER, BOUND),
    specification="320×384×40; 29 µs, the XT3's latency then",
)
