"""E5: the large grid against the small one."""

from __future__ import annotations

from functools import partial

from halocline.findings.claim import Claim, Criterion, Evidence
from halocline.findings.evidence import check, over, times
from halocline.findings.redistribution import GRIDS_EXPERIMENT, PAPER, copied
from halocline.store.paper import GRID
from halocline.summary.summary import Summary

# The grid as the paper writes it, from its "16 times more points", and from its "256 Mega".
READINGS = {"2048x4096x8": 8, "2048x4096x16": 16, "2048x4096x32": 32}
SLOWER = {
    grid: Criterion(
        f"the large grid is {grid}, {points} times the points",
        f"time over that of {GRID}, copied in memory of the library within a node",
        6,
        12,
    )
    for grid, points in READINGS.items()
}
INCONSISTENT = (
    "The paper's large grid is inconsistent: 2048x4096x8 has 64 Mi points and 4 GiB of eight "
    "fields, not '256 Mega' and '16 Gbytes', which is 2048x4096x32; '16 times more points' is "
    "2048x4096x16. What holds for one reading only answers nothing; choose one with "
    "`halocline run redistribution grid=...`"
)


def judge(summary: Summary) -> Evidence:
    """Every reading: which grid was meant is unknown, so the claim has to hold for all."""
    small = partial(copied, summary, GRID)
    checks = tuple(
        check(
            criterion,
            f"{grid} over {GRID}, {READINGS[grid]} times the points",
            over(partial(copied, summary, grid), small),
            paper="6 to 12",
        )
        for grid, criterion in SLOWER.items()
    )
    return Evidence(checks, times((GRID, small)), INCONSISTENT, readings=True)


claim = Claim(
    id="E5",
    text="the large grid takes 6 to 12 times as long as the small one",
    paper=f"{PAPER}, scalability, figures 4 to 7",
    experiments=(GRIDS_EXPERIMENT,),
    judge=judge,
    criteria=tuple(SLOWER.values()),
)
