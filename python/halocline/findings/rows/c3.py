"""C3: the call mix."""

from __future__ import annotations

from functools import partial

from halocline.findings.claim import (
    TOLERANCE,
    Claim,
    Criterion,
    Evidence,
    Known,
    Number,
    Unanswered,
    alike,
)
from halocline.findings.evidence import check
from halocline.findings.recorded import Profiles, Recorded, calls, chosen, known

RANKS = 8
PAPER = {"Irecv": 0.32, "Isend": 0.26, "Wait": 0.21, "Waitall": 0.07}
FUNCTIONS = 23
SHARES = tuple(
    alike(name, f"its share of the calls that are no polls over {part:.0%}")
    for name, part in PAPER.items()
)
IN_USE = Criterion("functions", "MPI functions in use", FUNCTIONS, FUNCTIONS)


def judge(profiles: Profiles | None) -> Evidence:
    """Each share by itself, and the number of functions."""

    def relative(name: str) -> Known:
        return known(chosen(profiles, RANKS), partial(_share, name, PAPER[name]))

    def in_use() -> Known:
        return known(chosen(profiles, RANKS), lambda each: len(each.functions))

    checks = [
        check(criterion, f"share of {criterion.part} over the paper's", partial(relative, name))
        for criterion, name in zip(SHARES, PAPER, strict=True)
    ]
    checks.append(check(IN_USE, "MPI functions in use", in_use))
    return Evidence(tuple(checks), _most_frequent(profiles), why=_why(profiles))


def _share(name: str, unit: float, each: Recorded) -> float:
    return each.calls.get(name, 0) / calls(each) / unit


def _most_frequent(profiles: Profiles | None) -> tuple[Number, ...]:
    try:
        profile = chosen(profiles, RANKS)[0]
    except Unanswered:
        return ()
    names = sorted(profile.calls, key=lambda name: -profile.calls[name])[:6]
    paper = {name: f"{part:.0%}" for name, part in PAPER.items()}
    return tuple(
        Number(f"{name}, share of calls", _share(name, 1, profile), "", paper=paper.get(name, ""))
        for name in names
    )


def _why(profiles: Profiles | None) -> str:
    """A model that completes many requests at once calls Wait less often: requests per call.

    Nothing where the shares of Wait and Waitall are the paper's.
    """
    try:
        profile = chosen(profiles, RANKS)[0]
    except Unanswered:
        return ""
    counts = profile.calls
    started = counts.get("Irecv", 0) + counts.get("Isend", 0)
    waits = counts.get("Wait", 0) + counts.get("Waitall", 0)
    usual = [
        abs(_share(name, PAPER[name], profile) - 1) <= TOLERANCE for name in ("Wait", "Waitall")
    ]
    if not waits or all(usual):
        return ""
    return (
        f"Here each Wait or Waitall completes {started / waits:.1f} requests, in CESM "
        f"{(PAPER['Irecv'] + PAPER['Isend']) / (PAPER['Wait'] + PAPER['Waitall']):.1f}"
    )


claim = Claim(
    id="C3",
    text="call mix by count: Irecv 32 %, Isend 26 %, Wait 21 %, Waitall 7 %; 23 MPI functions"
    " in use",
    paper="CESM profiling 2011, number of MPI calls",
    profiles=("coupled_calls",),
    judge=judge,
    criteria=(*SHARES, IN_USE),
)
