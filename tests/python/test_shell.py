"""Commands that messages offer for pasting."""

from __future__ import annotations

from pathlib import Path

from halocline.base.shell import pasted


def test_a_path_with_blanks_is_one_word() -> None:
    assert (
        pasted("halocline", "run", "--resume", Path("runs/1")) == "`halocline run --resume runs/1`"
    )
    assert pasted("halocline", "report", Path("my run")) == "`halocline report 'my run'`"
