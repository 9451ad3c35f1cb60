"""`halocline doctor`: what would spoil a measurement here, and how to fix it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

import typer
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.text import Text

from halocline.doctor import Finding, Severity, diagnose
from halocline.environment import collect

SCHEMA = 1

_STYLES = {
    Severity.ERROR: "bold red",
    Severity.WARNING: "bold yellow",
    Severity.NOTE: "bold cyan",
}


def doctor(
    ranks: Annotated[int, typer.Option(min=1, help="Ranks of the planned measurement.")] = 2,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Report what would spoil a measurement here, and how to fix it.

    Exit code 1 if a measurement here would fail or be meaningless.

    Example: halocline doctor --ranks 4
    """
    findings = diagnose(collect([]), ranks)
    if as_json:
        listed = [asdict(finding) for finding in findings]
        typer.echo(json.dumps({"schema": SCHEMA, "ranks": ranks, "findings": listed}, indent=2))
    else:
        show(Console(highlight=False), findings, ranks)
    if any(finding.severity is Severity.ERROR for finding in findings):
        raise typer.Exit(1)


def show(console: Console, findings: Sequence[Finding], ranks: int) -> None:
    """The findings as text, and a closing line with their number."""
    for finding in findings:
        severity = (finding.severity, _STYLES[finding.severity])
        console.print(Text.assemble(severity, "  ", (finding.found, "bold")))
        console.print(_indented(finding.harm))
        console.print(_indented(f"fix: {finding.remedy}"))
        if finding.command:
            # A command that the console wraps cannot be pasted.
            console.print(Text(f"    {finding.command}", style="green"), soft_wrap=True)
        console.print()
    console.print(_closing_line(findings, ranks))


def _indented(text: str) -> RenderableType:
    return Padding(text, (0, 0, 0, 4), expand=False)


def _closing_line(findings: Sequence[Finding], ranks: int) -> str:
    if not findings:
        return f"Nothing here would spoil a measurement of {ranks} ranks."
    counts = {
        severity: sum(finding.severity is severity for finding in findings) for severity in Severity
    }
    return ", ".join(
        f"{count} {severity}{'s' if count > 1 else ''}"
        for severity, count in counts.items()
        if count
    )
