"""What a run left out because there was no time for it: `left_out.json` in its folder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from halocline.errors import UserError
from halocline.progress import left_text

SCHEMA = 1
NAME = "left_out.json"
NO_TIME = "left out for time"


@dataclass(frozen=True)
class LeftOut:
    """The cases of a part that one library had no time for, and the seconds that they need."""

    mpi: str
    part: str
    cases: tuple[str, ...]  # their ids
    needs_s: float

    @property
    def reason(self) -> str:
        """Why, in a few words."""
        return f"{NO_TIME}: {self.part!r} needs about {left_text(self.needs_s)} more"


def to_text(found: Sequence[LeftOut]) -> str:
    """The text of the file."""
    return json.dumps({"schema": SCHEMA, "left_out": [asdict(each) for each in found]}) + "\n"


def read(folder: Path) -> tuple[LeftOut, ...]:
    """What the run in a folder left out; nothing if it has no such file. UserError if damaged."""
    file = folder / NAME
    if not file.exists():
        return ()
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        if content["schema"] != SCHEMA:
            raise ValueError(f"schema {content['schema']} instead of {SCHEMA}")
        return tuple(
            LeftOut(
                mpi=str(each["mpi"]),
                part=str(each["part"]),
                cases=tuple(map(str, each["cases"])),
                needs_s=float(each["needs_s"]),
            )
            for each in content["left_out"]
        )
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(
            f"not the list of what was left out: {type(error).__name__} {error}",
            where=str(file),
            remedy="delete the file and resume the run",
        ) from None
