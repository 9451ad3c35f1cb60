"""E9: the best combination."""

from __future__ import annotations

from functools import partial
from itertools import product

from halocline.findings.claim import TOLERANCE, Check, Claim, Criterion, Evidence
from halocline.findings.evidence import check, over, times
from halocline.findings.redistribution import EXPERIMENT, GRIDS, PAPER, copied, way
from halocline.findings.verdicts import sentences, ties
from halocline.store.paper import GRID
from halocline.summary.summary import Summary

DEFAULT = ("isend_irecv", "rank", "whole")
# ESMF's; it never had derived datatypes.
COMBINATIONS = tuple(
    product(("isend_irecv", "sendrecv"), ("rank", "box", "run"), ("whole", "fields"))
)
BEST = Criterion(
    "the default is best, or as good",
    "time of asynchronous + rank + whole over each other combination",
    0,
    1 + TOLERANCE,
    GRIDS,
)


def judge(summary: Summary) -> Evidence:
    """The default is no slower than any other of ESMF's combinations on both grids."""
    others = {grid: _others(summary, grid) for grid in GRIDS}
    checks = tuple(each for of_grid in others.values() for each in of_grid.values())
    numbers = times(
        (f"asynchronous + rank + whole, {GRID}", partial(way, summary, GRID)),
        (f"copies on the node, which ESMF had not, {GRID}", partial(copied, summary, GRID)),
    )
    remark = sentences(*(ties(grid, "the default", others[grid]) for grid in GRIDS))
    return Evidence(checks, numbers, remark)


def _others(summary: Summary, grid: str) -> dict[str, Check]:
    """The default against each other combination."""
    default = partial(way, summary, grid, *DEFAULT)
    names = {" + ".join(other): other for other in COMBINATIONS if other != DEFAULT}
    return {
        name: check(
            BEST,
            f"the default over {name}, {grid}",
            over(default, partial(way, summary, grid, *other)),
            paper="at most 1",
        )
        for name, other in names.items()
    }


claim = Claim(
    id="E9",
    text="the best combination is the default: asynchronous, one message a rank, whole bundle",
    paper=f"{PAPER}, conclusion",
    experiments=(EXPERIMENT,),
    judge=judge,
    criteria=(BEST,),
)
