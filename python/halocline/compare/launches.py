"""How the launches of a comparison went: what one that was stopped goes on from."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from halocline.errors import UserError
from halocline.run_folder import drop_unended_line_of

NAME = "launches.jsonl"


@dataclass(frozen=True)
class Launched:
    """A launch of all sides: its cases, the seconds it took, those until its first case began."""

    launch: int
    cases: int
    took_s: float
    starting_s: float
    whole: bool  # whether no side failed


def read(folder: Path) -> tuple[Launched, ...]:
    """Those that ended; a line that its writer did not end is none."""
    path = folder / NAME
    if not path.exists():
        return ()
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n")[:-1], start=1):
        try:
            told = json.loads(line)
            found.append(
                Launched(
                    int(told["launch"]),
                    int(told["cases"]),
                    float(told["took_s"]),
                    float(told["starting_s"]),
                    bool(told["whole"]),
                )
            )
        except (KeyError, TypeError, ValueError) as error:
            raise UserError(
                f"no launch of a comparison: {type(error).__name__} {error}",
                where=f"{path}:{number}",
                remedy="delete this line",
            ) from None
    return tuple(found)


def append(folder: Path, launched: Launched) -> None:
    """Note one more."""
    drop_unended_line_of(folder / NAME)
    with (folder / NAME).open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(launched)) + "\n")
