"""Threads count for themselves: none waits for another, and none loses a call."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from halocline.profile.totals import Totals
from profiles.programs import Programs, total

pytestmark = pytest.mark.launches

THREADS, CALLS = 16, 10_000


@pytest.mark.parametrize("library", ["mpich-abi", "openmpi-5"])
def test_calls_of_threads_are_exact(library: str, programs: Programs, tmp_path: Path) -> None:
    program = programs.build(library, "threads.c")
    ended = programs.profile(library, program, ranks=1, folder=tmp_path / "p")
    profile = ended.profile
    assert ended.code == 0
    assert total(profile, 0, "Iprobe") == 2 * THREADS * CALLS
    assert total(profile, 0, "Sendrecv") == 2 * THREADS * CALLS // 100
    sizes = range(1, THREADS + 1)
    assert int(profile.calls.bytes_sent.sum()) == 2 * sum(sizes) * CALLS // 100
    # Threads that are gone leave their tables to later ones.
    assert Totals(profile).share_of_communication <= 1
    assert "100% of the time" in ended.err or re.search(r" \d?\d% of the time", ended.err)
    assert THREADS <= profile.ranks[0].threads <= 2 * THREADS + 1
    assert len(profile.communicators) >= THREADS + 1
    # One thread at a time notes the memory.
    assert (np.diff(profile.memory.t_ns) > 0).all()
