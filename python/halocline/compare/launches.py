"""How the launches of a comparison went: what one that was stopped goes on from."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from halocline.reading import Count, Seconds, json_lines
from halocline.run_folder import drop_unended_line_of

NAME = "launches.jsonl"


@dataclass(frozen=True)
class Launched:
    """A launch of all sides: its cases, the seconds it took, those until its first case began."""

    launch: Count
    cases: Count
    took_s: Seconds
    starting_s: Seconds
    whole: bool  # whether no side failed


def read(folder: Path) -> tuple[Launched, ...]:
    """Those that ended; a line that its writer did not end is none."""
    path = folder / NAME
    if not path.exists():
        return ()
    return tuple(json_lines(path, Launched, "a launch of a comparison", "delete this line"))


def append(folder: Path, launched: Launched) -> None:
    """Note one more."""
    drop_unended_line_of(folder / NAME)
    with (folder / NAME).open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(launched)) + "\n")
