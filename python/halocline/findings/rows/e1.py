"""E1: Table 1, from the routes themselves."""

from __future__ import annotations

from halocline.findings.claim import Check, Claim, Criterion, Evidence, Known
from halocline.findings.redistribution import PAPER, STORE_EXPERIMENT
from halocline.store.paper import REDISTRIBUTED_BYTES
from halocline.store.scaling import planned
from halocline.summary.summary import Summary

EXACT = {
    ranks: Criterion(f"{ranks} ranks", "bytes redistributed", total, total)
    for ranks, total in REDISTRIBUTED_BYTES.items()
}


def judge(summary: Summary) -> Evidence:
    """All ten totals, to the byte."""
    largest_bytes = {
        plan.ranks: plan.redistributed.median
        for plan in planned([summary])
        if plan.paper_bytes is not None and plan.redistributed
    }
    return Evidence(
        tuple(
            Check(criterion, f"bytes, {ranks} ranks", Known(*3 * (largest_bytes[ranks],)), unit="B")
            if ranks in largest_bytes
            else Check(criterion, f"bytes, {ranks} ranks", None, "its routes were not made")
            for ranks, criterion in EXACT.items()
        ),
        remark="Rank = x-index + y-index x parts along x, on both sides",
    )


claim = Claim(
    id="E1",
    text="Table 1: the total bytes redistributed for ten pairs of layouts of 512x1024x16, eight "
    "fields, 4 to 2048 ranks",
    paper=f"{PAPER}, table 1",
    experiments=(STORE_EXPERIMENT,),
    judge=judge,
    criteria=tuple(EXACT.values()),
)
