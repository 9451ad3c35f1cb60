"""Writes docs/reference/combinations.md from what `halocline verify --json` has printed.

Example: halocline verify --ranks 2 --ranks 4 --json > all.json; write_combinations.py all.json
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from halocline.verify import MOST_RANKS_AT_ALL_POINTS, Combination
from halocline.verify_table import NO_PROTOCOL, Grid, grids

PAGE = Path(__file__).parents[1] / "docs/reference/combinations.md"


def page(told: Sequence[dict[str, Any]]) -> str:
    """One or more answers of the command as a page."""
    libraries = {each["name"]: each["library"] for answer in told for each in answer["libraries"]}
    found = [Combination(**each) for answer in told for each in answer["combinations"]]
    ranks = sorted({each.ranks for each in found})
    options = [f"--mpi {name}" for name in libraries] + [f"--ranks {each}" for each in ranks]
    lines = [
        "# Combinations",
        "",
        "Which workload runs over which protocol, on the libraries and numbers of ranks that",
        "Halocline is tried on. Every byte that arrives was compared; how to see the same for",
        "another library [is told here](../how-to/verify-combinations.md).",
        "",
        f"On up to {MOST_RANKS_AT_ALL_POINTS} ranks each combination ran at sizes from none to",
        "1 MiB and in all patterns; on more, which had to share the cores, at one of each.",
        "",
        "✓ runs, every byte checked; – does not run; ✗ failed. Numbers are of ranks, those in",
        "brackets of the reasons below a table. A cell without numbers of ranks holds for all.",
        "",
        "This page is made so; what does not come from `halocline mpi add`",
        "[is adopted](../how-to/adopt-a-site-mpi.md):",
        "",
        "```console",
        f"$ halocline verify {' '.join(options)} --json > combinations.json",
        "$ python tools/write_combinations.py combinations.json",
        "```",
    ]
    for grid in grids(found):
        on = ", ".join(map(str, sorted({each.ranks for each in found if each.mpi == grid.mpi})))
        library = libraries[grid.mpi].split(", package")[0]
        lines += ["", f"## {grid.mpi}", "", f"{library}, on {on} ranks."]
        lines += ["", *_table(grid), "", *_notes(grid)]
    return "\n".join(lines).rstrip() + "\n"


def _table(grid: Grid) -> list[str]:
    """Workloads over protocols, then those that use none."""
    alone = [workload for workload in grid.workloads if (NO_PROTOCOL, workload) in grid.cells]
    over = [workload for workload in grid.workloads if workload not in alone]
    rows = [f"| protocol | {' | '.join(over)} |", "|---" * (len(over) + 1) + "|"]
    for protocol in grid.protocols:
        if protocol != NO_PROTOCOL:
            cells = (grid.cells[protocol, workload] for workload in over)
            rows.append(f"| {protocol} | {' | '.join(cells)} |")
    rows += ["", "| workload without protocols | |", "|---|---|"]
    return rows + [f"| {each} | {grid.cells[NO_PROTOCOL, each]} |" for each in alone]


def _notes(grid: Grid) -> list[str]:
    return [f"{number}. {note}" for number, note in enumerate(grid.notes, start=1)]


if __name__ == "__main__":
    answers = [json.loads(Path(name).read_text(encoding="utf-8")) for name in sys.argv[1:]]
    PAGE.write_text(page(answers), encoding="utf-8")
