"""E6: asynchronous against synchronous."""

from __future__ import annotations

from functools import partial

from halocline.findings.claim import (
    LITTLE,
    NOT_LITTLE,
    Claim,
    Criterion,
    Evidence,
    Number,
    alike,
)
from halocline.findings.evidence import check, over, times
from halocline.findings.redistribution import EXPERIMENT, GRIDS, PAPER, way, whole_store
from halocline.summary.summary import Summary

SLOWER = Criterion(
    "slightly faster", "time of synchronous over asynchronous", LITTLE, NOT_LITTLE, GRIDS
)
STORE = alike("Store the same", "time of Store for synchronous over asynchronous", GRIDS)


def judge(summary: Summary) -> Evidence:
    """Sendrecv takes a little longer than Isend/Irecv on both grids, its Store as long."""
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
    for grid in GRIDS:
        together, in_turn = (
            partial(whole_store, summary, grid, protocol)
            for protocol in ("isend_irecv", "sendrecv")
        )
        label = f"Store, synchronous over asynchronous, {grid}"
        checks.append(check(STORE, label, over(in_turn, together)))
        numbers += times(
            (f"Store, asynchronous, {grid}", together),
            (f"Store, synchronous, {grid}", in_turn),
        )
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
