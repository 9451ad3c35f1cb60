from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from halocline.base.errors import UserError
from halocline.mpi import identity
from halocline.mpi.build import build, driver_path
from halocline.mpi.lock import only_one
from halocline.mpi.registry import quiet

Find = Callable[[str], Path]

_BUILD = """
import sys
from pathlib import Path
import halocline
halocline.__path__ = [sys.argv[2]]
from halocline.mpi import identity
from halocline.mpi.build import build
wrapper = Path(sys.argv[1])
said = []
build(wrapper, identity.of_wrapper(wrapper, None, {}), {}, said.append)
print(sum(line.endswith("configuring") for line in said))
"""


@pytest.mark.launches
def test_two_processes_build_once(home: Path, standin: Path, installed: Find) -> None:
    wrapper = installed("mpicxx.mpich")
    package = standin / "python/halocline"
    command = [sys.executable, "-c", _BUILD, str(wrapper), str(package)]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    outputs = sorted(child.communicate(timeout=120)[0].strip() for child in both)
    assert outputs == ["0", "1"]
    key = identity.of_wrapper(wrapper, None, {}).key
    assert driver_path(key).is_file()
    left = {path.name for path in (home / "cache/builds").iterdir()}
    assert left == {key, f"{key}.lock", f"{key}.log"}


@pytest.mark.launches
def test_a_failed_build_is_one_line_and_leaves_its_log(
    home: Path, standin: Path, installed: Find
) -> None:
    (standin / "src/halocline/main.cpp").write_text("#error of this test\n", encoding="utf-8")
    wrapper = installed("mpicxx.mpich")
    named = identity.of_wrapper(wrapper, None, {})
    with pytest.raises(UserError) as caught:
        build(wrapper, named, {}, quiet)
    log = home / f"cache/builds/{named.key}.log"
    message = str(caught.value)
    assert message.startswith(f"the driver does not build with {wrapper}: ")
    assert "#error of this test" in message
    assert str(log) in message
    assert "\n" not in message
    assert "#error of this test" in log.read_text(encoding="utf-8")
    assert not driver_path(named.key).parent.exists()


def test_a_built_driver_is_taken_from_the_cache(home: Path, standin: Path) -> None:
    named = identity.Identity("wrapper", "", "", "", "")
    driver = driver_path(named.key)
    driver.parent.mkdir(parents=True)
    driver.touch()
    assert build(Path("/no/such/wrapper"), named, {}, quiet) == driver


def test_what_a_killed_build_left_is_removed(
    home: Path, standin: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def compiled(product: object, wrapper: Path, key: object, folder: Path, *_: object) -> Path:
        (folder / "new").touch()
        return folder / "new"

    monkeypatch.setattr("halocline.mpi.build._compile", compiled)
    own, other = (identity.Identity(name, "", "", "", "") for name in ("own", "other"))
    builds = home / "cache/builds"
    for key in (own.key, other.key):
        (builds / f".{key}-abandoned/tree").mkdir(parents=True)
    assert build(Path("/mpicxx"), own, {}, quiet) == driver_path(own.key)
    left = {path.name for path in builds.iterdir()}
    assert left == {own.key, f"{own.key}.lock", f".{other.key}-abandoned"}


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP])
def test_a_file_system_without_locks_is_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refused(file: object, operation: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("fcntl.flock", refused)
    said: list[str] = []
    with only_one(tmp_path / "lock", "waiting", said.append):
        said.append("inside")
    warning = f"{tmp_path}: no locks on this file system: start only one process at a time"
    assert said == [warning, "inside"]


def test_other_errors_of_a_lock_are_none_of_the_file_systems(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(file: object, operation: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr("fcntl.flock", refused)
    with pytest.raises(OSError, match="Input/output"), only_one(tmp_path / "lock", "", quiet):
        pass


@pytest.mark.launches
def test_no_shell_reads_the_flags(
    home: Path, standin: Path, installed: Find, tmp_path: Path
) -> None:
    """Whatever comes through: that flags hold nothing of the kind is checked before."""
    wrapper = installed("mpicxx.mpich")
    canary = tmp_path / "canary"
    flags = f"-O1 -DA=`touch {canary}`"
    named = replace(identity.of_wrapper(wrapper, None, {}), flags=flags)
    with pytest.raises(UserError):  # the compiler finds no file of this name
        build(wrapper, named, {}, quiet)
    assert (
        f"{canary}`: linker input file not found"
        in (home / f"cache/builds/{named.key}.log").read_text()
    )
    assert not canary.exists()


@pytest.mark.launches
def test_a_driver_with_other_flags_is_another_driver(
    home: Path, standin: Path, installed: Find
) -> None:
    wrapper = installed("mpicxx.mpich")
    plain = identity.of_wrapper(wrapper, None, {})
    flags = replace(plain, flags="-O1 -DHALOCLINE_OF_THIS_TEST")
    assert flags.key != plain.key
    said: list[str] = []
    driver = build(wrapper, flags, {}, said.append)
    assert driver == driver_path(flags.key)
    assert said[0] == f"building the driver with {wrapper} {flags.flags}: configuring"
    assert not driver_path(plain.key).exists()
    (standin / "src/halocline/main.cpp").write_text("int main() { int unused = 0; }\n")
    changed = replace(identity.of_wrapper(wrapper, None, {}), flags="-O1 -Wall -Werror")
    with pytest.raises(
        UserError, match=f"does not build with {wrapper} -O1 -Wall -Werror: .*unused"
    ):
        build(wrapper, changed, {}, quiet)
