"""X15: options that had no effect."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from scipy.special import stdtrit

from halocline.findings.claim import (
    Check,
    Claim,
    Criterion,
    Evidence,
    Known,
    Number,
    Unanswered,
)
from halocline.findings.evidence import Compared, check, gives_large_pages
from halocline.summary.effects import Effect
from halocline.summary.ratios import RISK, Ratio
from halocline.summary.stats import TRIMMED_SHARE, Estimate
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
    f"options all of whose values take the same time within {WITHIN:.0%} in every case",
    len(OPTIONS) // 2 + 1,
)
SWEPT = {
    option: Criterion(f"{option} swept", "settings with two values or more", 1)
    for option in OPTIONS
}


@dataclass(frozen=True)
class Without:
    """The number of options without effect."""

    options: tuple[Sequence[Effect], ...]

    @property
    def value(self) -> float:
        """Those that surely have none."""
        return self.bounds(RISK)[0]

    def bounds(self, risk: float) -> tuple[float, float]:
        """And with those that may have none."""
        states = [_has_none(effects, risk) for effects in self.options]
        return states.count(True), len(states) - states.count(False)


def judge(options: Summary | None, placement: Summary | None) -> Evidence:
    """More than half of the options have no effect; each has to be swept."""
    effects = [
        effect
        for summary in (options, placement)
        if summary
        for effect in summary.effects
        if _acts(effect, summary)
    ]
    by_option = {
        option: [effect for effect in effects if effect.key in keys]
        for option, keys in OPTIONS.items()
    }
    checks: list[Check] = [
        check(criterion, criterion.part, partial(_swept, by_option[option]))
        for option, criterion in SWEPT.items()
    ]
    without = Without(tuple(by_option.values()))
    checks.append(Check(MOST, f"of {len(OPTIONS)} options without effect", without))
    numbers = tuple(
        Number(
            f"{effect.key}={effect.value} over {effect.baseline}",
            *(effect.overall.ratio, "", effect.overall.low, effect.overall.high, "1"),
        )
        for effect in effects
    )
    return Evidence(tuple(checks), numbers)


def _acts(effect: Effect, summary: Summary) -> bool:
    """Whether the setting reaches what it sets; what does not act has no effect to judge."""
    if effect.key.startswith("env.MPIR_CVAR_"):
        versions = [
            library.library_version
            for label, library in summary.libraries.items()
            if label.split(maxsplit=1)[0] == effect.mpi
        ]
        return all("MPICH" in version for version in versions)
    return effect.key != "pages" or gives_large_pages(summary)


def _swept(effects: Sequence[Effect]) -> Known:
    known = sum(effect.overall.low is not None for effect in effects)
    if not known:
        raise Unanswered(
            "no two values of it that act here have figures; `halocline findings X15 --run` sweeps "
            "it with MPICH, large pages where the kernel gives them, and placement on two nodes "
            "with two cores each"
        )
    return Known(known, known, known)


def _has_none(effects: Sequence[Effect], risk: float) -> bool | None:
    """Whether an option has no effect in any case; None if inconclusive.

    In a mean over cases, gains of some and losses of others cancel.
    """
    ratios = [case.ratio for effect in effects for case in effect.cases]
    # That some case has an effect may be wrong by any of them; that none has, by each alone.
    for low, high in (_bounds(ratio, risk / len(ratios)) for ratio in ratios):
        if high < 1 - WITHIN or low > 1 + WITHIN:
            return False
    if not ratios or any(effect.not_compared for effect in effects):
        return None
    bounds = [_bounds(ratio, risk) for ratio in ratios]
    within = all(low >= 1 - WITHIN and high <= 1 + WITHIN for low, high in bounds)
    return True if within else None


def _bounds(ratio: Ratio, risk: float) -> tuple[float, float]:
    """At this risk, from those at the level of a table of ratios."""
    if ratio.low is None or ratio.high is None:
        return 0.0, math.inf
    degrees = ratio.launches - 2 * int(TRIMMED_SHARE * ratio.launches) - 1
    error = math.log(ratio.high / ratio.low) / 2 / float(stdtrit(degrees, 1 - ratio.level / 2))
    logs = Estimate(math.log(ratio.low * ratio.high) / 2, error, degrees)
    return Compared(logs).bounds(risk)


claim = Claim(
    id="X15",
    text="of the options swept (compiler flags, page size, placement, collective algorithms, copy "
    "routine) most had no effect",
    paper="XT3 and XT4, sections 2 and 5",
    experiments=("options", "placement"),
    judge=judge,
    criteria=(MOST, *SWEPT.values()),
)
