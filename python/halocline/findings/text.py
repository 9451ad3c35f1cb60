"""Answers for people and for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from halocline.findings.claim import Answer, Claim, Number, command
from halocline.report.text import rate_text, significant, size_label, time_text

SCHEMA = 1

Found = tuple[Claim, Answer, Path | None]


def to_json(found: Sequence[Found]) -> dict[str, Any]:
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
                "numbers": [asdict(number) for number in answer.numbers],
                "command": command(claim),
                "run": str(run) if run else None,
            }
            for claim, answer, run in found
        ],
    }


def value_text(value: float, unit: str) -> str:
    """A value with its unit as people write it."""
    match unit:
        case "s":
            return time_text(value)
        case "B/s":
            return rate_text(value)
        case "B":
            return size_label(round(value)) if value < 8192 else f"{value:.0f} B"
        case "flop/s":
            return f"{significant(value / 1e9)} Gflop/s"
    return f"{significant(value)} {unit}".rstrip()


def number_text(number: Number) -> str:
    """The value and its 95 % interval, where there is one."""
    value = value_text(number.value, number.unit)
    if number.low is None or number.high is None:
        return value
    low, high = (value_text(bound, number.unit) for bound in (number.low, number.high))
    return f"{value} ({low} to {high})"
