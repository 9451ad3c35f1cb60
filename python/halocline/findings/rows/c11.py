"""C11: computation against communication."""

from __future__ import annotations

from functools import partial

from halocline.findings.claim import Claim, Criterion, Evidence
from halocline.findings.evidence import BOTH, Compared, check
from halocline.findings.recorded import Profiles, chosen, share, where

MOSTLY = Criterion("more computation than communication", "share of time in MPI", 0.0, 0.5, BOTH)


def judge(profiles: Profiles | None) -> Evidence:
    """On two ranks, on the node and between nodes."""

    def part(layout: str) -> Compared:
        return share(chosen(profiles, layout=layout))

    checks = [
        check(MOSTLY, f"share of time in MPI {where(profiles, layout)}", partial(part, layout))
        for layout in BOTH
    ]
    remark = (
        "The paper's sentence and its graph, in which the share of communication rises, do not "
        "say the same; judged is the sentence"
    )
    return Evidence(tuple(checks), remark=remark)


claim = Claim(
    id="C11",
    text="more time is spent on computation than on communication, with a graph of the share",
    paper="CESM profiling 2011, communication percentage",
    profiles=("coupled_share",),
    judge=judge,
    criteria=(MOSTLY,),
)
