"""The profiler's shared object: where it is, and which functions it knows."""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path

import halocline
from halocline.base.errors import UserError
from halocline.profile.merge import Functions

FILE = "halocline-profiler.so"


@cache
def profiler() -> Path:
    """The shared object shipped with the package."""
    folders = (Path(entry) for entry in halocline.__path__)
    file = next(
        (path for folder in folders if (path := folder / "_profiler" / FILE).is_file()), None
    )
    if file is None:
        raise UserError(
            "the profiler is missing from this installation",
            remedy="run `pip install --force-reinstall .` in Halocline's clone",
        )
    return file.resolve()


@cache
def functions() -> Functions:
    """The functions this profiler wraps, in the order of its numbers."""
    listing = ctypes.CDLL(str(profiler())).halocline_profiler_functions
    listing.restype = ctypes.c_char_p
    lines = listing().decode().splitlines()
    names, moves = zip(*(line.split() for line in lines), strict=True)
    return Functions(
        names=names,
        moves=tuple(move.rstrip("!") for move in moves),
        prepares=tuple(move.endswith("!") for move in moves),
    )
