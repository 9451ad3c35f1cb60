"""A claim of a paper, and an answer to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from halocline.summary import Summary

Verdict = Literal["reproduced", "differs", "cannot be answered"]


@dataclass(frozen=True)
class Number:
    """One measured number beside the paper's; no bounds where there are none, as for a limit."""

    what: str
    value: float
    unit: str  # "s", "B/s", "B", "flop/s"; "" for a ratio
    low: float | None = None
    high: float | None = None
    paper: str = ""


@dataclass(frozen=True)
class Answer:
    """What was found: the verdict, the numbers behind it, and why it is so."""

    verdict: Verdict
    because: str
    numbers: tuple[Number, ...] = ()


class Unanswered(Exception):
    """Raised by a judge: what is missing for an answer."""


@dataclass(frozen=True)
class Claim:
    """One row of the findings; `experiment` names the file that measures it, "" for none yet.

    Without an experiment there is no judge, and `lacks` tells what is needed for one.
    """

    id: str
    text: str
    paper: str
    experiment: str = ""
    judge: Callable[[Summary], Answer] | None = None
    lacks: str = ""


def answer(claim: Claim, summary: Summary | None) -> Answer:
    """The judge's answer; one that lacks evidence says which."""
    if claim.judge is None:
        return Answer("cannot be answered", claim.lacks)
    if summary is None:
        measure = f"not measured yet; measure with `{command(claim)}`"
        return Answer("cannot be answered", measure)
    try:
        return claim.judge(summary)
    except Unanswered as missing:
        return Answer("cannot be answered", str(missing))


def command(claim: Claim) -> str:
    """What measures it again; empty if nothing can."""
    return f"halocline findings {claim.id} --run" if claim.experiment else ""
