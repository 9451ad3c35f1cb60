"""stdout and stderr that fail no command because nobody reads them."""

from __future__ import annotations

import codecs
import errno
import io
import os
import select
import sys
from collections.abc import Collection
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


def secure() -> None:
    """Let the command end with its own exit code, whatever becomes of its output.

    On stdout, a closed pipe or terminal is ignored; a full disk is an error, as the answer is lost.
    On stderr, all errors are ignored: a run outlives its terminal.
    """
    _open_closed()
    if sys.stdout is sys.__stdout__:
        sys.stdout = _stream(sys.stdout, 1, [errno.EPIPE, *([errno.EIO] if os.isatty(1) else [])])
    if sys.stderr is sys.__stderr__:
        sys.stderr = _stream(sys.stderr, 2, errno.errorcode)


def _open_closed() -> None:
    """Otherwise the next file that is opened would be taken for a standard stream."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # the lowest free one


def _stream(before: TextIO | None, descriptor: int, ignored: Collection[int]) -> TextIO:
    buffer = io.BufferedWriter(_Descriptor(descriptor, ignored))
    if not isinstance(before, io.TextIOWrapper):  # it was closed
        return io.TextIOWrapper(buffer, encoding="utf-8", errors="replace")
    lacking = codecs.lookup(before.encoding).name != "utf-8"  # ±, µ and more
    return io.TextIOWrapper(
        buffer,
        encoding=before.encoding,
        errors="backslashreplace" if lacking and before.errors == "strict" else before.errors,
        line_buffering=before.line_buffering or before.write_through,
    )


class _Descriptor(io.FileIO):
    """A descriptor that discards what it cannot write because of an error to be ignored.

    Any other error is raised once: Python would try again at its end, and exit with 120.
    """

    def __init__(self, descriptor: int, ignored: Collection[int]) -> None:
        super().__init__(descriptor, "w", closefd=False)
        self._ignored = ignored

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            while (written := super().write(data)) is None:  # another program made it non-blocking
                select.select([], [self], [])
            return written
        except OSError as error:
            if error.errno not in self._ignored:
                self._ignored = errno.errorcode
                raise
            return memoryview(data).nbytes
