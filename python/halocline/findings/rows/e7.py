"""E7: the three ways of packing."""

from __future__ import annotations

from halocline.findings.claim import Answer, Claim, Number
from halocline.findings.evidence import compared
from halocline.findings.redistribution import EXPERIMENT, GRIDS, PAPER, way
from halocline.summary import Summary

MUCH = 1.5  # what a reader of the figure would call "much slower"


def judge(summary: Summary) -> Answer:
    """Runs much slower than ranks, boxes like ranks; block grids only."""
    numbers: list[Number] = []
    told = []
    holds = True
    for grid in GRIDS:
        rank, box, run = (way(summary, grid, packing=name) for name in ("rank", "box", "run"))
        boxes, runs = compared(box, rank), compared(run, rank)
        numbers += [
            boxes.number(f"a message a box over a message a rank, {grid}", "1"),
            runs.number(f"a message a run over a message a rank, {grid}", "far above 1"),
        ]
        told.append(f"runs {runs.ratio:.3g} and boxes {boxes.ratio:.3g} times on {grid}")
        holds = holds and boxes.alike and runs.low > MUCH
    because = f"against one message a rank: {'; '.join(told)}"
    if not holds:
        because += (
            ". A run of the blocks at two ranks is long, thousands of bytes, so that a message for "
            "each costs little more than its share of the packing"
        )
    because += (
        ". Arbitrarily distributed points, where a box is a point and so packs as a run, are not "
        "among the cases"
    )
    return Answer("reproduced" if holds else "differs", because, tuple(numbers))


claim = Claim(
    id="E7",
    text="one message a contiguous run (NOPACK) is much slower than one a destination (PACK_PET); "
    "one a box (PACK_XP) equals the latter on block grids, the former on arbitrary ones",
    paper=f"{PAPER}, figure 3",
    experiment=EXPERIMENT,
    judge=judge,
)
