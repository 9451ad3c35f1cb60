"""Fortran's three interfaces and mpi4py are counted as C is, at the lines that call."""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

import pytest

from halocline.profile.profile import Profile
from profiles.programs import SOURCES, Programs, total

pytestmark = pytest.mark.launches

RANKS = 2
# Calls of each rank, and the bytes that they send and receive.
COUNTS = {
    "Init": 1,
    "Comm_rank": 1,
    "Comm_size": 1,
    "Irecv": 10,
    "Isend": 10,
    "Waitall": 10,
    "Allreduce": 4,
    "Barrier": 1,
    "Finalize": 1,
}
MOVED = 10 * 64 + 10 * 64 + 2 * 4 * 64


@pytest.mark.parametrize("source", ["ring.f", "ring.f90", "ring_f08.f90"])
@pytest.mark.parametrize("library", ["debian-mpich", "debian-openmpi"])
@pytest.mark.parametrize("flags", [(), ("-fno-plt",)], ids=" ".join)
def test_fortran(
    library: str, source: str, flags: tuple[str, ...], programs: Programs, tmp_path: Path
) -> None:
    program = programs.build(library, source, *flags)
    ended = programs.profile(library, program, ranks=RANKS, folder=tmp_path / "p")
    profile = ended.profile
    assert ended.code == 0
    for rank in range(RANKS):
        assert {name: total(profile, rank, name) for name in COUNTS} == COUNTS
    assert sum(total(profile, rank) for rank in range(RANKS)) == RANKS * sum(COUNTS.values())
    assert _moved(profile) == RANKS * MOVED
    assert {Path(site.file).name for site in profile.sites} == {source}


def test_mpi4py(programs: Programs, tmp_path: Path) -> None:
    """It calls the large-count functions, and takes some by their names at run time."""
    command = (sys.executable, SOURCES / "ring.py")
    profile = programs.profile("mpich-abi", *command, ranks=RANKS, folder=tmp_path / "p").profile
    for rank in range(RANKS):
        for name in ("Isend", "Irecv", "Waitall", "Allreduce", "Barrier", "Finalize"):
            large = f"{name}_c" if f"MPI_{name}_c" in profile.functions else name
            both = {total(profile, rank, name), total(profile, rank, large)}
            assert both | {0} == {COUNTS[name], 0}, name
    assert _moved(profile) == RANKS * MOVED
    script = (SOURCES / "ring.py").read_text(encoding="utf-8").splitlines()
    calls = profile.calls
    places = {*zip(calls.function.tolist(), calls.site.tolist(), strict=True)}
    named = ("Irecv", "Isend", "Waitall", "Allreduce", "Barrier")
    found = defaultdict(set)
    for function, site in places:
        name = profile.functions[function].removeprefix("MPI_").removesuffix("_c")
        place = profile.sites[site]
        if name in named:
            assert place.file == str(SOURCES / "ring.py")
            assert f".{name}(" in script[place.line - 1]
            found[name].add(place.line)
    assert [len(found[name]) for name in named] == [1, 1, 1, 2, 1]


def _moved(profile: Profile) -> int:
    return int(profile.calls.bytes_sent.sum() + profile.calls.bytes_received.sum())
