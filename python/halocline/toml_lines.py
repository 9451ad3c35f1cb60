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
    """Line numbers (from 1) of a valid TOML text's `table`, `table.key` and `table.key[item]`."""
    lines: dict[str, int] = {}
    line, table, key, depth, item = 1, "", "", 0, 0
    statement: list[str] = []  # what stands before `=` on this line
    in_value = False
    for token in _TOKEN.finditer(text):
        kind, word = str(token.lastgroup), token.group()
        if kind == "newline" and depth == 0:
            if statement and not in_value:  # a [table] header
                table = "".join(statement).strip("[]")
                lines.setdefault(table, line)
            statement, in_value = [], False
        elif not in_value and word == "=":
            key = ".".join(part for part in (table, "".join(statement)) if part)
            lines.setdefault(key, line)
            in_value, item = True, 0
        elif not in_value and kind in ("text", "bare", "mark"):
            statement.append(word.strip("\"'"))
        elif in_value and kind == "mark":
            depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(word, 0)
        elif in_value and kind in ("text", "bare") and depth == 1:
            lines[f"{key}[{item}]"] = line
            item += 1
        line += word.count("\n")
    return lines
