"""E3: Store and the number of ranks."""

from __future__ import annotations

from halocline.findings.claim import Answer, Claim, Number, Unanswered
from halocline.findings.redistribution import PAPER, STORE_EXPERIMENT
from halocline.report.text import time_text
from halocline.store.growth import growth
from halocline.store.paper import STORE_S
from halocline.store.scaling import grows, largest_series, planned
from halocline.summary import Summary

LINEAR_TO = 128  # ranks, in the paper


def judge(summary: Summary) -> Answer:
    """Reproduced where the time grows at least linearly; the paper's own exponents beside it."""
    series = largest_series(planned([summary]))
    found = grows(series)
    paper = growth({ranks: time_s for ranks, time_s in STORE_S.items() if ranks >= LINEAR_TO})
    if found is None or paper is None:
        raise Unanswered("Store was measured for fewer than three numbers of ranks")
    numbers = [
        Number(
            f"exponent of the number of ranks, {series[0].ranks} to {series[-1].ranks}",
            *(found.exponent, "", found.low, found.high),
            paper=f"1 up to {LINEAR_TO}, {paper.exponent:.2f} from there",
        )
    ]
    numbers += [
        Number(
            f"{each.ranks} ranks",
            *(each.time.median, "s", each.time.low, each.time.high),
            paper=time_text(each.paper_s) if each.paper_s else "",
        )
        for each in series
    ]
    numbers += [
        Number(f"kept at {each.ranks} ranks", each.memory.median, "B")
        for each in (series[0], series[-1])
        if each.memory
    ]
    because = (
        f"a rank's Store grows as n^{found.exponent:.2f} with the number n of ranks, from "
        f"{time_text(series[0].time.median)} at {series[0].ranks} to "
        f"{time_text(series[-1].time.median)} at {series[-1].ranks}"
    )
    if found.low < 1:
        because += (
            ": it looks only at the ranks that its block overlaps, where ESMF's loops over all; "
            "drawn beside Table 2 by `halocline run redistribution --scaling`"
        )
    return Answer("differs" if found.low < 1 else "reproduced", because, tuple(numbers))


claim = Claim(
    id="E3",
    text="Table 2: ESMF's Store takes 0.132 ms at 32 ranks and 55.3 ms at 2048: O(n) up to 128 "
    "ranks, O(n²) past it",
    paper=f"{PAPER}, table 2 and figure 8",
    experiment=STORE_EXPERIMENT,
    judge=judge,
)
