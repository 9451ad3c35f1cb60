"""What the gate found, run after run: a file that only grows, a line each."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from halocline.compare.gate import Judgement, identity
from halocline.errors import UserError
from halocline.run_folder import drop_unended_line_of

NAME = "history.jsonl"
SCHEMA = 1


@dataclass(frozen=True)
class Entry:
    """One case of one run of the gate: time, and its ratio to the baseline with the interval."""

    when: str
    commit: str
    case: str
    time_s: float
    ratio: float
    low: float
    high: float
    regressed: bool


def append(folder: Path, judged: Judgement, commit: str, now: datetime | None = None) -> None:
    """Add this run."""
    when = (now or datetime.now(UTC)).strftime("%Y-%m-%dT%H:%M:%SZ")
    regressed = {identity(row.other) for row in judged.regressed}
    record: dict[str, Any] = {
        "schema": SCHEMA,
        "when": when,
        "commit": commit,
        "baseline": judged.found.baseline,
        "gate": judged.gate,
        "cases": [
            {
                "case": identity(row.other),
                "time_s": row.other_s,
                "ratio": row.ratio.ratio,
                "low": row.low,
                "high": row.high,
                "regressed": identity(row.other) in regressed,
            }
            for row in judged.found.rows
            if row.low is not None
        ],
    }
    folder.mkdir(parents=True, exist_ok=True)
    drop_unended_line_of(folder / NAME)
    with (folder / NAME).open("a", encoding="utf-8") as file:
        file.write(json.dumps(record, ensure_ascii=False) + "\n")


def read(folder: Path) -> tuple[Entry, ...]:
    """Every case of every run, in their order; UserError for a line that is none."""
    file = folder / NAME
    entries: list[Entry] = []
    try:
        lines = file.read_text(encoding="utf-8").split("\n")[:-1]
    except OSError as error:
        remedy = "name the folder that `halocline compare --gate --history` writes to"
        raise UserError(f"{file} cannot be read: {error.strerror}", remedy=remedy) from None
    for number, line in enumerate(lines, start=1):
        try:
            record = json.loads(line)
            entries += [
                Entry(
                    when=str(record["when"]),
                    commit=str(record["commit"]),
                    case=str(case["case"]),
                    time_s=float(case["time_s"]),
                    ratio=float(case["ratio"]),
                    low=float(case["low"]),
                    high=float(case["high"]),
                    regressed=bool(case["regressed"]),
                )
                for case in record["cases"]
            ]
        except (KeyError, TypeError, ValueError) as error:
            raise UserError(
                f"not a run of the gate: {type(error).__name__} {error}",
                where=f"{file}:{number}",
                remedy="restore the file from a copy, or delete this line",
            ) from None
    return tuple(entries)


def cases(entries: Sequence[Entry]) -> tuple[str, ...]:
    """The cases, in order of appearance."""
    return tuple(dict.fromkeys(entry.case for entry in entries))
