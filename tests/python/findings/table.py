"""The judges' table: what each answers from this machine's newest runs, and from noise of 50 %.

`make judges`. The noise is drawn from recorded launches, for a claim that holds; the right answer
to it is that it cannot be answered. Claims without a judge are listed with what they lack.
"""

from __future__ import annotations

import sys
from collections import Counter

from rich.console import Console
from rich.table import Table

from findings import test_options
from findings.made_up import FEW, HALF, shaken
from findings.profiles import PROFILED, TIMED
from findings.profiles import shaken as shaken_profiles
from findings.scenarios import SCENARIOS
from halocline.findings.claim import Claim, Verdict, claims
from halocline.findings.measured import answers
from halocline.findings.text import criterion_text
from halocline.findings.verdicts import answer

SEEDS = 20
# These have no noise of launches to draw, and tests of their own.
APART = {
    "E1": "counts bytes",
    "E13": "counts bytes",
    "E10": "counts runs",
    "C1": "of networks that are not here: test_profiles.py",
    "C2": "of hardware that is not here: test_profiles.py",
    **{name: "counts: test_profiles.py" for name in PROFILED if name not in TIMED},
    "C9": "counts components and bits: test_coupled.py",
    "U8": "of predictions: test_specifications.py",
}
OPTIONS = "X15"  # judges effects instead of cases


def on_noise(claim: Claim, seed: int) -> Verdict:
    """What the judge answers where the claim holds, but launches differ by 50 %."""
    if claim.id == OPTIONS:
        return test_options.verdict(test_options.swept(1.0, 0, HALF, seed, len(FEW))).verdict
    if claim.id in TIMED:
        name, make = PROFILED[claim.id]
        return answer(claim, {}, {name: shaken_profiles(make(True), seed)}).verdict
    clean = SCENARIOS[claim.id].summaries(True)
    noisy = {name: shaken(found, HALF, seed) for name, found in clean.items()}
    return answer(claim, noisy).verdict


def main() -> int:
    """Print the table; 1 if noise reproduced a claim or refuted one."""
    console = Console(width=None if sys.stdout.isatty() else 160, highlight=False)
    table = Table("claim", "criterion", "newest run here", f"noise of 50 %, {SEEDS} draws")
    wrong = 0
    for claim, here, _ in answers(claims()):
        noise = APART.get(claim.id, "") if claim.judge else "no judge"
        if not noise:
            counts = Counter(on_noise(claim, seed) for seed in range(SEEDS))
            wrong += counts["reproduced"] + counts["differs"]
            noise = ", ".join(f"{verdict}: {count}" for verdict, count in counts.items())
        criteria = "\n".join(criterion_text(each) for each in claim.criteria) or claim.lacks
        table.add_row(claim.id, criteria, here.verdict, noise)
    console.print(table)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
