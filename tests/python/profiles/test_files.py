"""What programs do to files, against programs that know."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from halocline.profile.profile import FileInput, Profile
from halocline.profile.totals import Totals
from profiles.programs import Programs

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
        (0, "together"): TOGETHER,
        (1, "together"): TOGETHER,
    }


def test_rate_of_writing_at_beginning_middle_and_end(programs: Programs, tmp_path: Path) -> None:
    program = programs.build("mpich-abi", "bursts.c")
    ended = programs.profile(
        "mpich-abi", program, tmp_path / "written", ranks=1, folder=tmp_path / "p"
    )
    assert ended.code == 0, ended.err
    profile = ended.profile
    begins, rates = Totals(profile).input_output.over_time("write")
    width_s = begins[1] - begins[0]
    started_s = profile.started.timestamp()
    bursts = [[int(word) for word in line.split()] for line in ended.out.splitlines()]
    assert len(bursts) == 3
    outside = np.ones(len(begins), bool)
    for begin_ns, end_ns, moved in bursts:
        begin_s, end_s = begin_ns / 1e9 - started_s, end_ns / 1e9 - started_s
        during = (begins > begin_s - 2 * width_s) & (begins < end_s + width_s)
        within = (begins > begin_s) & (begins < end_s - width_s)
        outside &= ~during
        assert rates[during].sum() * width_s == pytest.approx(moved, rel=1e-9)
        assert rates[within].mean() == pytest.approx(moved / (end_s - begin_s), rel=0.05)
    assert not rates[outside].any()
    assert outside.sum() > 0.2 * len(begins)
