"""One thing that would spoil a measurement."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How bad a finding is, the worst first."""

    ERROR = "error"  # a measurement here fails or means nothing
    WARNING = "warning"  # it is disturbed
    NOTE = "note"  # the reader of the figures has to know


@dataclass(frozen=True)
class Finding:
    """What was found, with its number; why that spoils a measurement; how to mend it."""

    name: str
    severity: Severity
    found: str
    harm: str
    remedy: str
    command: str | None = None
