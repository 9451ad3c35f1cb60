"""From checks to an answer: the same rule for all claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from halocline.base.units import enumerated
from halocline.findings.claim import (
    TOLERANCE,
    Answer,
    Check,
    Claim,
    Evidence,
    Number,
    Part,
    Summaries,
    Unanswered,
    Verdict,
    command,
)
from halocline.findings.evidence import is_wrong
from halocline.findings.recorded import Profiles, Recorded
from halocline.summary.summary import CaseSummary, Summary

RISK = 0.05  # of an interval
# Of refuting a true claim by any of its checks, so 5 % of tables of all claims contain an error.
RISK_OF_DIFFERS = 0.001
LISTED = 4  # checks that an answer names one by one
Run = Summary | Profiles | None


def answer(
    claim: Claim, summaries: Summaries, profiles: Mapping[str, Profiles] = MappingProxyType({})
) -> Answer:
    """Reproduced if each check holds, differs if one significantly fails; open ones say why."""
    if claim.judge is None:
        return Answer("cannot be answered", claim.lacks)
    evidence = [
        *(summaries.get(name) for name in claim.experiments),
        *(profiles.get(name) for name in claim.profiles),
    ]
    if not any(evidence):
        measure = f"not measured yet; measure with `{command(claim)}`"
        return Answer("cannot be answered", measure)
    library = ""
    if not claim.compares_libraries:
        evidence, library = of_one_library(evidence)
    try:
        found = claim.judge(*evidence)
    except Unanswered as missing:
        return Answer("cannot be answered", sentences(str(missing), library))
    return judged(replace(found, remark=sentences(found.remark, library)))


def judged(evidence: Evidence) -> Answer:
    """The verdict from the checks, and its explanation."""
    parts = tuple(_part(check, len(evidence.checks)) for check in evidence.checks)
    by = {
        status: [part for part in parts if part.status == status]
        for status in ("holds", "fails", "open")
    }
    verdict: Verdict = "reproduced" if parts and len(by["holds"]) == len(parts) else "differs"
    refuted = len(by["fails"]) == len(parts) if evidence.readings else bool(by["fails"])
    if verdict == "differs" and not refuted:
        verdict = "cannot be answered"
    said = [_listed(by["fails"]), _listed(by["open"]), _listed(by["holds"])]
    because = "; ".join(filter(None, said))
    if evidence.remark:
        because += f". {evidence.remark}"
    if verdict == "differs":
        because += f". {evidence.why or 'The reason was not measured'}"
    numbers = [*map(_number, evidence.checks), *evidence.numbers]
    return Answer(verdict, because, tuple(filter(None, numbers)), parts)


def ties(
    place: str,
    named: str,
    others: Mapping[str, Check],
    extreme: str = "best",
    tolerance: float = TOLERANCE,
) -> str:
    """A sentence on what takes as long as the one that the claim names; empty without any.

    `others`: for each other one, the check of the named one's time over its time.
    """
    percent = f"{100 * tolerance:g} %"
    alike = [other for other, check in others.items() if _alike(check, tolerance)]
    if not alike:
        return ""
    if len(alike) == len(others):
        every = f"{place}: none differs from {named} by more than {percent}"
        return f"{every}, so it is not shown to be the {extreme}"
    return f"{place}: {named} takes as long as {enumerated(alike)}, within {percent}"


def _alike(check: Check, tolerance: float) -> bool:
    if check.quantity is None:
        return False
    low, high = check.quantity.bounds(RISK)
    return 1 - tolerance <= low and high <= 1 + tolerance


def _part(check: Check, checks: int) -> Part:
    wanted = check.criterion
    if check.quantity is None:
        because = f"{check.what}: not measured, {check.missing}"
        return Part(check.what, wanted.relation, "open", because)
    low, high = check.quantity.bounds(RISK)
    value = check.quantity.value
    if low < high:
        span = f"{value:.3g} ({low:.3g} to {high:.3g})"
    else:
        span = f"{value:.0f}" if value == round(value) else f"{value:.4g}"
    if wanted.low <= low and high <= wanted.high:
        because = f"{check.what}: {span}, {wanted.relation}"
        return Part(check.what, wanted.relation, "holds", because)
    surely_low, surely_high = check.quantity.bounds(RISK_OF_DIFFERS / checks)
    if surely_high < wanted.low or wanted.high < surely_low:
        because = f"{check.what}: {span}, not {wanted.relation}"
        return Part(check.what, wanted.relation, "fails", because)
    doubt = f"may or may not be {wanted.relation}"
    if high < wanted.low or wanted.high < low:  # at 95 %, which does not do for a difference
        doubt = (
            f"is not {wanted.relation} at 95 %, but may be at the confidence required for a "
            f"difference ({surely_low:.3g} to {surely_high:.3g})"
        )
    because = (
        f"{check.what}: {span} {doubt}; more launches, or an idle machine, narrow the interval"
    )
    return Part(check.what, wanted.relation, "open", because)


def sentences(*parts: str) -> str:
    """Those that are not empty, one after the other."""
    return ". ".join(filter(None, parts))


def _listed(parts: Sequence[Part]) -> str:
    said = "; ".join(part.because for part in parts[:LISTED])
    more = len(parts) - LISTED
    return f"{said}; and {more} more with the same result" if more > 0 else said


def _number(check: Check) -> Number | None:
    if check.quantity is None:
        return None
    low, high = check.quantity.bounds(RISK)
    exact = low == high
    return Number(
        check.what,
        check.quantity.value,
        check.unit,
        None if exact else low,
        None if exact else high,
        check.paper or check.criterion.relation,
    )


def of_one_library(runs: Sequence[Run]) -> tuple[list[Run], str]:
    """What the library with the most measured cases did, the first named one of several.

    And a remark that names it, empty if there is no other.
    """
    measured: Counter[str] = Counter()
    for run in runs:
        for each in _cases(run):
            measured[each.case.mpi] += isinstance(each, Recorded) or _ran(each)
    if len(measured) < 2:
        return list(runs), ""
    library = max(measured, key=measured.__getitem__)
    return (
        [_of(run, library) for run in runs],
        f"Of the libraries {enumerated(list(measured))}, {library} is judged",
    )


def _cases(run: Run) -> Sequence[CaseSummary | Recorded]:
    return run.cases if isinstance(run, Summary) else run or ()


def _ran(each: CaseSummary) -> bool:
    return each.metric("time") is not None or is_wrong(each)


def _of(run: Run, library: str) -> Run:
    if isinstance(run, Summary):
        cases = tuple(each for each in run.cases if each.case.mpi == library)
        effects = tuple(effect for effect in run.effects if effect.mpi == library)
        return replace(run, cases=cases, effects=effects)
    return run and [profile for profile in run if profile.case.mpi == library]
