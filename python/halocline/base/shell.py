"""Commands in messages, as a shell takes them."""

from __future__ import annotations

import shlex
from pathlib import Path


def pasted(*words: str | Path) -> str:
    """A command in backquotes, for pasting: words with blanks are quoted."""
    return f"`{shlex.join(map(str, words))}`"
