"""X15: options that had no effect."""

from __future__ import annotations

from halocline.findings.claim import Answer, Claim, Number, Unanswered
from halocline.summary import Summary


def judge(summary: Summary) -> Answer:
    """Most of the options that were swept make no difference over all cases."""
    if not summary.effects:
        raise Unanswered("no option was swept")
    numbers = []
    verdicts = []
    for effect in summary.effects:
        ratio = effect.overall
        what = f"{effect.key}={effect.value} over {effect.baseline}"
        numbers.append(Number(what, ratio.ratio, "", ratio.low, ratio.high, "1"))
        verdicts.append(f"{what}: {ratio.text}")
    none = sum(effect.overall.verdict in ("none", "unknown") for effect in summary.effects)
    told = "; ".join(verdicts)
    because = f"{none} of {len(summary.effects)} options have no effect that can be told: {told}"
    return Answer(
        "reproduced" if 2 * none > len(summary.effects) else "differs", because, tuple(numbers)
    )


claim = Claim(
    id="X15",
    text="of the options swept (compiler flags, page size, placement, collective algorithms, copy "
    "routine) most had no effect",
    paper="XT3 and XT4, sections 2 and 5",
    experiment="options",
    judge=judge,
)
