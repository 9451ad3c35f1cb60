"""What other hosts of a job are asked, and what they answer."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from halocline.launch import elsewhere, turns
from halocline.launch.elsewhere import AGENT, HOSTS, REACH, Unprepared, clean_hosts, prepare


def make_job(folder: Path, reach: str) -> None:
    """The directory of a job on another host, which is reached by this script."""
    (folder / HOSTS).write_text("there\n", encoding="utf-8")
    (folder / "cases").write_text("", encoding="utf-8")
    for name in (AGENT, REACH):
        (folder / name).write_text(f"#!/bin/sh\n{reach}\n", encoding="utf-8")


def test_a_shell_may_greet_before_it_answers(tmp_path: Path) -> None:
    make_job(tmp_path, "echo 'Welcome to there'; echo '[4711]'")
    assert clean_hosts(tmp_path) == (["4711 on there"], [])


@pytest.mark.parametrize("reach", ["exit 1", "echo Welcome", "exec /nonexistent"])
def test_a_host_without_an_answer_is_named(tmp_path: Path, reach: str) -> None:
    make_job(tmp_path, reach)
    assert clean_hosts(tmp_path) == ([], ["there"])


def test_the_reason_is_the_last_line_not_a_banner(tmp_path: Path) -> None:
    make_job(
        tmp_path, "echo '*** Authorized use only ***' >&2; echo 'Permission denied' >&2; exit 1"
    )
    with pytest.raises(Unprepared, match=r"^there cannot be reached: Permission denied$"):
        prepare(tmp_path, {}, 10.0, lambda: False)


def test_a_script_is_passed_on_in_one_line_without_an_exclamation_mark() -> None:
    script = '#!/bin/sh\n# it\'s \\one\nexec "$@" 50%\n'
    word = elsewhere._one_line(script)
    assert "\n" not in word and "!" not in word
    done = subprocess.run(
        ["/bin/sh", "-c", f"printf %b {word}"], check=True, capture_output=True, text=True
    )
    assert done.stdout == script


def test_this_host_by_its_address() -> None:
    assert turns._is_here("127.0.0.1")
    assert not turns._is_here("x" * 64)
