"""E1: Table 1, from the routes themselves."""

from __future__ import annotations

from halocline.findings.claim import Answer, Claim, Number, Unanswered
from halocline.findings.redistribution import PAPER, STORE_EXPERIMENT
from halocline.store.paper import REDISTRIBUTED_BYTES
from halocline.store.scaling import planned
from halocline.summary import Summary


def judge(summary: Summary) -> Answer:
    """All ten totals, to the byte."""
    found = {each.ranks: each for each in planned([summary]) if each.paper_bytes is not None}
    lacking = [ranks for ranks in REDISTRIBUTED_BYTES if ranks not in found]
    if lacking:
        raise Unanswered(f"the routes of {', '.join(map(str, lacking))} ranks were not made")
    numbers = tuple(
        Number(f"{ranks} ranks", each.redistributed.median, "B", paper=f"{each.paper_bytes} B")
        for ranks, each in found.items()
        if each.redistributed
    )
    wrong = [ranks for ranks, each in found.items() if not each.to_the_byte]
    because = (
        f"other totals at {', '.join(map(str, wrong))} ranks"
        if wrong
        else "the routes of all ranks, summed up, move all ten totals to the byte, with rank = "
        "x-index + y-index x parts along x on both sides"
    )
    return Answer("differs" if wrong else "reproduced", because, numbers)


claim = Claim(
    id="E1",
    text="Table 1: the total bytes redistributed for ten pairs of layouts of 512x1024x16, eight "
    "fields, 4 to 2048 ranks",
    paper=f"{PAPER}, table 1",
    experiment=STORE_EXPERIMENT,
    judge=judge,
)
