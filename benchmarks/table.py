"""A benchmark's outcome: what was measured beside the goal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Row:
    """One figure and the range that is its goal; `evidence` says how the figure came about."""

    what: str
    figure: float
    low: float
    high: float
    evidence: str

    @property
    def met(self) -> bool:
        """Whether the figure lies in the range."""
        return self.low <= self.figure <= self.high

    @property
    def goal(self) -> str:
        """The range as people write it."""
        if self.low <= 0 and self.high == float("inf"):
            return "none"
        if self.low <= 0:
            return f"≤ {self.high:g}"
        if self.high == float("inf"):
            return f"≥ {self.low:g}"
        return f"{self.low:g} … {self.high:g}"


def show(rows: Sequence[Row], *notes: str) -> None:
    """Print the rows as a table, and the notes under it."""
    table = Table("what", "measured", "goal", "", "evidence", title="Halocline beside its goals")
    for row in rows:
        verdict = "[green]met[/]" if row.met else "[red]missed[/]"
        if row.goal == "none":
            verdict = ""
        table.add_row(row.what, f"{row.figure:.4g}", row.goal, verdict, row.evidence)
    console = Console(width=None)
    console.print(table)
    for note in notes:
        console.print(note)
