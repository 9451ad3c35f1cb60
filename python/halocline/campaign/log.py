"""The launch log: a line for each launch that ended, from which a campaign resumes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from halocline.base.reading import Count, Seconds, json_lines
from halocline.samples.run_folder import drop_unended_line_of

NAME = "launches.jsonl"


class Launched(Struct, kw_only=True):
    """A launch: its cases, its duration, the time to its first case, and whether it failed.

    `turn` is the round in which every group of cases is launched once, in `of_turn` launches.
    """

    launch: Count
    cases: Count
    starting_s: Seconds
    whole: bool  # nothing in it failed
    took_s: Seconds = -1.0
    name: str = ""
    turn: Count = 0  # 0: a turn of its own
    of_turn: Annotated[int, Meta(ge=1)] = 1
    rung: Count = 0
    jobs: Annotated[int, Meta(ge=1)] = 1
    out: dict[str, str] = {}  # exclusions from further launches, with reasons
    seconds: Seconds | UnsetType = UNSET  # took_s, in searches of 21 to 23 November 2026

    def __post_init__(self) -> None:
        if self.seconds is not UNSET:
            self.took_s, self.seconds = self.seconds, UNSET
        if self.took_s < 0:
            raise ValueError("missing field took_s")


class Log:
    """The launches of a folder, including earlier ones."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._path = folder / NAME
        self._entries = list(read(folder))
        drop_unended_line_of(self._path)

    @property
    def entries(self) -> Sequence[Launched]:
        """All launches, in their order."""
        return self._entries

    @property
    def next_turn(self) -> int:
        """The number of the next turn."""
        return 1 + max((entry.turn for entry in self._entries), default=0)

    @property
    def spent_s(self) -> float:
        """The seconds of all launches."""
        return sum(entry.took_s for entry in self._entries)

    def append(self, entry: Launched) -> None:
        """Append a launch."""
        self._entries.append(entry)
        with self._path.open("ab") as file:
            file.write(msgspec.json.encode(entry) + b"\n")


def read(folder: Path) -> tuple[Launched, ...]:
    """The launches that ended; an incomplete last line is ignored."""
    path = folder / NAME
    if not path.exists():
        return ()
    return tuple(json_lines(path, Launched, "a launch", "delete this line and resume"))


def of_turns(entries: Sequence[Launched]) -> tuple[Launched, ...]:
    """One entry per turn: sums over its launches, `whole` if all succeeded."""
    launches = []
    for _, group in groupby(enumerate(entries), key=lambda one: one[1].turn or -one[0]):
        own = [entry for _, entry in group]
        launches.append(
            Launched(
                launch=max(entry.launch for entry in own),
                cases=sum(entry.cases for entry in own),
                starting_s=sum(entry.starting_s for entry in own),
                whole=all(entry.whole for entry in own) and len(own) == own[0].of_turn,
                took_s=sum(entry.took_s for entry in own),
                turn=own[0].turn,
            )
        )
    return tuple(launches)
