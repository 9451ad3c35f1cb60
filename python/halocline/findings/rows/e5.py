"""E5: the large grid against the small one."""

from __future__ import annotations

from halocline.findings.claim import Answer, Claim, Number, Unanswered
from halocline.findings.evidence import case, compared, number
from halocline.findings.redistribution import GRIDS_EXPERIMENT, PAPER, WORKLOAD, copied, is_copied
from halocline.store.paper import GRID
from halocline.summary import Summary

# What the paper writes, what its "16 times more points" are, and what its "256 Mega" are.
READINGS = {"2048x4096x8": 8, "2048x4096x16": 16, "2048x4096x32": 32}
LOWEST, HIGHEST = 6, 12
INCONSISTENT = (
    "the paper's large grid is inconsistent: 2048x4096x8 has 64 Mi points and 4 GiB of eight "
    "fields, not '256 Mega' and '16 Gbytes', which is 2048x4096x32; '16 times more points' is "
    "2048x4096x16. Choose with `halocline run redistribution grid=...`"
)


def judge(summary: Summary) -> Answer:
    """Every reading that the memory allows; reproduced if one of them lies in the range."""
    small = copied(summary, GRID)
    numbers: list[Number] = [number(small, "time", GRID)]
    told = []
    within = []
    for grid, points in READINGS.items():
        if not is_copied(summary, grid):
            told.append(f"{grid}: {_why_not(summary, grid)}")
            continue
        found = compared(copied(summary, grid), small)
        numbers.append(found.number(f"{grid} over {GRID}, {points} times the points", "6 to 12"))
        told.append(f"{grid} takes {found.ratio:.3g} times as long with {points} times the points")
        within.append(LOWEST <= found.ratio <= HIGHEST)
    if not within:
        raise Unanswered(f"{INCONSISTENT}; {'; '.join(told)}")
    because = f"{'; '.join(told)}; {INCONSISTENT}"
    return Answer("reproduced" if any(within) else "differs", because, tuple(numbers))


def _why_not(summary: Summary, grid: str) -> str:
    try:
        case(summary, WORKLOAD, grid=grid, near="shared")
    except Unanswered as missing:
        return str(missing)
    return "not measured"


claim = Claim(
    id="E5",
    text="the large grid takes 6 to 12 times as long as the small one",
    paper=f"{PAPER}, scalability, figures 4 to 7",
    experiment=GRIDS_EXPERIMENT,
    judge=judge,
)
