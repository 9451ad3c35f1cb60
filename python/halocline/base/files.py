"""Files that are written as a whole or not at all. Standard library only."""

from __future__ import annotations

import errno
import os
import re
import secrets
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from halocline.base.errors import UserError

NO_SPACE = (errno.ENOSPC, errno.EDQUOT)
NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)  # some mounts of Lustre and NFS
LOCK = ".lock"  # in a folder that one process at a time writes into
_NO_FILE_NAME = re.compile(r"[^\w.=+-]+")
_LONGEST_BYTES = 200  # file systems allow 255; ends such as `-12.log` are added


def file_name(words: str) -> str:
    """Words as the name of a file, without blanks and separators; long ones end in a checksum."""
    name = _NO_FILE_NAME.sub("_", words)
    content = name.encode()
    if len(content) <= _LONGEST_BYTES:
        return name
    checksum = f"-{zlib.crc32(words.encode()):08x}"
    begin = content[: _LONGEST_BYTES - len(checksum)].decode(errors="ignore")
    return f"{begin}{checksum}"


def files_in(folder: Path) -> list[Path]:
    """What a folder holds, without its hidden lock, which `rm -r *` leaves behind."""
    return [file for file in folder.iterdir() if file.name != LOCK]


def replace(path: Path, text: str) -> None:
    """Write a file atomically: a reader sees the old one or the new one, never a part.

    A device or a pipe is written to, never replaced by a file; a link stays one.
    """
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8")
        return
    with replacing(path.resolve() if path.is_symlink() else path) as draft:
        draft.write_text(text, encoding="utf-8")


def require_kind(path: Path, begins: bytes, kind: str, option: str, *, within: bytes = b"") -> None:
    """UserError if a file that goes there would replace other data: what does not begin like it.

    `kind` says what it is, as in "a page of Halocline"; case does not matter in `begins`. `within`
    is in its first kilobyte.
    """
    if path.is_file() and path.stat().st_size:
        with path.open("rb") as file:
            head = file.read(1024)
            if head[: len(begins)].lower() != begins.lower() or within not in head:
                problem = f"{path} is not {kind}"
                raise UserError(problem, remedy=f"choose another file with {option}")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A draft to write during the block, which then replaces the file; removed if that fails."""
    # Nodes and containers with the same home may have the same pids.
    draft = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}")
    try:
        yield draft
        draft.replace(path)
    except OSError as error:
        if error.filename in (None, str(draft)):  # hides the temporary file
            error.filename, error.filename2 = str(path), None
        raise
    finally:
        with suppress(OSError):
            draft.unlink()


@contextmanager
def writing_into(folder: Path) -> Iterator[None]:
    """UserError if a new folder cannot be written; a full disk is no fault of its path."""
    try:
        yield
    except OSError as error:
        if error.errno in NO_SPACE:
            raise
        problem = f"cannot write into {folder}: {error.strerror}"
        raise UserError(problem, remedy="choose another folder with --output") from None
    except RecursionError:  # of mkdir
        problem = f"cannot write into {folder}: too many folders within one another"
        raise UserError(problem, remedy="choose another folder with --output") from None
