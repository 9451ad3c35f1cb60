"""TOML as text: written with tomlkit, and the line number of each key."""

from __future__ import annotations

import re
from collections.abc import Mapping

# In this order: a longer string's quotes begin like a shorter one's.
_TOKEN = re.compile(
    r"""(?P<text>\"{3}.*?\"{3}|'{3}.*?'{3}|"(?:\\.|[^"\\\n])*"|'[^'\n]*')"""
    r"""|(?P<comment>\#[^\n]*)|(?P<newline>\n)|(?P<mark>[\[\]{},=])|(?P<bare>[^\s\[\]{},=\#"']+)""",
    re.DOTALL,
)


def text_of(content: Mapping[str, object], comments: tuple[str, ...] = ()) -> str:
    """The TOML text of tables, lists and values, below comments of one line each."""
    import tomlkit  # noqa: PLC0415  # needed only to write TOML

    return "".join(f"# {_one_line(comment)}\n" for comment in comments) + tomlkit.dumps(content)


def _one_line(text: str) -> str:
    """Without line ends and control characters, which a comment must not have."""
    return "".join(letter if letter.isprintable() else "?" for letter in " ".join(text.split()))


def lines_of(text: str) -> dict[str, int]:
    """Line numbers (from 1) of a valid TOML text's `table`, `table.key` and `table.key[item]`.

    The tables of an array, `[[part]]`, are `part[0]`, `part[1]`, and so on.
    """
    lines: dict[str, int] = {}
    arrays: dict[str, int] = {}
    line, table, key = 1, "", ""
    statement: list[str] = []  # text before `=` on this line
    value: list[str] | None = None  # open brackets in the value
    item = 0
    for token in _TOKEN.finditer(text):
        kind, word = str(token.lastgroup), token.group()
        if kind == "newline" and not value:
            if statement and value is None:  # a [table] header
                table = _table("".join(statement), arrays)
                lines.setdefault(table, line)
            statement, value = [], None
        elif value is None and word == "=":
            key = ".".join(part for part in (table, "".join(statement)) if part)
            lines.setdefault(key, line)
            value, item = [], 0
        elif value is None and kind in ("text", "bare", "mark"):
            statement.append(word.strip("\"'"))
        elif value is not None and kind in ("text", "bare", "mark"):
            if value == ["["] and word not in ("]", ","):
                lines[f"{key}[{item}]"] = line
                item += 1
            if word in ("[", "{"):
                value.append(word)
            elif word in ("]", "}"):
                value.pop()
        line += word.count("\n")
    return lines


def _table(header: str, arrays: dict[str, int]) -> str:
    """The name of the table that `[name]` or `[[name]]` begins; counts the tables of arrays."""
    first, dot, rest = header.strip("[]").partition(".")
    if header.startswith("[["):
        arrays[first] = arrays.get(first, -1) + 1
    number = f"[{arrays[first]}]" if first in arrays else ""
    return f"{first}{number}{dot}{rest}"
