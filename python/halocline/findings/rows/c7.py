"""C7: total data moved."""

from __future__ import annotations

from functools import partial

from halocline.findings.claim import Claim, Criterion, Evidence, Known
from halocline.findings.evidence import check
from halocline.findings.recorded import Profiles, chosen, known, relative, total

RANKS = (2, 4, 8)
RISES = Criterion("rises gradually", "data moved on twice the ranks, relative", 1.0, 2.0)


def judge(profiles: Profiles | None) -> Evidence:
    """More on twice the ranks, but not twice as much."""

    def rise(few: int) -> Known:
        many, less = (known(chosen(profiles, ranks), total) for ranks in (2 * few, few))
        return relative(many, less)

    checks = [
        check(RISES, f"data on {2 * few} ranks over that on {few}", partial(rise, few))
        for few in RANKS[:-1]
    ]
    return Evidence(tuple(checks))


claim = Claim(
    id="C7",
    text="the total data moved rises gradually with the node count",
    paper="CESM profiling 2011, aggregated data transfer",
    specification="the numbers of nodes; here 2, 4 and 8 ranks",
    profiles=("coupled_calls",),
    judge=judge,
    criteria=(RISES,),
)
