"""One process at a time."""

from __future__ import annotations

import contextlib
import fcntl
from collections.abc import Callable, Iterator
from pathlib import Path

from halocline.base.files import NO_LOCKS

Say = Callable[[str], None]  # reports the progress of long work, one line at a time


@contextlib.contextmanager
def only_one(lock: Path, waiting: str, say: Say) -> Iterator[None]:
    """Hold the lock file during the block; says `waiting` if another process has it.

    Warns and continues on a file system without locks.
    """
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(waiting)
            fcntl.flock(file, fcntl.LOCK_EX)
        except OSError as error:
            if error.errno not in NO_LOCKS:
                raise
            say(f"{lock.parent}: no locks on this file system: start only one process at a time")
        yield
