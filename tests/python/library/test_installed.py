"""The library, installed: the tutorials' programs are built outside the tree, as the pages say."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from documents import CHECKOUT, Command, blocks, commands, first_missing
from halocline.base.parts import scripts
from halocline.redistribution.find import needed_mpi

TUTORIALS = {
    **{
        language: CHECKOUT / f"docs/tutorial/redistribute-from-{language}.md"
        for language in ("c", "cpp", "fortran")
    },
    "fortran halo": CHECKOUT / "docs/tutorial/halo-from-fortran.md",
}
# How the MPI libraries' wrappers and launchers end; the tutorials call them mpicc, mpiexec, ...
ENDINGS = {"mpich": ".mpich", "openmpi": ".openmpi", "abi": "_abi"}
# MPICH's wheel has no wrapper for Fortran, mpi4py no extension for the standard's ABI.
WITHOUT_ABI = [library for library in ENDINGS if library != "abi"]
LIMIT_S = 900
STRICT_C = "-std=c99 -Wall -Wextra -Wpedantic -Werror"
FLAGS = "$(PKG_CONFIG_PATH=$HOME/halocline/lib/pkgconfig pkg-config --cflags --libs halocline)"
END_OF_COMMAND = "\x1e"
REFUSED = {
    "before MPI_Init": "MPI is not running",
    "cut points out of order": "cut points out of order: 7 before 5",
    "no parts": "into 0 parts",
    "five dimensions": "a layout of 5 dimensions; allowed: 1 to 4",
    "no dimensions given": "the array of dimensions is NULL",
    "nowhere to put it": "the address for the new layout is NULL",
    "bounds too far apart": "to 5000000000000000000; allowed: up to 9223372036854775807 indices",
    "points too far apart": "to 5000000000000000000; allowed: up to 9223372036854775807 indices",
    "grid too large": "a grid of more than 9223372036854775807 indices",
    "region beyond all indices": "is not inside the source's grid",
    "unwanted on rank 1": "rank 1 and rank 0 pass different numbers of dimensions, or of unwanted",
    "negative owner": "block 2 belongs to rank -2",
    "nobody owns anything": "a layout whose blocks all have no owner",
    "an owner too few": "2 blocks with 1 owners",
    "block that is not": "block 1 of rank 0; allowed: 0 or more, less than its 1 blocks",
    "order twice": "does not name each of the 4 once",
    "order negative": "does not name each of the 4 once",
    "released layout": "the layout was released",
    "freed twice": "the layout was released",
    "other grid": "both must have the same indices",
    "rank out of range": "the destination's layout names rank 2; allowed: 0 to 1",
    "ranks disagree": "rank 1 and rank 0 pass different",
    "released on rank 1": "rank 1: the layout was released",
    "null on rank 0": "rank 0: the layout is NULL",
    "no communicator": "the communicator is MPI_COMM_NULL",
    "region of other extents": "give both the same extents",
    "region outside": "is not inside the source's grid",
    "region disagrees": "rank 1 and rank 0 pass different",
    "negative halo": "a halo of width -1 along dimension 1; allowed: 0 or more",
    "no halo": "rank 0: the halo is NULL",
    "halo of nothing": "rank 0: the layout is NULL",
    "halos differ": "rank 1 and rank 0 pass different layouts or halos",
    "halo on rank 2": "the layout names rank 2; allowed: 0 to 1",
    "halo of a dealt layout": "distributed in blocks, so its parts have no neighbours",
    "fold of closed edges": "a fold of a grid that is closed along dimension 1",
    "field without ghost cells": "the indices 0 to 3, the route needs 4 to 4",
    "levels of rank 1": "fields with the same number of levels",
    "type of rank 1": "ranks pass fields of different numbers or types",
    "type at the source": "rank 0: field 1 is of type real4 in one block, real8 in another",
    "no such type": "the type 77",
    "data NULL on rank 1": "rank 1: field 1 of block 1 of the source: its data are NULL",
    "field too small on rank 1": "rank 1: field 1 of the source does not cover",
    "negative stride": "a stride of -8 bytes along dimension 1",
    "no fields": "a redistribution of 0 fields",
    "no block on rank 1": "rank 1: the route needs block 1 at the source",
    "negative blocks": "the number of blocks is -1",
    "unknown protocol": "pigeon",
    "unknown packing": "the packing 9",
    "negative threads": "the number of threads is -3",
    "progress thread after MPI_Init": "needs MPI_THREAD_MULTIPLE",
    "ways differ": "rank 1 and rank 0 pass different ways",
    "memory on rank 0 alone": "rank 1 and rank 0 pass different memory arguments",
    "released memory": "the memory was released",
    "memory of other ranks": "the memory is that of other ranks",
    "negative arrays": "the number of arrays to adopt is -1",
    "no addresses": "the list of the arrays' addresses is NULL",
    "array NULL on rank 1": "rank 1: array 1 is NULL",
    "memory of -1 bytes": "memory of -1 bytes; allowed: 0 to",
    "memory of -2 GiB on rank 1": "rank 1: memory of -2147483648 bytes",
    "nowhere to adopt to": "the address for the new memory is NULL",
    "adopted twice": "arrays to adopt overlap by 20480 bytes",
    "address of adopted": "adopted arrays have the addresses that they had",
    "freed in use": "adopted arrays are in use by 1 redistributions",
    "buffered beside rank 1's own": "rank 1: MPI has no room for a buffer for buffered sends",
    "buffered meanwhile": "an exchange by them is under way; finish that first",
    "file that is not, often": "no-such-file",
    "types that differ, often": "ranks pass fields of different numbers or types",
    "finished before started": "not under way; start it first",
    "started twice": "finish it first",
    "freed under way": "finish it first",
    "run after free": "the redistribution was released",
    "run NULL": "the redistribution is NULL",
    "run a route": "what is passed as redistribution is invalid",
    "run an address": "what is passed as redistribution is invalid",
    "route of the world alone": "the route is that of rank",
    "released route": "the route was released",
    "after MPI_Finalize": "MPI is not running",
    "run after MPI_Finalize": "MPI is not running",
    "started after MPI_Finalize": "MPI is not running",
    "finished after MPI_Finalize": "MPI is not running",
}
DONE = {
    *(
        "good",
        "finished",
        "freed",
        "adopted",
        "empty within another",
        "in adopted memory",
        "given back",
    ),
    *("buffered", "buffered again", "run again", "buffered after it", "freed at last"),
    *("start first", "finish first", "another way"),
}


@dataclass(frozen=True)
class Installed:
    """A home in which the library is installed for one MPI library."""

    library: str
    home: Path
    variables: dict[str, str]

    def type(self, lines: list[str], folder: Path) -> list[tuple[str, int]]:
        """What each command prints, and how it ends; all in one shell."""
        script = "".join(
            f"{line}\nprintf '{END_OF_COMMAND}%d{END_OF_COMMAND}' $?\n" for line in lines
        )
        done = subprocess.run(
            ["bash", "-c", f"exec 2>&1\n{script}"],
            check=False,
            cwd=folder,
            env=self.variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
        )
        parts = done.stdout.split(END_OF_COMMAND)
        return [(parts[at], int(parts[at + 1])) for at in range(0, len(parts) - 1, 2)]

    def follow(self, shown: list[Command], folder: Path) -> None:
        """Types the commands of a page, and compares what they print."""
        ended = self.type([command.words for command in shown], folder)
        assert len(ended) == len(shown)
        for command, (printed, code) in zip(shown, ended, strict=True):
            assert code == 0, f"{command.words}\n{printed}"
            missing = first_missing(command.shown, printed)
            assert missing is None, f"{command.words}\nnot printed: {missing}\n{printed}"


def console(page: Path) -> list[list[Command]]:
    """The page's console blocks: how to install, then how to build."""
    return [commands(block) for block in blocks(page, "console")]


