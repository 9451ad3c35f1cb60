"""The command as a whole: help, version, quick start, quiet end."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from conftest import Command
from halocline import __version__
from halocline.base.errors import Terminated

PROGRAM = "from halocline.cli.main import main; main()"
COMMANDS = (
    "survey",
    "run",
    "submit",
    "list",
    "report",
    "summary",
    "compare",
    "selftest",
    "tune",
    "verify",
    "detect",
    "model",
    "findings",
    "doctor",
    "docs",
    "profile",
    "mpi",
    "hosts",
)
MPI = ("list", "add", "adopt", "remove")
PROFILE = ("record", "report", "summary", "export", "replay")
HOSTS = ("up", "down", "list", "exec")
SLOW = ("numpy", "scipy", "altair", "vl_convert", "jinja2")


def test_version(command: Command) -> None:
    assert command("--version").out == f"halocline {__version__}\n"


def test_options_after_a_host_belong_to_its_program(command: Command) -> None:
    for word in ("-h", "--help"):
        ended = command("hosts", "exec", "host1", "df", word)
        assert ended.code == 2
        assert "no hosts are up" in ended.err


def test_without_a_command_it_says_what_there_is(command: Command) -> None:
    bare, asked = command(), command("--help")
    assert bare == asked
    assert bare.code == 0
    listed = [line.split()[0] for line in bare.out.partition("Commands:")[2].splitlines()[1:]]
    assert tuple(listed) == COMMANDS


@pytest.mark.parametrize(
    "name",
    [
        *COMMANDS,
        *(f"profile {name}" for name in PROFILE),
        *(f"mpi {name}" for name in MPI),
        *(f"hosts {name}" for name in HOSTS),
    ],
)
def test_each_help_has_an_example(name: str, command: Command) -> None:
    ended = command(*name.split(), "--help")
    assert (ended.code, ended.err) == (0, "")
    assert f"Example: halocline {name}" in " ".join(ended.out.split())


@pytest.mark.parametrize("name", ["", *COMMANDS, "mpi add", "profile record"])
def test_h_is_help(name: str, command: Command) -> None:
    assert command(*name.split(), "-h") == command(*name.split(), "--help")


@pytest.mark.parametrize("name", ["profile", "mpi", "hosts"])
def test_a_group_alone_prints_its_help(name: str, command: Command) -> None:
    ended = command(name)
    assert (ended.code, ended.err) == (0, "")
    assert ended == command(name, "--help")


@pytest.mark.parametrize(
    ("words", "offered"),
    [("halocline su", "summary"), ("halocline mpi a", "adopt"), ("halocline run --ra", "--ranks")],
)
def test_a_shell_completes_words(
    command: Command, monkeypatch: pytest.MonkeyPatch, words: str, offered: str
) -> None:
    # Whoever starts the tests need not be a shell: cron and services are none.
    monkeypatch.setattr("shellingham.detect_shell", lambda *_: ("bash", "/bin/bash"))
    assert "complete -o default" in command("--show-completion").out
    monkeypatch.setenv("_HALOCLINE_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
    ended = command()
    assert (ended.code, ended.err) == (0, "")
    assert offered in ended.out.split()


@pytest.mark.launches
def test_help_loads_nothing_that_is_slow() -> None:
    look = f"import sys\ntry:\n  {PROGRAM}\nexcept SystemExit:\n  pass\n"
    look += f"print([name for name in {SLOW} if name in sys.modules])"
    ended = subprocess.run(
        [sys.executable, "-c", look, "--help"], capture_output=True, text=True, check=True
    )
    assert ended.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("stop", "code", "word"),
    [(KeyboardInterrupt(), 130, "interrupted"), (Terminated(), 143, "terminated")],
)
def test_a_stop_before_there_is_anything_to_save(
    stop: KeyboardInterrupt,
    code: int,
    word: str,
    command: Command,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def stopped() -> None:
        raise stop

    monkeypatch.setattr("halocline.cli.run.known", stopped)
    ended = command("run", "pingpong")
    assert (ended.code, ended.out, ended.err) == (code, "", f"halocline: {word}\n")


@pytest.mark.launches
@pytest.mark.parametrize(
    ("words", "code"), [(("run", "--help"), 0), (("doctor", "--ranks", "9999", "--json"), 1)]
)
def test_a_reader_that_has_seen_enough_is_no_error(words: tuple[str, ...], code: int) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    program = [sys.executable, "-c", PROGRAM, *words]
    ended = subprocess.run(program, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert (ended.returncode, ended.stderr) == (code, "")


@pytest.mark.launches
@pytest.mark.parametrize(
    ("words", "code", "err"),
    [
        ("--version >&-", 0, ""),
        ("doctor --ranks 9999 >&- 2>&- <&-", 1, ""),
        ("list --json > /dev/full", 1, "halocline: no space left on the disk; free some space"),
        ("--version > /dev/full", 1, "halocline: no space left on the disk; free some space"),
        ("run --help > /dev/full", 1, "halocline: no space left on the disk; free some space"),
    ],
)
def test_where_output_cannot_go(words: str, code: int, err: str) -> None:
    shell = ["sh", "-c", f'"$@" {words}', "sh", sys.executable, "-c", PROGRAM]
    ended = subprocess.run(shell, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (code, "")
    assert ended.stderr.partition(" and")[0].rstrip() == err
