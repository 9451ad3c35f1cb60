"""E2: Store and the size of the grid."""

from __future__ import annotations

from functools import partial

from halocline.findings.claim import Claim, Evidence, Number, alike
from halocline.findings.evidence import case, check, over, times
from halocline.findings.redistribution import PAPER, STORE_EXPERIMENT
from halocline.store.paper import GRID, STORE_S
from halocline.store.scaling import STORE
from halocline.summary.summary import Summary

LARGE_GRID = "2048x4096x8"
ALIKE = alike(
    "the same at each number of ranks",
    f"Store on {LARGE_GRID} over {GRID}",
    tuple(f"{ranks} ranks" for ranks in STORE_S),
)


def judge(summary: Summary) -> Evidence:
    """The same time on a grid of eight times the points, at every number of ranks."""
    checks = []
    numbers: list[Number] = []
    for ranks in STORE_S:
        small, large = (
            partial(case, summary, STORE, grid=grid, planned_ranks=ranks)
            for grid in (GRID, LARGE_GRID)
        )
        label = f"{LARGE_GRID} over {GRID}, {ranks} ranks"
        checks.append(check(ALIKE, label, over(large, small), paper="1"))
        numbers += times((f"{ranks} ranks, {GRID}", small))
    return Evidence(tuple(checks), tuple(numbers))


claim = Claim(
    id="E2",
    text="the time of Store does not depend on the size of the grid, only on the number of ranks",
    paper=f"{PAPER}, scalability",
    experiments=(STORE_EXPERIMENT,),
    judge=judge,
    criteria=(ALIKE,),
)
