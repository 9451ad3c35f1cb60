"""The gate's results, run after run: an append-only file, one line per run."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct
from msgspec.structs import astuple

from halocline.base.errors import UserError
from halocline.base.reading import Elapsed, json_lines
from halocline.compare.gate import Judgement, identity
from halocline.samples.run_folder import drop_unended_line_of

NAME = "history.jsonl"
SCHEMA = 1
_Ratio = Annotated[float, Meta(gt=0, le=1e9)]


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


class _Case(Struct):
    case: str
    time_s: Elapsed
    ratio: _Ratio
    low: _Ratio
    high: _Ratio
    regressed: bool


class _Run(Struct):
    when: str
    commit: str
    cases: tuple[_Case, ...]


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
    with (folder / NAME).open("a", encoding="utf-8") as file:
        with suppress(OSError):  # some file systems have no locks
            fcntl.flock(file, fcntl.LOCK_EX)
        drop_unended_line_of(folder / NAME)
        file.write(json.dumps(record, ensure_ascii=False) + "\n")


def read(folder: Path) -> tuple[Entry, ...]:
    """Every case of every run, in order; UserError for an invalid line."""
    file = folder / NAME
    if not file.exists():
        remedy = "name the folder that `halocline compare --gate --history` writes to"
        raise UserError(f"{file} does not exist", remedy=remedy)
    remedy = "restore the file from a copy, or delete this line"
    return tuple(
        Entry(run.when, run.commit, *astuple(case))
        for run in json_lines(file, _Run, "a run of the gate", remedy)
        for case in run.cases
    )


def cases(entries: Sequence[Entry]) -> tuple[str, ...]:
    """The cases, in order of appearance."""
    return tuple(dict.fromkeys(entry.case for entry in entries))
