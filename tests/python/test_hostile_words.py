"""Command lines that nobody means: each ends in lines for people, with exit 2, and no traceback."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from conftest import Command

LONG = "x" * 300  # longer than a name may be
NOT_UTF_8 = "bad\udcff"  # as Python has the byte 255 of a command line
DIGITS = "9" * 5000
MOCK = ("--machine", "mock:1us", "--launches", "3", "--output", "out")
RUN = ("run", "pingpong", "bytes=8", "protocol=send_recv")
SIDES = ("--a", "machine=mock:1us", "--b", "machine=mock:2us", "pingpong", "bytes=8")
SUBMIT = ("submit", "pingpong", "layout=2N1P", "bytes=8", "--nodes", "2")

SIZES = ("1e400", "1e5000GiB", "8..9e400", "8..16+1e400", DIGITS, "8\n9", "NaN", "0x10", "..", "")
TIMES = ("1e400s", f"{DIGITS}s", "nans", "-1s", "1e308h")
PATHS = (LONG, f"a/{LONG}", NOT_UTF_8, "/dev/null", "/proc/1/x", "")

REFUSED: tuple[Sequence[str], ...] = (
    *(("run", "pingpong", f"bytes={size}", *MOCK) for size in SIZES),
    *((*RUN, *MOCK, "--budget", time) for time in TIMES),
    *((*RUN, *MOCK, "--deadline", time) for time in TIMES),
    *((*RUN, *MOCK, "--launches", text) for text in (DIGITS, "1..9999999999", "1e9", "-1")),
    *((*RUN, *MOCK, "--ranks", text) for text in ("9" * 30, DIGITS, "0")),
    *((*RUN, *MOCK, "--half-width", text) for text in ("inf", "nan", "1e-400")),
    *((*RUN, "--machine", f"mock:{time}") for time in (*TIMES, "1e-30s", "1us\n")),
    *((*RUN, "--machine", name) for name in (LONG, NOT_UTF_8, "../../etc/passwd", "\n")),
    *((*RUN, "--mpi", name) for name in (LONG, NOT_UTF_8, "../x", "\n", "")),
    *((*RUN, "--machine", "mock:1us", "--output", path) for path in PATHS[:-1]),
    *(("run", name) for name in (*PATHS, f"{LONG}.toml", f"{NOT_UTF_8}.toml", "\n.toml", ",")),
    *(("run", "--resume", path) for path in PATHS),
    *((*RUN, *MOCK, word) for word in ("=", "=8", f"{NOT_UTF_8}=1", "byt\nes=8", "protocol=\n")),
    *((*RUN, *MOCK, f"env.X={value}") for value in (NOT_UTF_8, "x" * 200_000, "$(x)", "a\nb")),
    *((*RUN, *MOCK, f"binding={value}") for value in (DIGITS + ",", "0,,1")),
    *((command, path) for command in ("report", "summary", "model") for path in PATHS),
    *(("compare", path, path) for path in PATHS),
    *(("compare", "--resume", path) for path in PATHS),
    *(("compare", *SIDES, "--output", path) for path in PATHS[:-1]),
    *(("compare", *SIDES, "--gate", text) for text in ("1e400%", "nan", f"{DIGITS}%")),
    *(("compare", *SIDES, "--budget", time) for time in TIMES),
    *(("compare", "--a", f"program={text}", "--b", "program=true") for text in ("'", LONG, "\n")),
    *(("tune", "pingpong", "bytes=8", "--try", f"env.X={text}") for text in ("a\nb", "`x`")),
    *(("tune", "pingpong", "bytes=8", "--settings", path) for path in (LONG, NOT_UTF_8, "/proc")),
    *((*SUBMIT, "--dry-run", "--time", time) for time in TIMES),
    *((*SUBMIT, "--dry-run", "--time", "2h", "--output", path) for path in (NOT_UTF_8, "a\nb")),
    *(("mpi", "adopt", path) for path in PATHS),
    *(("mpi", "remove", name) for name in (LONG, NOT_UTF_8, "../x", "")),
    *(("hosts", "up", count) for count in ("-1", "0", "9" * 30)),
    *(("hosts", "up", "2", "--rate", rate) for rate in ("1e400gbit", "1gbit\n", "")),
    *(("profile", command, LONG) for command in ("report", "summary", "replay")),
    *(("detect", "packets", "--machine", name) for name in (LONG, NOT_UTF_8)),
    (NOT_UTF_8,),
    (f"--{LONG}",),
)


def shown(words: Sequence[str]) -> str:
    return ascii(
        " ".join(word if len(word) < 40 else f"{word[:12]}...{len(word)}" for word in words)
    )


@pytest.mark.parametrize("words", REFUSED, ids=map(shown, REFUSED))
def test_it_is_refused(words: Sequence[str], command: Command) -> None:
    ended = command(*words)
    lines = ended.err.splitlines()
    assert ended.code == 2, ended
    assert "unexpected error" not in ended.err
    assert any(line.startswith("halocline: ") for line in lines)
    assert all(len(line) < 3000 for line in lines)


def test_a_report_where_nothing_can_be_written(command: Command) -> None:
    assert command(*RUN, *MOCK).code == 0
    for path, why in (("/proc/x", "No such file"), (f"{LONG}.html", "File name too long")):
        ended = command("report", "out", "--output", path)
        assert ended.code == 2, ended
        assert ended.err == f"halocline: {path}: {ended.err.partition(': ')[2].partition(': ')[2]}"
        assert why in ended.err
        assert "; name another file or folder" in ended.err


def test_a_current_folder_that_is_not_utf_8(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / NOT_UTF_8
    folder.mkdir()
    monkeypatch.chdir(folder)
    ended = command(*RUN, "--machine", "mock:1us", "--launches", "3", "--output", folder / "out")
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert "is not UTF-8 text; rename it" in ended.err
