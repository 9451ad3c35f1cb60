"""A problem that would spoil a measurement."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How bad a finding is, the worst first."""

    ERROR = "error"  # a measurement here fails or is meaningless
    WARNING = "warning"  # a measurement is disturbed
    NOTE = "note"  # readers of the figures should know


@dataclass(frozen=True)
class Finding:
    """The finding, with its number; why it spoils a measurement; how to fix it."""

    name: str
    severity: Severity
    found: str
    harm: str
    remedy: str
    command: str | None = None
