"""E8: the whole bundle in one message, and derived datatypes."""

from __future__ import annotations

from functools import partial

from halocline.findings.claim import LITTLE, Claim, Criterion, Evidence, Number
from halocline.findings.evidence import check, over, times
from halocline.findings.redistribution import EXPERIMENT, GRIDS, PAPER, way, wrong_cases
from halocline.summary.summary import CaseSummary, Summary

BEATS = Criterion(
    "PACK_BUFFER beats single fields", "time field by field over whole bundle", LITTLE, places=GRIDS
)
WORKS = Criterion("PACK_VECTOR works", "cases with a wrong point", 0, 0, GRIDS)


def judge(summary: Summary) -> Evidence:
    """One message for all fields is faster; derived datatypes work, whatever they cost."""
    checks = []
    numbers: list[Number] = []
    for grid in GRIDS:
        whole, one_by_one = (
            partial(way, summary, grid, bundle=name) for name in ("whole", "fields")
        )
        typed = partial(_typed, summary, grid)
        wrong = partial(wrong_cases, summary, grid, typed, packing="type", bundle="whole")
        label = f"field by field over whole bundle, {grid}"
        checks += [
            check(BEATS, label, over(one_by_one, whole), paper="above 1"),
            check(WORKS, f"derived datatypes wrong, {grid}", wrong),
        ]
        numbers += times((f"whole bundle, {grid}", whole), (f"derived datatypes, {grid}", typed))
    return Evidence(tuple(checks), tuple(numbers))


def _typed(summary: Summary, grid: str) -> CaseSummary:
    return way(summary, grid, "isend_irecv_type", "type")


claim = Claim(
    id="E8",
    text="one message for the whole bundle (PACK_BUFFER) beats one field at a time; derived "
    "datatypes (PACK_VECTOR), never implemented in ESMF, work here",
    paper=f"{PAPER}, packing modes",
    experiments=(EXPERIMENT,),
    judge=judge,
    criteria=(BEATS, WORKS),
)
