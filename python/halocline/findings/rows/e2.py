"""E2: Store and the size of the grid."""

from __future__ import annotations

from halocline.findings.claim import Answer, Claim, Number
from halocline.findings.evidence import case, compared, number
from halocline.findings.redistribution import PAPER, STORE_EXPERIMENT
from halocline.store.paper import GRID, STORE_S
from halocline.store.scaling import STORE
from halocline.summary import Summary

LARGE_GRID = "2048x4096x8"


def judge(summary: Summary) -> Answer:
    """The same time on a grid of eight times the points, at every number of ranks."""
    numbers: list[Number] = []
    ratios = []
    for ranks in STORE_S:
        small, large = (
            case(summary, STORE, grid=grid, planned_ranks=ranks) for grid in (GRID, LARGE_GRID)
        )
        found = compared(large, small)
        ratios.append(found)
        numbers += [
            number(small, "time", f"{ranks} ranks, {GRID}"),
            found.number(f"{LARGE_GRID} over {GRID}, {ranks} ranks", "1"),
        ]
    holds = all(found.alike for found in ratios)
    low, high = (end(found.ratio for found in ratios) for end in (min, max))
    because = (
        f"Store on {LARGE_GRID} takes {low:.3g} to {high:.3g} times as long as on {GRID}, with an "
        "eighth of the points: it works on the bounds of blocks, not on points"
    )
    return Answer("reproduced" if holds else "differs", because, tuple(numbers))


claim = Claim(
    id="E2",
    text="the time of Store does not depend on the size of the grid, only on the number of ranks",
    paper=f"{PAPER}, scalability",
    experiment=STORE_EXPERIMENT,
    judge=judge,
)
