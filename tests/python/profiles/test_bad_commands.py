"""Programs that cannot be profiled and unreadable profiles: one line of error each."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from conftest import Command
from halocline.base.errors import UserError
from halocline.profile import store
from profiles.made import made
from profiles.programs import Programs, wait_for_calls


@pytest.fixture
def source(tmp_path: Path) -> Path:
    file = tmp_path / "empty.c"
    file.write_text("int main(void) { return 0; }\n", encoding="utf-8")
    return file


def _line(command: Command, folder: Path, *words: str | Path) -> str:
    ended = command("profile", "-o", folder, "--", *words)
    assert ended.code == 2
    assert not folder.exists()
    (line,) = ended.err.splitlines()
    return line


def test_program_that_is_not_there(command: Command, tmp_path: Path) -> None:
    line = _line(command, tmp_path / "p", "./nothing-here")
    assert "program ./nothing-here not found" in line


def test_static_program(command: Command, source: Path, tmp_path: Path) -> None:
    program = tmp_path / "static"
    subprocess.run(["cc", "-static", source, "-o", program], check=True)
    line = _line(command, tmp_path / "p", program)
    assert f"{program} is linked statically" in line
    assert "without -static" in line


def test_static_program_that_can_be_placed_anywhere(
    command: Command, source: Path, tmp_path: Path
) -> None:
    program = tmp_path / "static"
    subprocess.run(["cc", "-static-pie", source, "-o", program], check=True)
    assert "is linked statically" in _line(command, tmp_path / "p", program)


def test_setuid_program(command: Command, source: Path, tmp_path: Path) -> None:
    program = tmp_path / "setuid"
    subprocess.run(["cc", source, "-o", program], check=True)
    program.chmod(0o4755)
    assert f"{program} runs with its owner's rights (setuid)" in _line(
        command, tmp_path / "p", program
    )


def test_program_without_mpi(command: Command, source: Path, tmp_path: Path) -> None:
    program = tmp_path / "plain"
    subprocess.run(["cc", source, "-o", program], check=True)
    assert f"no process of {program} called MPI" in _line(command, tmp_path / "p", program)


def test_program_that_fails_before_mpi_keeps_its_code(command: Command, tmp_path: Path) -> None:
    ended = command("profile", "-o", tmp_path / "p", "--", "sh", "-c", "exit 7")
    assert ended.code == 7
    assert "made no MPI calls" in ended.err


def test_folder_that_is_there_is_kept(command: Command, tmp_path: Path) -> None:
    ended = command("profile", "-o", tmp_path, "--", "true")
    assert ended.code == 2
    assert "already exists; choose another: --output FOLDER" in ended.err


def test_no_profile(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="does not exist"):
        store.load(tmp_path / "nothing")
    with pytest.raises(UserError, match=r"it has no profile\.json"):
        store.load(tmp_path)


def test_saved_profile_is_read_again(tmp_path: Path) -> None:
    profile = made(folder=tmp_path)
    store.save(profile)
    again = store.load(tmp_path)
    assert again.sites == profile.sites
    assert again.ranks == profile.ranks
    assert (again.calls.bytes_sent == profile.calls.bytes_sent).all()


@pytest.mark.parametrize("name", [store.FACTS, store.TABLES])
def test_truncated_profile(name: str, tmp_path: Path) -> None:
    store.save(made(folder=tmp_path))
    file = tmp_path / name
    file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(UserError, match=f"{name}: is damaged"):
        store.load(tmp_path)


@pytest.mark.launches
@pytest.mark.usefixtures("no_shared_memory_left")
def test_truncated_part(programs: Programs, tmp_path: Path) -> None:
    program = programs.build("mpich-abi", "death.c")
    folder = tmp_path / "p"
    with programs.started("mpich-abi", program, "nothing", ranks=1, folder=folder) as job:
        wait_for_calls(folder, 1, 1003)
        copy = tmp_path / "copy"
        shutil.copytree(folder, copy)
        os.killpg(job.pid, 9)
    (part,) = copy.glob("*.part")
    with part.open("r+b") as stream:
        stream.truncate(20000)
    with pytest.raises(UserError, match="is damaged: it ends after 20000 of"):
        store.load(copy)
