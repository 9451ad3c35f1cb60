"""C5: message sizes."""

from __future__ import annotations

from functools import partial

from halocline.findings.claim import Claim, Criterion, Evidence, Known, alike
from halocline.findings.evidence import check
from halocline.findings.recorded import Profiles, Recorded, chosen, counted

SMALL = 64  # bytes
RANKS = (2, 4, 8)
MOST = Criterion("sizes", f"messages of 0 to {SMALL} B over all", 0.5, 1.0)
ALIKE = alike("sizes are alike", f"share of 0 to {SMALL} B over that on 2 ranks")


def judge(profiles: Profiles | None) -> Evidence:
    """The share of small messages on each number of ranks, and how alike they are."""

    def small(ranks: int) -> Known:
        return counted(chosen(profiles, ranks), _small)

    def relative(ranks: int) -> Known:
        here, first = small(ranks), small(RANKS[0])
        if not first.low:
            return Known(0.0, 0.0, float("inf"))
        return Known(here.value / first.value, here.low / first.high, here.high / first.low)

    checks = [
        check(MOST, f"share of 0 to {SMALL} B on {ranks} ranks", partial(small, ranks))
        for ranks in RANKS
    ]
    checks += [
        check(ALIKE, f"that on {ranks} ranks over that on 2", partial(relative, ranks))
        for ranks in RANKS[1:]
    ]
    return Evidence(tuple(checks))


def _small(each: Recorded) -> float:
    small = sum(count for size, count in each.messages.items() if size <= SMALL)
    return small / max(1, sum(each.messages.values()))


claim = Claim(
    id="C5",
    text="most messages are 0 to 64 bytes; sizes are alike for 8, 16 and 32 nodes",
    paper="CESM profiling 2011, message sizes",
    specification="the numbers of nodes; here 2, 4 and 8 ranks",
    profiles=("coupled_calls",),
    judge=judge,
    criteria=(MOST, ALIKE),
)
