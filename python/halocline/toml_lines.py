"""On which line of a TOML text each key and each list item stands: `tomllib` does not tell."""

from __future__ import annotations

import re

# In this order: a longer string's quotes begin like a shorter one's.
_TOKEN = re.compile(
    r"""(?P<text>\"{3}.*?\"{3}|'{3}.*?'{3}|"(?:\\.|[^"\\\n])*"|'[^'\n]*')"""
    r"""|(?P<comment>\#[^\n]*)|(?P<newline>\n)|(?P<mark>[\[\]{},=])|(?P<bare>[^\s\[\]{},=\#"']+)""",
    re.DOTALL,
)


def lines_of(text: str) -> dict[str, int]:
    """Line numbers (from 1) of a valid TOML text's `table`, `table.key` and `table.key[item]`.

    The tables of an array, `[[part]]`, are `part[0]`, `part[1]`, and so on.
    """
    lines: dict[str, int] = {}
    arrays: dict[str, int] = {}
    line, table, key = 1, "", ""
    statement: list[str] = []  # what stands before `=` on this line
    value: list[str] | None = None  # the brackets that are open in the value
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
    """The name of the table that `[name]` or `[[name]]` begins; counts those of each array."""
    first, dot, rest = header.strip("[]").partition(".")
    if header.startswith("[["):
        arrays[first] = arrays.get(first, -1) + 1
    number = f"[{arrays[first]}]" if first in arrays else ""
    return f"{first}{number}{dot}{rest}"
