"""The C interface, loaded for the MPI library that mpi4py uses in this process."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import operator
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mpi4py import MPI

from halocline.base.errors import UserError
from halocline.redistribution.find import built, mpi_in_this_process, needed_mpi

DIMENSIONS = 4
INT64 = ctypes.c_int64


class RedistributionError(Exception):
    """The library's error: what failed, the value, what is allowed, the remedy."""


class Dimension(ctypes.Structure):
    """halocline_dimension."""

    _fields_ = (
        ("lower", INT64),
        ("upper", INT64),
        ("parts", ctypes.c_int),
        ("block", INT64),
        ("points", ctypes.POINTER(INT64)),
    )


class Field(ctypes.Structure):
    """halocline_field."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("type", ctypes.c_int),
        ("lower", INT64 * DIMENSIONS),
        ("upper", INT64 * DIMENSIONS),
        ("stride_bytes", INT64 * DIMENSIONS),
    )


class GhostCells(ctypes.Structure):
    """halocline_halo."""

    _fields_ = (
        ("below", INT64 * DIMENSIONS),
        ("above", INT64 * DIMENSIONS),
        ("periodic", ctypes.c_int * DIMENSIONS),
        ("faces_only", ctypes.c_int),
        ("folded", ctypes.c_int),
        ("fold_shift", INT64),
        ("fold_skipped", INT64),
    )


class RouteDescription(ctypes.Structure):
    """halocline_description."""

    _fields_ = (
        ("ranks", ctypes.c_int),
        ("peers_maximum", INT64),
        ("messages", INT64),
        ("boxes", INT64),
        ("indices", INT64),
        ("indices_moved", INT64),
        ("rank_moved_maximum", INT64),
        ("imbalance", ctypes.c_double),
    )


class Way(ctypes.Structure):
    """halocline_way."""

    _fields_ = (
        ("protocol", ctypes.c_char_p),
        ("packing", ctypes.c_int),
        ("field_by_field", ctypes.c_int),
        ("messages_only", ctypes.c_int),
        ("threads", ctypes.c_int),
        ("progress_thread", ctypes.c_int),
        ("stores", ctypes.c_int),
    )


def call(function: str, *arguments: object) -> None:
    """Calls halocline_FUNCTION; raises the library's error if it fails."""
    loaded = library()
    if getattr(loaded, f"halocline_{function}")(*arguments) != 0:
        raise RedistributionError(loaded.halocline_error_message().decode())


def communicator(comm: MPI.Comm) -> ctypes.c_int | ctypes.c_void_p:
    """The MPI library's handle, which is an int or a pointer."""
    handle = MPI._handleof(comm)
    small = MPI._sizeof(MPI.Comm) == ctypes.sizeof(ctypes.c_int)
    return ctypes.c_int(handle) if small else ctypes.c_void_p(handle)


def together(comm: MPI.Comm, problem: str | None) -> None:
    """Raises the first rank's problem on all ranks if any has one. Collective."""
    first = comm.allreduce(comm.rank if problem else comm.size, op=MPI.MIN)
    if first < comm.size:
        raise RedistributionError(f"rank {first}: {comm.bcast(problem, root=first)}")


@contextlib.contextmanager
def agreed(comm: MPI.Comm) -> Iterator[None]:
    """Raises the first rank's error within, of any kind, on all ranks. Collective."""
    try:
        yield
    except Exception as error:  # the other ranks wait below
        kind = "" if isinstance(error, RedistributionError) else f"{type(error).__name__}: "
        together(comm, " ".join(f"{kind}{error}".split()))
    else:
        together(comm, None)


def index(value: object, what: str) -> int:
    """The value as an integer that the library can hold. Raises RedistributionError."""
    try:
        whole = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise RedistributionError(
            f"{what} is {value!r}; allowed: integers; convert it with int()"
        ) from None
    if not -(2**63) <= whole < 2**63:
        raise RedistributionError(f"{what} is {whole}; allowed: 64 bits; check how it is computed")
    return int(whole)


def count(value: object, what: str) -> int:
    """The same for numbers of which the library has at most 2^31 - 1."""
    whole = index(value, what)
    if not -(2**31) <= whole < 2**31:
        raise RedistributionError(f"{what} is {whole}; allowed: up to {2**31 - 1}; use fewer")
    return whole


@functools.cache
def library() -> Any:
    """The shared library, loaded once. Raises UserError if none matches this MPI."""
    mpi = mpi_in_this_process()
    named = os.environ.get("HALOCLINE_LIBRARY")
    file = Path(named) if named else built(mpi)
    needed = needed_mpi(file)
    if needed != mpi.name:
        raise UserError(
            f"{file} is built for {needed}, but mpi4py runs on {mpi}",
            where="HALOCLINE_LIBRARY",
            remedy="name a library built for it, or unset the variable",
        )
    loaded = ctypes.CDLL(str(file))
    loaded.halocline_error_message.restype = ctypes.c_char_p
    return loaded
