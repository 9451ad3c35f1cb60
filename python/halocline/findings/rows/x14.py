"""X14: placement."""

from __future__ import annotations

from functools import partial
from itertools import combinations, permutations

from halocline.findings.claim import Claim, Criterion, Evidence, Known
from halocline.findings.evidence import check, compared, times
from halocline.findings.placed import PLACED, PLACEMENTS, PROTOCOLS, WORDS, placed
from halocline.findings.verdicts import RISK
from halocline.summary.summary import Summary

NOTABLE = 1.1
CHANGES = Criterion(
    "the best protocol changes",
    "sizes at which one protocol beats another by 10 % under one placement, and the other the one "
    "under another",
    1,
    places=tuple(f"{PLACED}, {name}" for name in PLACEMENTS),
)


def judge(summary: Summary) -> Evidence:
    """Whether the order of two protocols changes anywhere."""
    label = "sizes at which the order of protocols changes"
    numbers = times(
        *(
            (
                f"{words} words, {placement}: {name}",
                partial(placed, summary, placement, name, words),
            )
            for words in WORDS
            for placement in PLACEMENTS
            for name in PROTOCOLS
        )
    )
    return Evidence((check(CHANGES, label, partial(_reversals, summary)),), numbers)


def _reversals(summary: Summary) -> Known:
    """How many sizes have a significant reversal, and how many may have one."""
    surely = maybe = 0
    # Each size has a hundred comparisons: the risk is bounded for all of them together.
    risk = RISK / (len(WORDS) * len(PLACEMENTS) * len(list(combinations(PROTOCOLS, 2))))
    for words in WORDS:
        beats: dict[tuple[str, str, str], tuple[bool, bool]] = {}
        for placement in PLACEMENTS:
            cases = {name: placed(summary, placement, name, words) for name in PROTOCOLS}
            for protocol, other in combinations(PROTOCOLS, 2):
                low, high = compared(cases[other], cases[protocol]).bounds(risk)
                beats[placement, protocol, other] = low > NOTABLE, high > NOTABLE
                beats[placement, other, protocol] = high < 1 / NOTABLE, low < 1 / NOTABLE
        pairs = [
            (beats[first, protocol, other], beats[second, other, protocol])
            for first, second in permutations(PLACEMENTS, 2)
            for protocol, other in combinations(PROTOCOLS, 2)
        ]
        surely += any(here[0] and there[0] for here, there in pairs)
        maybe += any(here[1] and there[1] for here, there in pairs)
    return Known(surely, surely, maybe)


claim = Claim(
    id="X14",
    text="placement (wrap, SMP-style, folded, custom) changes which protocol is best",
    paper="XT3 and XT4, sections 2 and 3.4",
    experiments=("placement",),
    judge=judge,
    criteria=(CHANGES,),
)
