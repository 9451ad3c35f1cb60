"""Locates the files that are not Python: in a wheel, an editable install or a checkout."""

from __future__ import annotations

import shutil
import sys
import sysconfig
from pathlib import Path

import halocline
from halocline.base.errors import UserError


def part(installed: str, in_checkout: str) -> Path | None:
    """A file or folder, named below the checkout's root or below the installed package.

    An editable install has both; the checkout has priority.
    """
    folders = [Path(entry) for entry in halocline.__path__]
    checkouts = [
        folder.parents[1]
        for folder in folders
        if folder.parent.name == "python" and (folder.parents[1] / "src/halocline").is_dir()
    ]
    candidates = [root / in_checkout for root in checkouts]
    candidates += [folder / installed for folder in folders]
    return next((path for path in candidates if path.exists()), None)


def source() -> Path:
    """The folder with the driver's CMakeLists.txt and its sources."""
    lists = part("_source/CMakeLists.txt", "CMakeLists.txt")
    if lists is None:
        raise UserError(
            "the driver's sources are missing from this installation",
            remedy="run `pip install --force-reinstall .` in Halocline's clone",
        )
    return lists.parent


def bundled_driver() -> Path | None:
    """The driver for the MPI standard ABI that comes with the package."""
    folders = (Path(entry) for entry in halocline.__path__)
    drivers = (folder / "_driver/halocline-driver" for folder in folders)
    return next((path for path in drivers if path.is_file()), None)


def scripts() -> Path:
    """The folder of this Python environment's programs: cmake, ninja, MPICH's mpiexec."""
    return Path(sysconfig.get_path("scripts"))


def program(name: str) -> Path | None:
    """A program next to this Python, or on PATH."""
    beside = (folder / name for folder in (scripts(), Path(sys.executable).parent))
    own = next((path for path in beside if path.is_file()), None)
    if own:
        return own
    file = shutil.which(name)
    return Path(file) if file else None
