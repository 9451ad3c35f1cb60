"""E7: the three ways of packing, of blocks and of points that lie anywhere."""

from __future__ import annotations

from functools import partial

from halocline.findings.claim import Claim, Criterion, Evidence, alike
from halocline.findings.evidence import check, over
from halocline.findings.redistribution import EXPERIMENT, GRIDS, LISTS, LISTS_GRID, PAPER, way
from halocline.summary.summary import Summary

MUCH = 1.5  # what a reader of the figure would call "much slower"
ANYWHERE = (f"lists of points, {LISTS_GRID}, field by field",)
RUNS = Criterion(
    "NOPACK much slower", "time of a message a run over one a rank", MUCH, places=GRIDS
)
RUNS_OF_LISTS = Criterion(RUNS.part, RUNS.quantity, MUCH, places=ANYWHERE)
BOXES = alike(
    "PACK_XP like PACK_PET on block grids", "time of a message a box over one a rank", GRIDS
)
BOXES_OF_LISTS = alike(
    "PACK_XP like NOPACK on arbitrary ones", "time of a message a box over one a run", ANYWHERE
)


def judge(summary: Summary) -> Evidence:
    """Runs much slower than ranks; boxes like ranks on blocks, and like runs on lists."""
    checks = []
    for grid in GRIDS:
        rank, box, run = (
            partial(way, summary, grid, packing=name) for name in ("rank", "box", "run")
        )
        runs, boxes = f"a run over a rank, {grid}", f"a box over a rank, {grid}"
        checks += [
            check(RUNS, runs, over(run, rank), paper="far above 1"),
            check(BOXES, boxes, over(box, rank), paper="1"),
        ]
    # A box is a point: of a whole bundle it still packs all fields, of one field nothing.
    rank, box, run = (
        partial(way, summary, LISTS_GRID, packing=name, bundle="fields", layouts=LISTS)
        for name in ("rank", "box", "run")
    )
    checks += [
        check(RUNS_OF_LISTS, "a run over a rank, lists", over(run, rank), paper="far above 1"),
        check(BOXES_OF_LISTS, "a box over a run, lists", over(box, run), paper="1"),
    ]
    return Evidence(tuple(checks))


claim = Claim(
    id="E7",
    text="one message a contiguous run (NOPACK) is much slower than one a destination (PACK_PET); "
    "one a box (PACK_XP) equals the latter on block grids, the former on arbitrary ones",
    paper=f"{PAPER}, figure 3",
    experiments=(EXPERIMENT,),
    judge=judge,
    criteria=(RUNS, BOXES, RUNS_OF_LISTS, BOXES_OF_LISTS),
)
