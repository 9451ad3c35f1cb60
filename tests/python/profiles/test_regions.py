"""Parts that a program names, its memory, and its last calls one by one."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from halocline.base.parts import scripts
from halocline.profile.profile import Profile
from profiles.programs import SOURCES, Programs

pytestmark = pytest.mark.launches

API = SOURCES.parents[3] / "src/profiler"
MEBIBYTE = 1 << 20


def _regions(profile: Profile, rank: int) -> dict[str, tuple[int, int]]:
    table = profile.regions.where(profile.regions.rank == rank)
    return {
        profile.region_names[region]: (int(count), int(moved))
        for region, count, moved in zip(table.region, table.count, table.bytes, strict=True)
    }


@pytest.fixture(scope="module")
def program(programs: Programs, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("regions") / "regions"
    words = [scripts() / "mpicc_abi", f"-I{API}", SOURCES / "regions.c", "-o", place]
    subprocess.run(list(map(str, words)), check=True)
    return place


@pytest.mark.parametrize("abort", [False, True])
def test_regions_and_memory(abort: bool, program: Path, programs: Programs, tmp_path: Path) -> None:
    words = [program, "abort"] if abort else [program]
    ended = programs.profile("mpich-abi", *words, ranks=2, folder=tmp_path / "p")
    assert (ended.code == 0) is not abort, ended.err
    profile = ended.profile
    for rank in profile.ranks:
        found = _regions(profile, rank.rank)
        assert {name: of for name, of in found.items() if of != (0, 0)} == {
            "step": (3, 3 * 6 * 8),
            "solve": (3, 3 * 5 * 8),
        }
        assert rank.peak_memory_bytes > 64 * MEBIBYTE
        now = profile.memory.where(profile.memory.rank == rank.rank)
        assert len(now)
        assert now.resident_bytes.max() <= rank.peak_memory_bytes
        assert (np.diff(now.t_ns) > 0).all()
    assert (profile.regions.mpi_ns <= profile.regions.time_ns).all()
    solve = profile.regions.region == profile.region_names.index("solve")
    assert (profile.regions.time_ns[solve] >= 3 * 20_000_000).all()


def test_names_of_regions_and_their_depth(programs: Programs, tmp_path: Path) -> None:
    program = programs.build("mpich-abi", "region_names.c", f"-I{API}")
    ended = programs.profile("mpich-abi", program, ranks=1, folder=tmp_path / "p")
    assert ended.code == 0, ended.err
    assert _regions(ended.profile, 0) == {
        "W\N{LATIN SMALL LETTER A WITH DIAERESIS}rme \u6d77 \N{WATER WAVE}": (1, 8),
        "sixty-three bytes are the longest name that a region may have..": (1, 8),
        "outer": (1, 2 * 8),
        "deep": (15, 15 * 8),
    }
    # Five that were too deep, and a name that is too long where it begins and where it ends.
    assert ended.profile.ranks[0].untracked == 5 + 2


def test_regions_from_fortran(programs: Programs, tmp_path: Path) -> None:
    place = tmp_path / "regions"
    sources = [API / "halocline_regions.f90", SOURCES / "regions.f90"]
    words = ["mpifort.openmpi", f"-J{tmp_path}", *sources, "-o", place]
    subprocess.run(list(map(str, words)), check=True)
    ended = programs.profile("debian-openmpi", place, ranks=1, folder=tmp_path / "p")
    assert ended.code == 0, ended.err
    assert _regions(ended.profile, 0) == {"physics": (1, 0)}


def test_trace_keeps_the_last_calls(program: Path, tmp_path: Path) -> None:
    halocline, folder = str(scripts() / "halocline"), str(tmp_path / "p")
    record = [halocline, "profile", "record", "--trace-events", "4", "-o", folder, "--"]
    launch = [str(scripts() / "mpiexec"), "-n", "1", str(program)]
    ended = subprocess.run([*record, *launch], capture_output=True, text=True, check=True)
    # MPI_Init, 18 MPI_Allreduce, 3 MPI_Sendrecv, MPI_Barrier and MPI_Finalize
    assert "the trace lacks the 20 oldest calls" in ended.stderr
    trace = tmp_path / "trace.json"
    words = [halocline, "profile", "export", folder, "--as", "trace", "--output", str(trace)]
    subprocess.run(words, check=True, capture_output=True)
    events = json.loads(trace.read_text(encoding="utf-8"))["traceEvents"]
    names = [event["name"] for event in events if event["ph"] == "X"]
    assert names == ["MPI_Allreduce", "MPI_Sendrecv", "MPI_Barrier", "MPI_Finalize"]
