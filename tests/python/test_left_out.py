"""What a run had no time for."""

from __future__ import annotations

from pathlib import Path

import pytest

from halocline.base.errors import UserError
from halocline.samples.left_out import NAME, LeftOut, read, to_text

KERNELS = LeftOut("mpich", "kernels", ("a", "b"), 80.4)


def test_it_is_read_as_it_was_written(tmp_path: Path) -> None:
    assert read(tmp_path) == ()
    (tmp_path / NAME).write_text(to_text([KERNELS]), encoding="utf-8")
    assert read(tmp_path) == (KERNELS,)
    assert KERNELS.reason == "left out for time: 'kernels' needs about 1 min 20 s more"


def test_a_guess_is_called_one() -> None:
    guess = LeftOut("mpich", "kernels", ("a",), 80.4, guessed=True)
    assert guess.reason == (
        "left out for time: 'kernels' was not started and, judged by other workloads, needs about "
        "1 min 20 s more"
    )


@pytest.mark.parametrize("text", ["", "[]", '{"schema": 2}', '{"schema": 1, "left_out": [{}]}'])
def test_a_damaged_file_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / NAME).write_text(text)
    with pytest.raises(UserError, match=f"{NAME}: not the list of what was left out: .*; delete"):
        read(tmp_path)
