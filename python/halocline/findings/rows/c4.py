"""C4: the share of communication against the number of nodes."""

from __future__ import annotations

from functools import partial

from halocline.findings.claim import Claim, Criterion, Evidence
from halocline.findings.evidence import BOTH, Compared, check
from halocline.findings.recorded import Profiles, chosen, shares_ratio, where

ALONE = "1N1P"
RISES = Criterion(
    "the share rises", "share of time in MPI on 2 ranks over that on 1", 1.0, places=BOTH
)


def judge(profiles: Profiles | None) -> Evidence:
    """From one rank to two, on the node and between nodes."""

    def rise(layout: str) -> Compared:
        return shares_ratio(chosen(profiles, layout=layout), chosen(profiles, layout=ALONE))

    checks = [
        check(
            RISES,
            f"share on 2 ranks over that on 1, {where(profiles, layout)}",
            partial(rise, layout),
        )
        for layout in BOTH
    ]
    return Evidence(tuple(checks))


claim = Claim(
    id="C4",
    text="the share of time in communication rises with the node count",
    paper="CESM profiling 2011, communication percentage",
    profiles=("coupled_share",),
    judge=judge,
    criteria=(RISES,),
)
