"""Whatever ends a program: its calls are recorded, its exit code is its own, nothing hangs."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from signal import SIGABRT, SIGKILL, SIGTERM

import pytest

from halocline.profile.parts import read_part
from halocline.profile.store import load
from profiles.programs import Programs, library_of, total, wait_for_calls

pytestmark = [pytest.mark.launches, pytest.mark.usefixtures("no_shared_memory_left")]

RANKS = 2
ENDED = {
    "MPI_Abort": "MPI_Abort",
    "SIGSEGV": "killed or crashed",
    "SIGKILL": "killed or crashed",
    "_exit": "exit without MPI_Finalize",
    "abort": "killed or crashed",
    "SIGTERM": "killed or crashed",
    "exit": "exit without MPI_Finalize",
}
# MPICH's launcher gives the end that it hears of first: rank 1's, or that of a rank that it killed.
HEARD_FIRST: dict[str, set[int]] = {
    "abort": {SIGABRT, SIGTERM},
    "exit": {5, SIGKILL},
    "_exit": {5, SIGKILL},
}


@pytest.mark.parametrize("how", ENDED)
@pytest.mark.parametrize("library", ["mpich-abi", "openmpi-5"])
def test_no_call_is_lost(library: str, how: str, programs: Programs, tmp_path: Path) -> None:
    program = programs.build(library, "death.c")
    ended = programs.profile(library, program, how, ranks=RANKS, folder=tmp_path / "p")
    either = HEARD_FIRST.get(how, set()) if library == "mpich-abi" else set()
    assert ended.code in either | {_bare(library, program, how)}
    profile = ended.profile
    for rank in range(RANKS):
        assert total(profile, rank, "Iprobe") == 1000
        assert total(profile, rank, "Init") == total(profile, rank, "Barrier") == 1
    assert profile.ranks[1].ended == ENDED[how]


def _bare(library: str, program: Path, how: str) -> int:
    chosen = library_of(library)
    return subprocess.run(
        [str(chosen.launcher), "-n", str(RANKS), str(program), how],
        env={**os.environ, **chosen.settings},
        capture_output=True,
        timeout=60,
        check=False,
    ).returncode


def test_a_profile_is_read_where_even_the_recording_was_killed(
    programs: Programs, tmp_path: Path
) -> None:
    program = programs.build("mpich-abi", "death.c")
    folder = tmp_path / "p"
    with programs.started("mpich-abi", program, "nothing", ranks=RANKS, folder=folder) as job:
        wait_for_calls(folder, RANKS, 1003)
        os.killpg(job.pid, 9)
    profile = load(folder)
    assert [total(profile, rank, "Iprobe") for rank in range(RANKS)] == [1000] * RANKS
    assert profile.exit_code is None
    assert {Path(site.file).name for site in profile.sites if site.line} == {"death.c"}
    assert not profile.missing
    parts = [part for part in map(read_part, folder.glob("*.part")) if part]
    next(part.file for part in parts if part.rank == 1).unlink()
    assert load(folder).missing == (1,)
