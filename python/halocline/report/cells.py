"""The contents of a page's tables: texts, ready to print."""

from __future__ import annotations

from dataclasses import dataclass

NOTHING = "–"


@dataclass(frozen=True)
class Cell:
    """A value with its uncertainty, or a word instead."""

    value: str
    spread: str = ""
    note: str = ""


@dataclass(frozen=True)
class Table:
    """Rows under column heads; `keys` of a row are its own heads."""

    caption: str
    key_heads: tuple[str, ...]
    heads: tuple[str, ...]
    rows: tuple[tuple[tuple[str, ...], tuple[Cell, ...]], ...]
