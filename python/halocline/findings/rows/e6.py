"""E6: asynchronous against synchronous."""

from __future__ import annotations

from functools import partial

from halocline.findings.claim import (
    LITTLE,
    NOT_LITTLE,
    Check,
    Claim,
    Criterion,
    Evidence,
    Number,
    alike,
)
from halocline.findings.evidence import check, over, times
from halocline.findings.redistribution import EXPERIMENT, GRIDS, PAPER, way
from halocline.summary.summary import Summary

SLOWER = Criterion(
    "slightly faster", "time of synchronous over asynchronous", LITTLE, NOT_LITTLE, GRIDS
)
STORE = alike("Store the same", "time of Store for synchronous over asynchronous", GRIDS)


def judge(summary: Summary) -> Evidence:
    """Sendrecv takes a little longer than Isend/Irecv on both grids."""
    checks = []
    numbers: list[Number] = []
    for grid in GRIDS:
        together, in_turn = (
            partial(way, summary, grid, protocol) for protocol in ("isend_irecv", "sendrecv")
        )
        label = f"synchronous over asynchronous, {grid}"
        checks.append(check(SLOWER, label, over(in_turn, together), paper="a little above 1"))
        numbers += times(
            (f"asynchronous, {grid}", together),
            (f"synchronous, {grid}", in_turn),
        )
    lacking = (
        "as `redistribution_store` times the route alone, before a protocol is chosen; a workload "
        "that times the creation with either protocol answers it"
    )
    checks.append(Check(STORE, "Store, synchronous over asynchronous", None, lacking))
    return Evidence(tuple(checks), tuple(numbers))


claim = Claim(
    id="E6",
    text="asynchronous (Isend/Irecv) is slightly faster than synchronous (Sendrecv); Store is the "
    "same for both",
    paper=f"{PAPER}, figures 1 and 2",
    experiments=(EXPERIMENT,),
    judge=judge,
    criteria=(SLOWER, STORE),
)
