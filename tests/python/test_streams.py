"""Output that nobody reads."""

from __future__ import annotations

import errno
import io
import os
import pty
import sys
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from halocline.cli import streams


@pytest.fixture
def unread() -> Iterator[int]:
    """The descriptor of a pipe without a reader."""
    reader, writer = os.pipe()
    os.close(reader)
    yield writer
    os.close(writer)


@pytest.mark.parametrize("ignored", [[errno.EPIPE], errno.errorcode])
def test_a_closed_pipe_is_ignored(unread: int, ignored: Collection[int]) -> None:
    stream = streams._stream(None, unread, ignored)
    for _ in range(3):
        print("much" * 10000, file=stream, flush=True)
    stream.close()


def test_a_full_disk_loses_the_answer_but_no_run() -> None:
    descriptor = os.open("/dev/full", os.O_WRONLY)
    try:
        print("progress", file=streams._stream(None, descriptor, errno.errorcode), flush=True)
        answer = streams._stream(None, descriptor, [errno.EPIPE])
        with pytest.raises(OSError, match="No space left"):
            print("answer", file=answer, flush=True)
        answer.close()  # the error was reported
    finally:
        os.close(descriptor)


def test_a_terminal_that_was_closed_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    keyboard, screen = pty.openpty()
    monkeypatch.setattr(os, "isatty", lambda _: True)
    ignored: list[Collection[int]] = []
    monkeypatch.setattr(streams, "_stream", lambda *words: ignored.append(words[2]))
    for name in ("stdout", "stderr"):  # pytest has replaced them
        monkeypatch.setattr(sys, name, getattr(sys, f"__{name}__"))
    streams.secure()
    monkeypatch.undo()
    os.close(keyboard)
    with pytest.raises(OSError, match="Input/output"):
        os.write(screen, b"lost")
    print("answer", file=streams._stream(None, screen, ignored[0]), flush=True)
    os.close(screen)


def test_a_locale_without_a_sign_gets_its_code() -> None:
    reader, writer = os.pipe()
    before = io.TextIOWrapper(io.BytesIO(), encoding="latin-1")
    print("1 ± 2 µs ✓", file=streams._stream(before, writer, errno.errorcode), flush=True)
    os.close(writer)
    with open(reader, "rb") as stream:
        assert stream.read() == "1 ± 2 µs \\u2713\n".encode("latin-1")


def test_an_error_handler_of_the_user_stays() -> None:
    reader, writer = os.pipe()
    before = io.TextIOWrapper(io.BytesIO(), encoding="latin-1", errors="replace")
    print("✓", file=streams._stream(before, writer, errno.errorcode), flush=True)
    os.close(writer)
    with open(reader, "rb") as stream:
        assert stream.read() == b"?\n"


def test_a_pipe_that_does_not_block_loses_nothing() -> None:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    text = "much" * 100_000  # more than the pipe holds
    with ThreadPoolExecutor() as pool, open(reader, encoding="utf-8") as stream:
        read = pool.submit(stream.read)
        print(text, file=streams._stream(None, writer, errno.errorcode), flush=True)
        os.close(writer)
        assert read.result() == f"{text}\n"


def test_streams_of_others_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    before = sys.stdout, sys.stderr
    monkeypatch.setattr(sys, "__stdout__", None)
    monkeypatch.setattr(sys, "__stderr__", None)
    streams.secure()
    assert (sys.stdout, sys.stderr) == before
