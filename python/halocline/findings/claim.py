"""A claim of a paper, its criteria for measurements, and an answer to it."""

from __future__ import annotations

import importlib
import math
import pkgutil
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Literal, Protocol

from halocline.base.errors import UserError
from halocline.findings import rows
from halocline.summary.summary import Summary

Verdict = Literal["reproduced", "differs", "cannot be answered"]
Status = Literal["holds", "fails", "open"]
TOLERANCE = 0.1  # what readers of the papers' figures would call equal
LITTLE = 1.02  # from here they would say "slightly slower" …
NOT_LITTLE = 1.25  # … and up to here


@dataclass(frozen=True)
class Criterion:
    """One part of a claim: bounds for a quantity, in these places.

    Fixed before anything is measured, and printed with the answer.
    """

    part: str
    quantity: str
    low: float = -math.inf
    high: float = math.inf
    places: tuple[str, ...] = ()  # layouts, or other conditions in the claim's text

    @property
    def relation(self) -> str:
        """The bounds in words."""
        if self.low == self.high:
            return f"exactly {self.low:.12g}"
        if math.isinf(self.high):
            return f"at least {self.low:.4g}"
        if math.isinf(self.low) or self.low == 0:
            return f"at most {self.high:.4g}"
        return f"within {self.low:.4g} to {self.high:.4g}"


def alike(
    part: str, quantity: str, places: tuple[str, ...] = (), tolerance: float = TOLERANCE
) -> Criterion:
    """A ratio that differs from 1 by no more than the tolerance."""
    return Criterion(part, quantity, 1 - tolerance, 1 + tolerance, places)


@dataclass(frozen=True)
class Number:
    """One measured number next to the paper's; without bounds if it has none, such as a limit."""

    what: str
    value: float
    unit: str  # "s", "B/s", "B", "flop/s"; "" for a ratio
    low: float | None = None
    high: float | None = None
    paper: str = ""


class Quantity(Protocol):
    """A measured quantity and its uncertainty."""

    @property
    def value(self) -> float:
        """The best estimate."""

    def bounds(self, risk: float) -> tuple[float, float]:
        """The interval that misses the true value with this probability."""


@dataclass(frozen=True)
class Known:
    """A quantity whose bounds hold at any risk: a count, with possibly undecided items."""

    value: float
    low: float
    high: float

    def bounds(self, risk: float) -> tuple[float, float]:
        """The same at any risk."""
        return self.low, self.high


@dataclass(frozen=True)
class Check:
    """A criterion and the measured value in one place; None and the reason without one."""

    criterion: Criterion
    what: str
    quantity: Quantity | None
    missing: str = ""
    paper: str = ""
    unit: str = ""  # of a count; a ratio has none


@dataclass(frozen=True)
class Evidence:
    """A judge's evidence: a check for each part, place and size in the claim.

    `why` explains differences from the `numbers`; without it the reason was not measured.
    `readings`: the checks are possible meanings of an unclear text; an answer needs them to agree.
    """

    checks: tuple[Check, ...]
    numbers: tuple[Number, ...] = ()
    remark: str = ""
    why: str = ""
    readings: bool = False


@dataclass(frozen=True)
class Part:
    """The result of a check."""

    what: str
    relation: str
    status: Status
    because: str


@dataclass(frozen=True)
class Answer:
    """An answer: the verdict, the numbers behind it, and the reason."""

    verdict: Verdict
    because: str
    numbers: tuple[Number, ...] = ()
    parts: tuple[Part, ...] = ()


class Unanswered(Exception):
    """Raised by a judge: what is missing for an answer."""


@dataclass(frozen=True)
class Claim:
    """One row of the findings; `experiments` names the files that measure it, possibly none.

    The judge takes a summary for each experiment, then the profiles of each of `profiles`; None
    for one that was not run. Without experiments it has no judge, and `lacks` says what is missing.
    `specification` says which of the text's numbers describe the paper's machine, and are not
    judged. A judge that does not compare libraries gets the cases of one.
    """

    id: str
    text: str
    paper: str
    experiments: tuple[str, ...] = ()
    profiles: tuple[str, ...] = ()  # experiments whose cases are profiled instead of timed
    judge: Callable[..., Evidence] | None = None
    criteria: tuple[Criterion, ...] = ()
    compares_libraries: bool = False
    specification: str = ""
    lacks: str = ""


def command(claim: Claim) -> str:
    """The command that measures it again; empty if none can."""
    measures = claim.experiments or claim.profiles
    return f"halocline findings {claim.id} --run" if measures else ""


def criteria_json(claim: Claim) -> list[dict[str, Any]]:
    """The criteria as JSON; infinite bounds are null."""
    return [
        {
            "part": criterion.part,
            "quantity": criterion.quantity,
            "relation": criterion.relation,
            "low": None if math.isinf(criterion.low) else criterion.low,
            "high": None if math.isinf(criterion.high) else criterion.high,
            "places": list(criterion.places),
        }
        for criterion in claim.criteria
    ]


Summaries = Mapping[str, Summary]


def claims() -> tuple[Claim, ...]:
    """All claims, by their ids: those with a judge, and those that nothing here answers."""
    judged = [
        importlib.import_module(f"{rows.__name__}.{module.name}").claim
        for module in pkgutil.iter_modules(rows.__path__)
    ]
    text = (files("halocline.findings") / "lacking.toml").read_text(encoding="utf-8")
    lacking = [Claim(**row) for row in tomllib.loads(text)["claim"]]
    return tuple(sorted([*judged, *lacking], key=lambda claim: _place(claim.id)))


def chosen(ids: tuple[str, ...]) -> tuple[Claim, ...]:
    """The claims of these ids, or all; UserError names an unknown one."""
    known = {claim.id: claim for claim in claims()}
    for name in ids:
        if name.upper() not in known:
            raise UserError(
                f"unknown finding {name!r}",
                allowed=", ".join(known),
                remedy="list them with `halocline findings`",
            )
    return tuple(known[name.upper()] for name in ids) or tuple(known.values())


def _place(name: str) -> tuple[str, int]:
    letter, number = re.fullmatch(r"([A-Z])(\d+)", name).groups()  # type: ignore[union-attr]
    return letter, int(number)
