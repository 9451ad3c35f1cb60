"""Fixtures of the tests of profiles."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest

from halocline.launch.processes import SHARED_MEMORY, mapped_by_anyone
from profiles.programs import Programs

MAPPED_AFTER_S = 1.0  # by then a rank has mapped the shared memory that it made


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    return Programs(tmp_path_factory.mktemp("programs"))


@pytest.fixture(scope="module")
def no_shared_memory_left() -> Iterator[None]:
    """Removes what killed ranks leave; it may be another test's as long as it is mapped."""
    before = set(SHARED_MEMORY.iterdir())
    yield
    for file in set(SHARED_MEMORY.glob("mpich_shm_*")) - before:
        with suppress(FileNotFoundError):
            status = file.stat()
            is_old = time.time() - status.st_mtime > MAPPED_AFTER_S
            if is_old and status.st_uid == os.getuid() and not mapped_by_anyone(file):
                file.unlink()
