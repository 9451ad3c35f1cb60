"""What programs do to files, against programs that know."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from halocline.profile.input_output import bursts
from halocline.profile.profile import FileInput, Profile
from halocline.profile.totals import Totals
from halocline.profile.words import words
from profiles.programs import Programs

pytestmark = pytest.mark.launches

DESCRIPTOR = {
    "open": (1, 0),
    "write": (9, 7510),
    "read": (5, 820),
    "seek": (1, 0),
    "sync": (1, 0),
    "close": (1, 0),
}
STREAM = {"open": (1, 0), "write": (4, 19), "read": (4, 19), "seek": (1, 0), "close": (1, 0)}
# Of each rank, by MPI: 8 integers twice, and 4 of them back.
TOGETHER = {"open": (1, 0), "write": (2, 64), "read": (1, 16), "close": (1, 0)}
TRIES = 5  # of the bursts: where other work delays the program, its rate is another
LATE_NS = 10_000_000
EARLY = {"open": (1, 0), "write": (1, 5), "close": (1, 0)}


def _found(profile: Profile) -> dict[tuple[int, str], dict[str, tuple[int, int]]]:
    """Calls and bytes by rank and file and operation."""
    found: defaultdict[tuple[int, str], dict[str, tuple[int, int]]] = defaultdict(dict)
    io = profile.io
    for rank, file, operation, count, moved in zip(
        io.rank, io.file, io.operation, io.count, io.bytes, strict=True
    ):
        of_file = found[int(rank), Path(profile.files[file]).name.split("-")[0]]
        name = FileInput.OPERATIONS[operation]
        calls, total = of_file.get(name, (0, 0))
        of_file[name] = (calls + int(count), total + int(moved))
    return dict(found)


@pytest.mark.parametrize("library", ["mpich-abi", "debian-openmpi"])
def test_calls_and_bytes_of_files(library: str, programs: Programs, tmp_path: Path) -> None:
    program = programs.build(library, "files.c")
    place = tmp_path / "files"
    place.mkdir()
    ended = programs.profile(library, program, place, ranks=2, folder=tmp_path / "p")
    assert ended.code == 5
    assert ended.err.count("expected: No such file or directory") == 2
    assert _found(ended.profile) == {
        (0, "early"): EARLY,
        (1, "early"): EARLY,
        (0, "descriptor"): DESCRIPTOR,
        (1, "stream"): STREAM,
        (1, "before"): {"open": (1, 0), "write": (1, 5), "close": (1, 0)},
        (1, "after"): {"open": (1, 0), "write": (1, 10), "close": (1, 0)},
        (0, "together_00:00"): TOGETHER,
        (1, "together_00:00"): TOGETHER,
    }


def test_rate_of_writing_at_beginning_middle_and_end(programs: Programs, tmp_path: Path) -> None:
    program = programs.build("mpich-abi", "bursts.c")
    for number in range(TRIES):
        ended = programs.profile(
            "mpich-abi", program, tmp_path / "written", ranks=1, folder=tmp_path / f"p{number}"
        )
        assert ended.code == 0, ended.err
        lines = [[int(word) for word in line.split()] for line in ended.out.splitlines()]
        if max(late_ns for *_, late_ns in lines) < LATE_NS:
            break
    written = [(begin_ns, end_ns, moved) for begin_ns, end_ns, moved, _ in lines]
    profile = ended.profile
    totals = Totals(profile)
    found = bursts(totals.input_output, "write", totals.wall_ns / 1e9)
    assert len(found) == len(written) == 3
    for burst, (begin_ns, end_ns, moved) in zip(found, written, strict=True):
        begin_s, end_s = (ns / 1e9 - profile.started.timestamp() for ns in (begin_ns, end_ns))
        assert burst.rate == pytest.approx(moved / (end_s - begin_s), rel=0.05)
        assert burst.begin_s == pytest.approx(begin_s, abs=0.02)
        assert burst.bytes == pytest.approx(moved, rel=1e-3)
    assert sum(burst.bytes for burst in found) == sum(moved for *_, moved in written)
    assert any(one.claim.startswith("File writes come in 3 bursts") for one in words(totals))
