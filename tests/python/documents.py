"""The project's pages, and the fenced blocks and tables in them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]

_FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_KEYS = re.compile(r"^\| (key|in .*?) \| type \| holds \|\n\|[-|]+\n((?:\|.*\n)+)", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, and its first line's number in the page."""

    language: str
    text: str
    line: int


@dataclass(frozen=True)
class Command:
    """A command line as a page shows it, and the lines of output below it."""

    words: str
    shown: tuple[str, ...]
    line: int


def pages() -> list[Path]:
    """README, CONTRIBUTING, CHANGELOG and everything in docs/."""
    return [*sorted(CHECKOUT.glob("*.md")), *sorted((CHECKOUT / "docs").rglob("*.md"))]


def name_of(page: Path) -> str:
    """The page's path in the checkout."""
    return str(page.relative_to(CHECKOUT))


def blocks(page: Path, *languages: str) -> list[Block]:
    """The fenced blocks of a page, in order; of these languages if any are given."""
    text = page.read_text(encoding="utf-8")
    found = [
        Block(match[1], match[2], text.count("\n", 0, match.start(2)) + 1)
        for match in _FENCED.finditer(text)
    ]
    return [block for block in found if not languages or block.language in languages]


def commands(block: Block) -> list[Command]:
    """The commands of a console block: lines that begin with `$ `, output below each.

    A line that ends with a backslash goes on in the next.
    """
    found: list[Command] = []
    lines = block.text.splitlines()
    number = 0
    while number < len(lines):
        first = number
        words = lines[first]
        if not words.startswith("$ "):
            raise ValueError(f"line {block.line + first}: output without a command before it")
        while lines[number].endswith("\\"):
            number += 1
            words += "\n" + lines[number]
        number += 1
        below = number
        while number < len(lines) and not lines[number].startswith("$ "):
            number += 1
        shown = tuple(line for line in lines[below:number] if line.strip())
        found.append(Command(words.removeprefix("$ "), shown, block.line + first))
    return found


def first_missing(shown: Sequence[str], printed: str) -> str | None:
    """The first line shown that is not printed after those before it; `…` stands for anything,
    alone on a line for any lines or none. Runs of spaces count as one.
    """
    lines = iter(" ".join(line.split()) for line in printed.splitlines())
    for line in (line for line in shown if line.strip() != "…"):
        pattern = re.compile(re.escape(" ".join(line.split())).replace("…", ".*"))
        if not any(pattern.fullmatch(candidate) for candidate in lines):
            return line
    return None


Tables = dict[str, dict[str, tuple[str, str]]]


def tables_in(section: str) -> Tables:
    """The tables `key | type | holds`: by object, such as `findings[]`, each key's type and words.

    `in a change` heads the table of what other tables give as the type of a key.
    """
    tables: Tables = {}
    for heading, rows in _KEYS.findall(section):
        table = tables.setdefault(re.sub(r"^(key|in (an? )?)|`", "", heading), {})
        for row in rows.splitlines():
            keys, kind, holds = row.strip("| ").split(" | ")
            table |= {key: (kind, holds) for key in re.findall(r"`(\w+)`", keys)}
    return tables
