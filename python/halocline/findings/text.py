"""Answers as text and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from math import isfinite, isinf
from pathlib import Path
from typing import Any

from halocline.base.quantities import GFLOPS, in_unit, rate_text, significant, size_label, time_text
from halocline.findings.claim import (
    Answer,
    Claim,
    Criterion,
    Number,
    command,
    criteria_json,
)
from halocline.findings.evidence import WHERE

SCHEMA = 1

Found = tuple[Claim, Answer, tuple[Path, ...]]


def to_json(answers: Sequence[Found]) -> dict[str, Any]:
    """All answers, as `findings --json` prints them."""
    return {
        "schema": SCHEMA,
        "findings": [
            {
                "id": claim.id,
                "text": claim.text,
                "paper": claim.paper,
                "verdict": answer.verdict,
                "because": answer.because,
                "criteria": criteria_json(claim),
                "specification": claim.specification,
                "parts": [asdict(part) for part in answer.parts],
                "numbers": [_number_json(number) for number in answer.numbers],
                "command": command(claim),
                "run": str(runs[0]) if runs else None,
                "runs": [str(run) for run in runs],
            }
            for claim, answer, runs in answers
        ],
    }


def _number_json(number: Number) -> dict[str, Any]:
    """JSON has no infinity: a bound that noise leaves open is null."""
    low, high = (
        None if bound is None or isinf(bound) else bound for bound in (number.low, number.high)
    )
    return asdict(number) | {"low": low, "high": high}


def value_text(value: float, unit: str) -> str:
    """A value with its unit as text."""
    match unit:
        case "s":
            return time_text(value)
        case "B/s":
            return rate_text(value)
        case "B":
            return size_label(round(value)) if value < 8192 else f"{value:.0f} B"
        case "flop/s":
            return in_unit(value, GFLOPS)
    return f"{significant(value)} {unit}".rstrip()


def criterion_text(criterion: Criterion) -> str:
    """A criterion in a line: `large: put over get within 0.9 to 1.1 (on node, off node)`."""
    places = ", ".join(WHERE.get(place, place) for place in criterion.places)
    said = f"{criterion.part}: {criterion.quantity} {criterion.relation}"
    return f"{said} ({places})" if places else said


def number_text(number: Number) -> str:
    """The value and its 95 % interval, if known."""
    value = value_text(number.value, number.unit)
    if number.low is None or number.high is None:
        return value
    if not (isfinite(number.low) and isfinite(number.high)):
        return f"{value} (interval unbounded)"
    low, high = (value_text(bound, number.unit) for bound in (number.low, number.high))
    return f"{value} ({low} to {high})"
