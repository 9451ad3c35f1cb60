"""E13: the ranks on which the large grid does not fit."""

from __future__ import annotations

import math

from halocline.findings.claim import Check, Claim, Criterion, Evidence, Known, Number
from halocline.findings.redistribution import PAPER, STORE_EXPERIMENT
from halocline.store.scaling import planned
from halocline.summary.summary import Summary

PRINTED = "2048x4096x8"
READINGS = (8, 16, 32)  # levels: as printed, of 16 times the points, of 16 GiB
FIELDS, VALUE_BYTES = 8, 8
MEMORY_BYTES = 2 * 1024**3  # of a processor: half of an XT's node, and 1/512 of an Altix
RANKS = {4: "on 4 processors of the Altix and the XT", 8: "on 8 of the XT"}
FULL = {
    ranks: Criterion(f"it does not fit {where}", "bytes of a rank over its memory", 1.0)
    for ranks, where in RANKS.items()
}


def judge(summary: Summary) -> Evidence:
    """Source, destination and what is packed and received, for each reading of the grid."""
    totals = {
        plan.ranks: plan.redistributed.median
        for plan in planned([summary])
        if plan.grid == PRINTED and plan.redistributed
    }
    bundle_bytes = math.prod(map(int, PRINTED.split("x"))) * FIELDS * VALUE_BYTES
    checks = []
    numbers = []
    for levels in READINGS:
        for ranks, criterion in FULL.items():
            what = f"2048x4096x{levels}, {ranks} ranks"
            if ranks not in totals:
                checks.append(Check(criterion, what, None, "its routes were not made"))
                continue
            rank_bytes = 2 * (bundle_bytes + totals[ranks]) * levels / READINGS[0] / ranks
            share = rank_bytes / MEMORY_BYTES
            checks.append(Check(criterion, what, Known(share, share, share)))
            numbers.append(Number(f"bytes of a rank, {what}", rank_bytes, "B"))
    return Evidence(tuple(checks), tuple(numbers), readings=True)


claim = Claim(
    id="E13",
    text="the large grid does not fit on 4 processors of the Altix, nor on 4 or 8 of the XT",
    paper=f"{PAPER}, comparison of two systems",
    experiments=(STORE_EXPERIMENT,),
    judge=judge,
    criteria=tuple(FULL.values()),
    specification="2 GiB a processor, both of a node in use",
)
