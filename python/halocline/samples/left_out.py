"""What a run left out for lack of time: `left_out.json` in its folder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from msgspec import Struct

from halocline.base.progress import left_text
from halocline.base.reading import Seconds, json_file, require_schema

SCHEMA = 1
NAME = "left_out.json"
NO_TIME = "left out for time"


@dataclass(frozen=True)
class LeftOut:
    """The cases of a part left out for one library, and the seconds they need."""

    mpi: str
    part: str
    cases: tuple[str, ...]  # their ids
    needs_s: Seconds
    guessed: bool = False  # from the time of other workloads: none of its cases was started

    @property
    def reason(self) -> str:
        """Why, in a few words."""
        guess = "was not started and, judged by other workloads, " if self.guessed else ""
        return f"{NO_TIME}: {self.part!r} {guess}needs about {left_text(self.needs_s)} more"


class _File(Struct):
    schema: int
    left_out: tuple[LeftOut, ...]


def to_text(left_out: Sequence[LeftOut]) -> str:
    """The text of the file."""
    return json.dumps({"schema": SCHEMA, "left_out": [asdict(part) for part in left_out]}) + "\n"


def read(folder: Path) -> tuple[LeftOut, ...]:
    """What the run in a folder left out; empty without such a file. UserError if damaged."""
    file = folder / NAME
    if not file.exists():
        return ()
    kind, remedy = "the list of what was left out", "delete the file and resume the run"
    content = json_file(file, _File, kind, remedy)
    require_schema(content.schema, SCHEMA, file, remedy)
    return content.left_out
