"""Writes docs/reference/combinations.md from what `halocline verify --json` has printed.

The page keeps what it says of other workloads, protocols and libraries, so that a new one costs
only its own verification. Example:
halocline verify halo --ranks 2 --ranks 4 --json > halo.json; write_combinations.py halo.json
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from halocline.cli import here
from halocline.verify.combinations import (
    MOST_RANKS_AT_ALL_POINTS,
    NO_PROTOCOL,
    Combination,
    Grid,
    Status,
    grids,
)

PAGE = Path(__file__).parents[1] / "docs/reference/combinations.md"
_STATUS: dict[str, Status] = {"✓": "verified", "–": "skipped", "✗": "failed"}


def page(answers: Sequence[dict[str, Any]], former: str = "") -> str:
    """One or more answers of the command as a page, with what the former page has beyond them."""
    libraries, kept = _read(former)
    libraries |= {
        each["name"]: each["library"] for answer in answers for each in answer["libraries"]
    }
    new = [Combination(**each) for answer in answers for each in answer["combinations"]]
    again = {(each.mpi, each.workload, each.protocol) for each in new}
    combinations = _ordered(
        [each for each in kept if (each.mpi, each.workload, each.protocol) not in again] + new
    )
    ranks = sorted({each.ranks for each in combinations})
    options = [f"--mpi {name}" for name in libraries] + [f"--ranks {each}" for each in ranks]
    lines = [
        "# Combinations",
        "",
        "Which workload runs over which protocol, on the libraries and numbers of ranks that",
        "Halocline is tried on. Every byte that arrives was compared; how to see the same for",
        "another library: [verify combinations](../how-to/verify-combinations.md).",
        "",
        f"On up to {MOST_RANKS_AT_ALL_POINTS} ranks each combination ran at sizes from none to",
        "1 MiB and in all patterns; on more, which had to share the cores, at one of each.",
        "",
        "✓ runs, every byte checked; – does not run; ✗ failed. Numbers are of ranks, those in",
        "brackets of the reasons below a table. A cell without numbers of ranks holds for all.",
        "",
        "`make combinations` writes this page with these commands; with `ONLY=NAME` or",
        "`ONLY=protocol=NAME` it writes the rows of one workload or protocol. `debian-mpich` is",
        "Debian's package libmpich-dev, [adopted](../how-to/adopt-a-site-mpi.md).",
        "",
        "```console",
        f"$ halocline verify {' '.join(options)} --json > combinations.json",
        "$ python tools/write_combinations.py combinations.json",
        "```",
    ]
    for grid in grids(combinations):
        on = ", ".join(
            map(str, sorted({each.ranks for each in combinations if each.mpi == grid.mpi}))
        )
        library = libraries[grid.mpi].split(", package")[0]
        lines += ["", f"## {grid.mpi}", "", f"{library}, on {on} ranks."]
        lines += ["", *_table(grid), "", *_notes(grid)]
    return "\n".join(lines).rstrip() + "\n"


def _ordered(combinations: Sequence[Combination]) -> list[Combination]:
    """In the order of a command that verifies all."""
    catalogue = here.catalogue()
    libraries = list(dict.fromkeys(each.mpi for each in combinations))
    workloads = [each.name for each in catalogue.workloads]
    protocols = ["", *(each.name for each in catalogue.protocols)]
    there = [
        each for each in combinations if each.workload in workloads and each.protocol in protocols
    ]
    return sorted(
        there,
        key=lambda each: (
            libraries.index(each.mpi),
            each.ranks,
            workloads.index(each.workload),
            protocols.index(each.protocol),
        ),
    )


def _read(former: str) -> tuple[dict[str, str], list[Combination]]:
    """The libraries of a page, and all its combinations."""
    libraries: dict[str, str] = {}
    combinations: list[Combination] = []
    for section in former.split("\n## ")[1:]:
        name = section.partition("\n")[0]
        head = re.search(r"^(.*), on ([\d, ]+) ranks\.$", section, re.MULTILINE)
        if head is None:
            raise SystemExit(f"{PAGE}: the section {name} does not say for which ranks")
        libraries[name] = head[1]
        ranks = [int(each) for each in head[2].split(", ")]
        notes = dict(re.findall(r"^(\d+)\. (.*)$", section, re.MULTILINE))
        columns: list[str] = []
        for line in re.findall(r"^\|.*\|$", section, re.MULTILINE):
            first, *cells = [cell.strip() for cell in line[1:-1].split("|")]
            if first in ("protocol", "workload without protocols"):
                columns = cells
            elif not first.startswith("---"):
                for column, cell in zip(columns, cells, strict=True):
                    place = (column, first) if column else (first, "")
                    combinations += _combinations(name, place, cell, ranks, notes)
    return libraries, combinations


def _combinations(
    mpi: str, place: tuple[str, str], cell: str, ranks: Sequence[int], notes: Mapping[str, str]
) -> Iterator[Combination]:
    """What a cell says, such as `✓ 2; – 4, 8 [1]`."""
    workload, protocol = place
    for part in cell.split("; "):
        said = re.fullmatch(r"(\S)(?: ([\d, ]*\d))?(?: \[(\d+)\])?", part)
        if said is None or said[1] not in _STATUS:
            raise SystemExit(f"{PAGE}: {mpi}, {workload} {protocol}: no outcome: {part}")
        reason = notes[said[3]] if said[3] else ""
        for number in map(int, said[2].split(", ")) if said[2] else ranks:
            yield Combination(mpi, number, workload, protocol, _STATUS[said[1]], reason)


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
    PAGE.write_text(page(answers, PAGE.read_text(encoding="utf-8")), encoding="utf-8")
