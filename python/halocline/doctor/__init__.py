"""What on this host would spoil a measurement, and how to fix it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from halocline.doctor import grant, host
from halocline.doctor.finding import Finding, Severity

__all__ = ["Finding", "Severity", "diagnose"]

_ORDER = tuple(Severity)


def _found(check: Callable[..., Finding | None], *of: object) -> Finding | None:
    try:
        return check(*of)
    except KeyError:  # not recorded by older versions
        return None


def diagnose(environment: Mapping[str, Any], ranks: int = 2) -> tuple[Finding, ...]:
    """Findings for `ranks` ranks on the host of `environment`, the worst first."""
    findings = [
        *(_found(check, environment) for check in host.CHECKS),
        *(_found(check, environment, ranks) for check in grant.CHECKS),
    ]
    return tuple(
        sorted(
            (finding for finding in findings if finding),
            key=lambda finding: _ORDER.index(finding.severity),
        )
    )
