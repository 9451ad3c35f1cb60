"""When two MPI libraries are the same, so a driver built for one works for the other."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from halocline.base.parts import source
from halocline.mpi.children import run

_TIMEOUT_S = 30.0


@dataclass(frozen=True)
class Identity:
    """Everything that determines a build; `key` names the build."""

    wrapper: str  # the real path
    show: str  # the compiler command behind it
    library: str  # digest of the MPI shared library; "" when linked statically
    compiler: str  # first line of its --version
    program: str  # digest of Halocline's C++ sources, or of the prebuilt driver
    flags: str = ""  # instead of the usual -O3

    @property
    def key(self) -> str:
        """Sixteen hexadecimal digits."""
        known = {name: value for name, value in asdict(self).items() if name != "flags" or value}
        content = json.dumps(known, sort_keys=True)
        return hashlib.blake2b(content.encode(), digest_size=8).hexdigest()


def of_wrapper(
    wrapper: Path, library: Path | None, settings: Mapping[str, str], compiler_before: str = ""
) -> Identity:
    """The identity of a driver that this compiler wrapper builds, linked with this MPI library.

    Compute nodes may lack the compiler: then it is the one there was before.
    """
    show = shown(wrapper, settings)
    compiler = shlex.split(show)[0] if show else str(wrapper)
    version = run([compiler, "--version"], timeout_s=_TIMEOUT_S, settings=settings)
    return Identity(
        wrapper=str(wrapper.resolve()),
        show=show,
        library=digest(library),
        compiler=version.stdout.partition("\n")[0] if version.ok else compiler_before,
        program=_source_digest(source()),
    )


def of_library(library: Path) -> Identity:
    """The identity of a product for every program that runs on this MPI library."""
    return Identity(str(library.resolve()), "", digest(library), "", _source_digest(source()))


def of_driver(driver: Path, launcher: Path, library: Path | None) -> Identity:
    """The identity of a prebuilt driver, with the library that runs it."""
    return Identity(str(launcher.resolve()), "", digest(library), "", digest(driver))


def shown(wrapper: Path, settings: Mapping[str, str]) -> str:
    """The compiler command behind a wrapper, or "" if it does not show it."""
    for option in ("-show", "--showme"):
        result = run([wrapper, option], timeout_s=_TIMEOUT_S, settings=settings)
        if result.ok and result.stdout.strip():
            return result.stdout.strip()
    return ""


def digest(file: Path | None) -> str:
    """Digest of a file's content; "" for none, "gone" if it no longer exists."""
    if file is None:
        return ""
    try:
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "blake2b").hexdigest()[:32]
    except OSError:
        return "gone"


def _source_digest(folder: Path) -> str:
    total = hashlib.blake2b(digest_size=16)
    files = [folder / "CMakeLists.txt"]
    for part in ("cmake", "src"):
        files += [file for file in (folder / part).rglob("*") if file.is_file()]
    for file in sorted(files):
        total.update(f"{file.relative_to(folder)} {digest(file)}\n".encode())
    return total.hexdigest()
