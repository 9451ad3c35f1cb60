"""What `halocline profile workload` refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import Command


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "nothing to profile"),
        (("pingpong", "--resume", "x"), "'pingpong' together with --resume"),
        (("--resume", "nowhere"), "nowhere does not exist"),
        (("FILE",), "a profile needs ranks that run here"),
    ],
)
def test_what_cannot_be_profiled(
    words: tuple[str, ...], said: str, command: Command, tmp_path: Path
) -> None:
    file = tmp_path / "mock.toml"
    file.write_text(
        'schema = 1\n[experiment]\ntitle = "mock"\nworkloads = ["pingpong"]\n'
        'machine = "mock:1us"\n[axes]\nbytes = [8]\nprotocol = ["send_recv"]\n'
    )
    ended = command("profile", "workload", *(str(file) if w == "FILE" else w for w in words))
    assert ended.code == 2
    assert said in ended.err
