"""E7: the three ways of packing, of blocks and of points that lie anywhere."""

from __future__ import annotations

from halocline.findings.claim import Answer, Claim, Number
from halocline.findings.evidence import compared
from halocline.findings.redistribution import EXPERIMENT, GRIDS, LISTS, LISTS_GRID, PAPER, way
from halocline.summary import CaseSummary, Summary

MUCH = 1.5  # what a reader of the figure would call "much slower"


def judge(summary: Summary) -> Answer:
    """Runs much slower than ranks; boxes like ranks on blocks, and like runs on lists."""
    on_blocks, blocks, of_blocks = _blocks(summary)
    on_lists, lists, of_lists = _lists(summary)
    because = f"against one message a rank: on blocks {on_blocks}"
    if not blocks:
        because += (
            ". A run of the blocks at two ranks is long, thousands of bytes, so that a message for "
            "each costs little more than its share of the packing"
        )
    because += f". On lists of points, {LISTS_GRID}, one field at a time, {on_lists}"
    holds = blocks and lists
    return Answer("reproduced" if holds else "differs", because, (*of_blocks, *of_lists))


def _blocks(summary: Summary) -> tuple[str, bool, list[Number]]:
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
    return "; ".join(told), holds, numbers


def _lists(summary: Summary) -> tuple[str, bool, list[Number]]:
    """A box is a point: of a whole bundle it still packs all fields, of one field nothing."""

    def by(packing: str, bundle: str) -> CaseSummary:
        return way(summary, LISTS_GRID, packing=packing, bundle=bundle, layouts=LISTS)

    runs, boxes, alike = (
        compared(by(one, "fields"), by(other, "fields"))
        for one, other in (("run", "rank"), ("box", "rank"), ("box", "run"))
    )
    whole = compared(by("box", "whole"), by("run", "whole"))
    numbers = [
        runs.number("a message a run over a message a rank, lists", "far above 1"),
        boxes.number("a message a box over a message a rank, lists", "far above 1"),
        alike.number("a message a box over a message a run, lists", "1"),
        whole.number("the same for all fields in one, lists", "1"),
    ]
    told = (
        f"runs {runs.ratio:.3g} and boxes {boxes.ratio:.3g} times, boxes {alike.ratio:.3g} times "
        f"runs; of the whole bundle a box packs a point's fields and takes {whole.ratio:.3g} times "
        "what runs take"
    )
    return told, runs.low > MUCH and alike.alike, numbers


claim = Claim(
    id="E7",
    text="one message a contiguous run (NOPACK) is much slower than one a destination (PACK_PET); "
    "one a box (PACK_XP) equals the latter on block grids, the former on arbitrary ones",
    paper=f"{PAPER}, figure 3",
    experiment=EXPERIMENT,
    judge=judge,
)
