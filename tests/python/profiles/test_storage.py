"""A profile takes no descriptor of the program's, and grows as far as there is room."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from halocline.base.parts import scripts
from halocline.profile.library import profiler
from halocline.profile.parts import part_called_mpi, read_part
from halocline.profile.run import FOLDER, TRACE
from halocline.profile.totals import Totals
from halocline.profile.words import troubles
from profiles.programs import Programs, library_of, total

pytestmark = pytest.mark.launches

RANKS = 2
MADE, PROBES, BY_THREAD = 6102, 4100, 100  # calls of each rank of limited.c


@pytest.mark.parametrize(
    ("library", "when"),
    [("mpich-abi", "after"), ("intel", "after"), ("openmpi-5", "before")],
)
def test_files_of_a_program_that_closes_descriptors_stay_as_they_are(
    library: str, when: str, programs: Programs, tmp_path: Path
) -> None:
    program = programs.build(library, "closing.c")
    place = tmp_path / "files"
    place.mkdir()
    ended = programs.profile(library, program, when, place, ranks=RANKS, folder=tmp_path / "p")
    assert ended.code == 0, ended.err
    assert [file.stat().st_size for file in place.iterdir()] == [10] * 8 * RANKS
    for rank in range(RANKS):
        assert total(ended.profile, rank, "Iprobe") == 4000
    assert not troubles(Totals(ended.profile))


def test_a_limit_of_the_size_of_files_ends_no_program(programs: Programs, tmp_path: Path) -> None:
    program = programs.build("mpich-abi", "limited.c")
    ended = programs.profile("mpich-abi", program, "1", ranks=RANKS, folder=tmp_path / "p")
    assert ended.code == 0, ended.err
    profile = ended.profile
    for rank in profile.ranks:
        assert rank.lost_calls == BY_THREAD
        assert rank.calls == MADE - BY_THREAD
        assert total(profile, rank.rank, "Iprobe") == PROBES - BY_THREAD
        assert 0 < rank.merged_calls < rank.calls
    merged, lost, *_ = _plain(troubles(Totals(profile)))
    assert "the totals have their counts" in merged
    assert lost.startswith("200 calls of 12 204 are not in the totals")


def test_a_small_disk_keeps_what_it_has_room_for(programs: Programs, tmp_path: Path) -> None:
    program = programs.build("mpich-abi", "limited.c")
    disk = tmp_path / "disk"
    disk.mkdir()
    record = f"{scripts() / 'halocline'} profile -o {disk}/p --"
    launch = f"{library_of('mpich-abi').launcher} -n {RANKS} {program} 1000000000"
    shell = f"""mount -t tmpfs -o size=256k none {disk}
        {record} {launch} && {scripts() / "halocline"} profile summary {disk}/p"""
    ended = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--mount", "sh", "-euc", shell],
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
        env=os.environ,
    )
    assert ended.returncode == 0, ended.stderr
    assert f"{disk}/p stays as written by its processes" in ended.stderr
    said = ended.stdout.replace("\N{NO-BREAK SPACE}", " ")
    lost = RANKS * BY_THREAD if "not in the totals" in said else 0
    assert f"2 ranks, {RANKS * MADE - lost} MPI calls" in ended.stderr


def test_a_disk_without_room_is_reported(programs: Programs, tmp_path: Path) -> None:
    program = programs.build("mpich-abi", "limited.c")
    disk = tmp_path / "disk"
    disk.mkdir()
    record = f"{scripts() / 'halocline'} profile -o {disk}/p --"
    shell = f"mount -t tmpfs -o size=32k none {disk}; exec {record} {program} 1000000000"
    ended = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--mount", "sh", "-euc", shell],
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert ended.returncode == 2
    assert ended.stderr.splitlines()[-1] == (
        f"halocline: {disk}/p: nothing was recorded: 1 process had no space for a profile; the "
        "command ended with exit code 0; free disk space, raise `ulimit -f`, or choose "
        "another --output FOLDER"
    )


NFS = "6969000000000000"  # NFS_SUPER_MAGIC in statfs.f_type


@pytest.mark.parametrize(("said", "written"), [("", False), (NFS, True)])
def test_a_server_has_the_whole_file_when_the_process_ends(
    said: str, written: bool, programs: Programs, tmp_path: Path
) -> None:
    """The kernel is made to say that the folder is on NFS."""
    program, log = programs.build("mpich-abi", "many.c"), tmp_path / "log"
    variables = (f"-ELD_AUDIT={profiler()}", f"-E{FOLDER}={tmp_path}")
    changed = ("-e", f"inject=fstatfs:poke_exit=@arg2={said}") if said else ()
    calls = ("-e", "trace=fsync,fstatfs,exit_group", *changed)
    command = ["strace", "-f", "-o", log, *calls, *variables, program, "10"]
    subprocess.run(command, check=True, timeout=100, env=programs.environment("mpich-abi"))
    assert "fstatfs" in log.read_text()
    assert ("fsync(" in log.read_text()) == written
    (part,) = tmp_path.glob("*.part")
    assert part_called_mpi(part)


def test_a_trace_has_as_many_calls_as_its_limit_allows(programs: Programs, tmp_path: Path) -> None:
    """Of the highest limit, what would not fit pieces of one size."""
    program, calls = programs.build("mpich-abi", "many.c"), 3_500_000
    subprocess.run(
        [library_of("mpich-abi").launcher, "-n", "1", program, str(calls)],
        env={**os.environ, FOLDER: str(tmp_path), TRACE: str(1 << 24), "LD_AUDIT": str(profiler())},
        check=True,
        timeout=100,
    )
    part = read_part(min(tmp_path.glob("*.part")))
    assert part is not None
    (thread,) = part.threads
    assert (len(thread.events), thread.dropped_events) == (calls + 2, 0)


def _plain(lines: tuple[str, ...]) -> list[str]:
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines]