def installing() -> list[Command]:
    return console(TUTORIALS["c"])[0]


def make_wrappers(folder: Path, library: str) -> None:
    """The library's wrappers and launcher by the names that the tutorials call."""
    folder.mkdir()
    for name in ("mpicc", "mpicxx", "mpifort", "mpiexec"):
        if program := program_of(library, name):
            script = folder / name
            script.write_text(f'#!/bin/sh\nexec {program} "$@"\n', encoding="utf-8")
            script.chmod(0o755)


def program_of(library: str, name: str) -> str | None:
    """The library's own program, of those that the tutorials call `mpicxx` and so on."""
    ending = "" if library == "abi" and name == "mpiexec" else ENDINGS[library]
    return shutil.which(f"{name}{ending}", path=f"{scripts()}{os.pathsep}{os.environ['PATH']}")


def known_to_the_cache(library: str) -> dict[str, str]:
    """Not where the compilers that wrappers call are the cache's own names of them."""
    names = ("g++", "c++")
    real = (Path(shutil.which(name) or name).resolve().name for name in names)
    wrapper = program_of(library, "mpicxx")
    return {"CCACHE_COMPILER": wrapper} if wrapper and "ccache" not in real else {}


@pytest.fixture(scope="module", params=ENDINGS)
def installed(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Installed:
    library = str(request.param)
    home = tmp_path_factory.mktemp(f"home-{library}")
    make_wrappers(home / "bin", library)
    there = Installed(
        library,
        home,
        {
            **os.environ,
            "HOME": str(home),
            "HALOCLINE": str(CHECKOUT),
            "PATH": f"{home / 'bin'}{os.pathsep}{scripts()}{os.pathsep}{os.environ['PATH']}",
            # Known by this name to the compiler's cache, which has the library's objects.
            **known_to_the_cache(library),
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1",
        },
    )
    there.follow(installing(), home)
    return there


def save_files(page: Path, folder: Path) -> None:
    """What the page has one save: ``Save it as `NAME` ``, below the file's block."""
    text = page.read_text(encoding="utf-8")
    for match in re.finditer(
        r"```\w+\n((?:(?!```).)*)```\n\nSave it as `([^`]+)`", text, re.DOTALL
    ):
        (folder / match[2]).write_text(match[1], encoding="utf-8")


def test_the_tutorials_install_the_same_way() -> None:
    ways = [[command.words for command in console(page)[0]] for page in TUTORIALS.values()]
    assert all(way == ways[0] for way in ways)


@pytest.mark.launches
@pytest.mark.parametrize("language", TUTORIALS)
def test_program_of_the_tutorial(installed: Installed, language: str, tmp_path: Path) -> None:
    if language.startswith("fortran") and installed.library not in WITHOUT_ABI:
        assert not list(installed.home.rglob("halocline.mod"))
        save_files(TUTORIALS[language], tmp_path)
        made = "cmake -S . -B made -D CMAKE_PREFIX_PATH=$HOME/halocline"
        ((output, code),) = installed.type([made], tmp_path)
        assert code != 0
        assert "it was installed without its Fortran module" in output
        return
    page = TUTORIALS[language]
    save_files(page, tmp_path)
    installed.follow([line for block in console(page)[1:] for line in block], tmp_path)


@pytest.mark.launches
@pytest.mark.parametrize("installed", ["mpich"], indirect=True)
def test_a_wrapper_of_another_mpi_library_gets_a_warning(
    installed: Installed, tmp_path: Path
) -> None:
    save_files(TUTORIALS["fortran halo"], tmp_path)
    configure = "cmake -S . -B made -D CMAKE_PREFIX_PATH=$HOME/halocline -D CMAKE_Fortran_COMPILER="
    (own, _), (other, _) = installed.type(
        [f"{configure}mpifort", f"rm -r made; {configure}mpifort.openmpi"], tmp_path
    )
    warning = f"may belong to another MPI library: choose {installed.home}/bin/mpifort,"
    assert "may belong to another" not in " ".join(own.split())
    assert warning in " ".join(other.split())


def built_and_run(
    installed: Installed, compiler: str, name: str, package: str, ranks: int, folder: Path
) -> str:
    """What a program of this folder prints."""
    source = Path(__file__).with_name(name)
    flags = FLAGS.replace("--libs halocline", f"--libs {package}")
    lines = [
        f"{compiler} {source} -o program {flags} -Wl,-rpath,$HOME/halocline/lib",
        f"mpiexec -n {ranks} ./program",
    ]
    (built, _), (output, code) = installed.type(lines, folder)
    assert code == 0, f"{built}\n{output}"
    return output


@pytest.mark.launches
def test_what_a_program_does_wrong_is_reported_on_every_rank(
    installed: Installed, tmp_path: Path
) -> None:
    built_and_run(installed, f"mpicc {STRICT_C}", "misuse.c", "halocline", 2, tmp_path)
    for rank in (0, 1):
        output = (tmp_path / f"messages-{rank}").read_text(encoding="utf-8")
        lines = re.findall(r"^(.+) (done|refused): (.*)$", output, re.MULTILINE)
        ended = {name: how for name, how, _ in lines}
        assert ended == {**dict.fromkeys(REFUSED, "refused"), **dict.fromkeys(DONE, "done")}
        for name, how, words in lines:
            assert how == "done" or REFUSED[name] in words, f"rank {rank}: {name}: {words}"


@pytest.mark.launches
def test_header_is_c99_and_cpp(installed: Installed, tmp_path: Path) -> None:
    for compiler, name in (("mpicc -std=c99 -pedantic-errors", "a.c"), ("mpicxx", "a.cpp")):
        (tmp_path / name).write_text("#include <halocline.h>\n#include <halocline.h>\n")
        ((output, code),) = installed.type(
            [f"{compiler} -Wall -Wextra -Werror {FLAGS} -c {name}"], tmp_path
        )
        assert code == 0, output


@pytest.mark.launches
@pytest.mark.parametrize("ranks", [1, 2, 3])
@pytest.mark.parametrize("program", ["routes.c", "halos.c"])
def test_points_files_relabelling_and_halos_from_c(
    installed: Installed, program: str, ranks: int, tmp_path: Path
) -> None:
    output = built_and_run(installed, f"mpicc {STRICT_C}", program, "halocline", ranks, tmp_path)
    assert output == f"{ranks} ranks: all is where it belongs\n"


@pytest.mark.launches
@pytest.mark.parametrize("ranks", [1, 2, 3])
@pytest.mark.parametrize("installed", WITHOUT_ABI, indirect=True)
def test_arrays_of_every_kind_from_fortran(
    installed: Installed, ranks: int, tmp_path: Path
) -> None:
    output = built_and_run(
        installed, "mpifort -std=f2018", "arrays.f90", "halocline-fortran", ranks, tmp_path
    )
    assert output == f"{ranks} ranks: all is where it belongs\n"


STATIC = """\
cmake_minimum_required(VERSION 3.25)
project(routes C CXX)
find_package(halocline REQUIRED)
add_executable(program {source})
target_link_libraries(program halocline::static)
"""


@pytest.mark.launches
def test_static_library_from_cmake_and_pkg_config(installed: Installed, tmp_path: Path) -> None:
    source = Path(__file__).with_name("routes.c")
    (tmp_path / "CMakeLists.txt").write_text(STATIC.format(source=source), encoding="utf-8")
    flags = "pkg-config --static --cflags --libs halocline | sed 's/-lhalocline/-l:libhalocline.a/'"
    lines = [
        "cmake -S . -B made -D CMAKE_PREFIX_PATH=$HOME/halocline",
        "cmake --build made",
        f"mpicc {source} -o program $(PKG_CONFIG_PATH=$HOME/halocline/lib/pkgconfig {flags})",
        "ldd made/program program",
        "mpiexec -n 2 made/program",
        "mpiexec -n 2 ./program",
    ]
    outputs = installed.type(lines, tmp_path)
    assert [code for _, code in outputs] == [0] * len(lines), outputs
    assert "libhalocline" not in outputs[3][0]
    assert [words for words, _ in outputs[4:]] == ["2 ranks: all is where it belongs\n"] * 2


@pytest.mark.launches
@pytest.mark.parametrize(
    "case", ["random_layouts", "node_memory", "adopted_memory", "points", "errors"]
)
@pytest.mark.parametrize("installed", WITHOUT_ABI, indirect=True)
def test_python_on_the_mpi_of_the_installed_library(
    installed: Installed, case: str, tmp_path: Path
) -> None:
    file = installed.home / "halocline/lib/libhalocline.so"
    name = needed_mpi(file)
    linked = subprocess.run(["ldd", file], check=True, capture_output=True, text=True).stdout
    found = re.search(rf"^\s*{re.escape(name)} => (\S+)", linked, re.MULTILINE)
    assert found, linked
    # mpi4py looks for MPICH by the name that all but Debian give it.
    (tmp_path / "libmpi.so.12").symlink_to(found[1])
    chosen = replace(
        installed,
        variables=installed.variables
        | {
            "HALOCLINE_LIBRARY": str(file),
            "MPI4PY_MPIABI": installed.library,
            "MPI4PY_LIBMPI": found[1],
            "LD_LIBRARY_PATH": str(tmp_path),
            "PYTHONPATH": str(CHECKOUT / "tests/python"),
        },
    )
    moves = Path(__file__).with_name("moves.py")
    line = f"mpiexec -n 2 {sys.executable} -m mpi4py {moves} {case}"
    ((output, code),) = chosen.type([line], tmp_path)
    assert (output, code) == (f"{case}: right on 2 ranks\n", 0)
