"""X15: options that had no effect."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from halocline.findings.claim import (
    Check,
    Claim,
    Criterion,
    Evidence,
    Known,
    Number,
    Unanswered,
)
from halocline.findings.evidence import check
from halocline.summary.effects import Effect
from halocline.summary.summary import Summary

WITHIN = 0.05  # what the paper calls no effect
OPTIONS = {
    "compiler flags": ("flags",),
    "page size": ("pages",),
    "placement": ("placement",),
    "collective algorithms": (
        "env.MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM",
        "env.MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM",
    ),
    "copy routine": ("env.GLIBC_TUNABLES",),
}
MOST = Criterion(
    "most had no effect",
    f"options all of whose values take the same time within {WITHIN:.0%}",
    len(OPTIONS) // 2 + 1,
)
SWEPT = {
    option: Criterion(f"{option} swept", "settings with two values or more", 1)
    for option in OPTIONS
}


def judge(options: Summary | None, placement: Summary | None) -> Evidence:
    """More than half of the options have no effect; each has to be swept."""
    effects = [effect for summary in (options, placement) if summary for effect in summary.effects]
    by_option = {
        option: [effect for effect in effects if effect.key in keys]
        for option, keys in OPTIONS.items()
    }
    checks: list[Check] = [
        check(criterion, criterion.part, partial(_swept, by_option[option]))
        for option, criterion in SWEPT.items()
    ]
    states = [_has_none(of_option) for of_option in by_option.values()]
    surely = states.count(True)
    without = Known(surely, surely, surely + states.count(None))
    checks.append(Check(MOST, f"of {len(OPTIONS)} options without effect", without))
    numbers = tuple(
        Number(
            f"{effect.key}={effect.value} over {effect.baseline}",
            *(effect.overall.ratio, "", effect.overall.low, effect.overall.high, "1"),
        )
        for effect in effects
    )
    return Evidence(tuple(checks), numbers)


def _swept(effects: Sequence[Effect]) -> Known:
    known = sum(effect.overall.low is not None for effect in effects)
    if not known:
        raise Unanswered(
            "no two values of it have figures; `halocline findings X15 --run` sweeps it, placement "
            "on two nodes with two cores each"
        )
    return Known(known, known, known)


def _has_none(effects: Sequence[Effect]) -> bool | None:
    """Whether an option has no effect; None if inconclusive."""
    states = [_is_none(effect) for effect in effects]
    if False in states:
        return False
    return True if states and all(states) else None


def _is_none(effect: Effect) -> bool | None:
    low, high = effect.overall.low, effect.overall.high
    if low is None or high is None:
        return None
    if low >= 1 - WITHIN and high <= 1 + WITHIN:
        return True
    return False if high < 1 - WITHIN or low > 1 + WITHIN else None


claim = Claim(
    id="X15",
    text="of the options swept (compiler flags, page size, placement, collective algorithms, copy "
    "routine) most had no effect",
    paper="XT3 and XT4, sections 2 and 5",
    experiments=("options", "placement"),
    judge=judge,
    criteria=(MOST, *SWEPT.values()),
)
