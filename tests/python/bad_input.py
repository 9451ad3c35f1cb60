"""Faults in what a user gives, and the error message for each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from conftest import Command

HEAD = 'schema = 1\n[experiment]\nworkloads = ["pingpong"]\n'


@dataclass(frozen=True)
class Bad:
    """A command line, and what each line on stderr says after `halocline: `."""

    words: str
    lines: tuple[str, ...]
    file: str | None = None  # the content of bad.toml
    place: Callable[[Command], None] | None = None  # what is there before


def file(content: str, *lines: str, words: str = "run bad.toml") -> Bad:
    return Bad(words, tuple(f"bad.toml:{line}" for line in lines), file=content)


def reported_with_its_remedy(bad: Bad, command: Command) -> None:
    """Runs the command: it must end with 2, print these lines alone, and leave nothing behind."""
    if bad.file is not None:
        Path("bad.toml").write_text(bad.file, encoding="utf-8")
    if bad.place is not None:
        bad.place(command)
    before = sorted(Path().rglob("*"))
    ended = command(*bad.words.split())
    lines = [
        line.replace(f"{Path.cwd()}/", "")
        for line in ended.err.splitlines()
        if line != f"mpicxx: trying {Path.cwd()}/mpicxx"  # said while it is tried
    ]
    assert ended.code == 2, ended
    assert len(lines) == len(bad.lines), ended.err
    for line, expected in zip(lines, bad.lines, strict=True):
        assert line.startswith(f"halocline: {expected}")
        assert "; " in line, "no remedy"
    assert ended.out == ""
    assert sorted(Path().rglob("*")) == before
