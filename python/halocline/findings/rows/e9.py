"""E9: the best combination."""

from __future__ import annotations

from halocline.findings.claim import Answer, Claim, Number
from halocline.findings.evidence import all_cases, compared, fastest, indistinguishable
from halocline.findings.redistribution import (
    EXPERIMENT,
    GRIDS,
    PAPER,
    TABLE_1,
    WORKLOAD,
    copied,
    way,
)
from halocline.store.paper import GRID
from halocline.summary import CaseSummary, Summary


def judge(summary: Summary) -> Answer:
    """The default is among the fastest of all ESMF's combinations on both grids."""
    numbers: list[Number] = []
    told = []
    holds = True
    for grid in GRIDS:
        default = way(summary, grid)
        found = [
            each
            for each in all_cases(
                summary, WORKLOAD, grid=grid, layouts=TABLE_1, near="messages", memory="user"
            )
            if each.case.axis("packing") != "type"  # which ESMF never had
        ]
        best = indistinguishable(found)
        numbers.append(
            compared(default, fastest(found)[0]).number(
                f"asynchronous + rank + whole over {_name(best[0])}, {grid}", "1"
            )
        )
        told.append(f"{_name(best[0])} on {grid}")
        holds = holds and default.case.id in {each.case.id for each in best}
    shared = compared(way(summary, GRID), copied(summary, GRID))
    numbers.append(shared.number(f"asynchronous + rank + whole over copies on the node, {GRID}"))
    because = (
        f"the fastest of ESMF's combinations is {' and '.join(told)}; copies straight out of the "
        f"other rank's memory, which it had not, take 1/{shared.ratio:.3g} of the default's time"
    )
    return Answer("reproduced" if holds else "differs", because, tuple(numbers))


def _name(each: CaseSummary) -> str:
    return " + ".join(str(each.case.axis(axis)) for axis in ("protocol", "packing", "bundle"))


claim = Claim(
    id="E9",
    text="the best combination is the default: asynchronous, one message a rank, whole bundle",
    paper=f"{PAPER}, conclusion",
    experiment=EXPERIMENT,
    judge=judge,
)
