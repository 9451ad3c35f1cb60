"""Which MPI library mpi4py runs on, and the redistribution library that is built for it."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import halocline
from halocline.base.errors import UserError
from halocline.mpi.build import LIBRARY, build
from halocline.mpi.identity import of_library, shown
from halocline.mpi.lock import Say

BUILD_COMMAND = "python -m halocline.redistribution"

_NAME = r"lib(?:mpi|mpich|mpi_abi)\.so"
_MAPPED = re.compile(rf"^\S+ .* (/.*/{_NAME}[.\d]*)$", re.MULTILINE)
_NEEDED = re.compile(rb"\0(" + _NAME.encode() + rb"\.\d+)\0")
_WRAPPERS = ("mpicxx", "mpicxx_abi", "mpicxx.openmpi", "mpicxx.mpich")


@dataclass(frozen=True)
class MpiLibrary:
    """The shared library that a process has loaded."""

    path: Path

    @property
    def name(self) -> str:
        """The name that programs linked with it need: with one number after `.so`."""
        stem, _, version = self.path.name.partition(".so.")
        return f"{stem}.so.{version.partition('.')[0]}"

    def __str__(self) -> str:
        return str(self.path)


def mpi_in_this_process() -> MpiLibrary:
    """The library that mpi4py has loaded; import mpi4py first."""
    mapped = _MAPPED.findall(Path("/proc/self/maps").read_text(encoding="utf-8"))
    if not mapped:
        raise UserError(
            "mpi4py has not loaded a known shared MPI library",
            allowed="libmpi.so, libmpich.so, libmpi_abi.so",
            remedy="install mpi4py from PyPI: pip install --force-reinstall mpi4py",
        )
    return MpiLibrary(Path(mapped[0]))


def needed_mpi(library: Path) -> str:
    """The name of the MPI library that a shared library is linked with."""
    try:
        match = _NEEDED.search(library.read_bytes())
    except OSError as error:
        raise UserError(
            f"{library} cannot be read: {error.strerror}",
            where="HALOCLINE_LIBRARY",
            remedy="name the file libhalocline.so, or unset the variable",
        ) from None
    return match[1].decode() if match else "no MPI library"


def built(mpi: MpiLibrary) -> Path:
    """The library for this MPI: from the cache, or the one in the package.

    Raises UserError if neither matches.
    """
    file = LIBRARY.path(of_library(mpi.path).key)
    if not file.is_file():
        came = _bundled()
        if came and needed_mpi(came) == mpi.name:
            return came
        raise UserError(
            f"libhalocline.so has not been built for {mpi}, used by mpi4py",
            remedy=f"build it: {BUILD_COMMAND}, or name one in HALOCLINE_LIBRARY",
        )
    return file


def _bundled() -> Path | None:
    """The library for the MPI standard ABI in the package."""
    folders = (Path(entry) for entry in halocline.__path__)
    libraries = (folder / "_library/lib/libhalocline.so" for folder in folders)
    return next((path for path in libraries if path.is_file()), None)


def build_for(mpi: MpiLibrary, wrapper: Path | None, say: Say) -> Path:
    """The library for this MPI, built now unless it is in the cache."""
    chosen = wrapper or _wrapper_of(mpi)
    return build(chosen, of_library(mpi.path), {}, say, LIBRARY)


def _wrapper_of(mpi: MpiLibrary) -> Path:
    tried = list(_wrappers(mpi))
    linking = next((wrapper for wrapper in tried if _links_with(wrapper, mpi)), None)
    if linking is None:
        names = ", ".join(str(wrapper) for wrapper in tried) or "none found"
        raise UserError(
            f"no compiler wrapper found that links with {mpi}; tried: {names}",
            remedy=f"name it: {BUILD_COMMAND} --wrapper PATH",
        )
    return linking


def _wrappers(mpi: MpiLibrary) -> Iterator[Path]:
    beside = mpi.path.parents[1] / "bin"
    for name in _WRAPPERS:
        if (beside / name).is_file():
            yield beside / name
        elif on_path := shutil.which(name):
            yield Path(on_path)


def _links_with(wrapper: Path, mpi: MpiLibrary) -> bool:
    words = shlex.split(shown(wrapper, {}))
    folders = [Path(word[2:]) for word in words if word.startswith("-L")]
    names = [f"lib{word[2:]}.so" for word in words if word.startswith("-l")]
    # In a wheel libmpi.so is a linker script, not a link, next to libmpi.so.12.
    names += [mpi.name] if mpi.name.partition(".so")[0] + ".so" in names else []
    candidates = (folder / name for folder in folders for name in names)
    return any(file.resolve() == mpi.path.resolve() for file in candidates)
