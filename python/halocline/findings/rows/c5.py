"""C5: message sizes."""

from __future__ import annotations

from functools import partial

from halocline.findings.claim import Claim, Criterion, Evidence, Known, Unanswered, alike
from halocline.findings.evidence import check
from halocline.findings.recorded import Profiles, Recorded, chosen, known, messages, relative

SMALL = 64  # bytes
RANKS = (2, 4, 8)
MOST = Criterion("sizes", f"messages of 0 to {SMALL} B over all", 0.5, 1.0)
ALIKE = alike("sizes are alike", f"share of 0 to {SMALL} B over that on 2 ranks")


def judge(profiles: Profiles | None) -> Evidence:
    """The share of small messages on each number of ranks, and how alike they are."""

    def small(ranks: int) -> Known:
        return known(chosen(profiles, ranks), _small)

    def over_first(ranks: int) -> Known:
        first = small(RANKS[0])
        if not first.low:
            raise Unanswered("a profile on 2 ranks has no small messages")
        return relative(small(ranks), first)

    checks = [
        check(MOST, f"share of 0 to {SMALL} B on {ranks} ranks", partial(small, ranks))
        for ranks in RANKS
    ]
    checks += [
        check(ALIKE, f"that on {ranks} ranks over that on 2", partial(over_first, ranks))
        for ranks in RANKS[1:]
    ]
    return Evidence(tuple(checks))


def _small(each: Recorded) -> float:
    small = sum(count for size, count in each.messages.items() if size <= SMALL)
    return small / messages(each)


claim = Claim(
    id="C5",
    text="most messages are 0 to 64 bytes; sizes are alike for 8, 16 and 32 nodes",
    paper="CESM profiling 2011, message sizes",
    specification="the numbers of nodes; here 2, 4 and 8 ranks",
    profiles=("coupled_calls",),
    judge=judge,
    criteria=(MOST, ALIKE),
)
