"""X14: placement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from itertools import combinations, permutations, product

from halocline.findings.claim import Claim, Criterion, Evidence, Quantity
from halocline.findings.evidence import Compared, check, compared, times
from halocline.findings.placed import PLACED, PLACEMENTS, PROTOCOLS, WORDS, placed, where_placed
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


@dataclass(frozen=True)
class Reversals:
    """The sizes at which the order of two protocols changes.

    `ratios`: by words, placement and two protocols, the time of the second over the first's.
    """

    ratios: Mapping[tuple[int, str, str, str], Compared]

    @property
    def value(self) -> float:
        """The sizes with a significant reversal."""
        return self.bounds(RISK)[0]

    def bounds(self, risk: float) -> tuple[float, float]:
        """How many sizes have a significant reversal, and how many may have one."""
        beats: dict[tuple[int, str, str, str], tuple[bool, bool]] = {}
        for (words, placement, protocol, other), ratio in self.ratios.items():
            # Each size has a hundred comparisons: the risk is bounded for all of them together.
            low, high = ratio.bounds(risk / len(self.ratios))
            beats[words, placement, protocol, other] = low > NOTABLE, high > NOTABLE
            beats[words, placement, other, protocol] = high < 1 / NOTABLE, low < 1 / NOTABLE
        surely = maybe = 0
        for words in WORDS:
            pairs = [
                (beats[words, first, protocol, other], beats[words, second, other, protocol])
                for first, second in permutations(PLACEMENTS, 2)
                for protocol, other in combinations(PROTOCOLS, 2)
            ]
            surely += any(here[0] and there[0] for here, there in pairs)
            maybe += any(here[1] and there[1] for here, there in pairs)
        return surely, maybe


def judge(summary: Summary) -> Evidence:
    """Whether the order of two protocols changes anywhere."""
    label = "sizes at which the order of protocols changes"
    numbers = times(
        *(
            (
                f"{words} words, {where_placed(summary, placement)}: {name}",
                partial(placed, summary, placement, name, words),
            )
            for words in WORDS
            for placement in PLACEMENTS
            for name in PROTOCOLS
        )
    )
    return Evidence((check(CHANGES, label, partial(_reversals, summary)),), numbers)


def _reversals(summary: Summary) -> Quantity:
    ratios = {}
    for words, placement in product(WORDS, PLACEMENTS):
        cases = {name: placed(summary, placement, name, words) for name in PROTOCOLS}
        for protocol, other in combinations(PROTOCOLS, 2):
            ratios[words, placement, protocol, other] = compared(cases[other], cases[protocol])
    return Reversals(ratios)


claim = Claim(
    id="X14",
    text="placement (wrap, SMP-style, folded, custom) changes which protocol is best",
    paper="XT3 and XT4, sections 2 and 3.4",
    experiments=("placement",),
    judge=judge,
    criteria=(CHANGES,),
    specification="custom placement, made for the paper's machine, is not judged",
)
