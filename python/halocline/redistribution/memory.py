"""Arrays that the ranks of a node copy straight out of one another."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from mpi4py import MPI
from numpy.typing import DTypeLike, NDArray

from halocline.redistribution.handle import Handle
from halocline.redistribution.library import RedistributionError, call, communicator

_ALIGNMENT = 64  # a line of the cache


class NodeMemory(Handle):
    """Memory that all ranks of a node can read, zero at first. Collective over `comm`.

    Each rank brings as many bytes as it likes. Fields in it are redistributed by one copy, where
    others take two. Freed, collectively, when no array in it is used any more.
    """

    _kind = "memory"

    def __init__(self, comm: MPI.Comm, nbytes: int) -> None:
        super().__init__()
        self.nbytes = nbytes
        self._taken = 0
        call("memory_create", communicator(comm), ctypes.c_size_t(nbytes), self._address())
        address = ctypes.c_void_p()
        call("memory_address", self._handle, ctypes.byref(address))
        self._begin = address.value or 0

    @staticmethod
    def needed(*arrays: tuple[Sequence[int], DTypeLike]) -> int:
        """The bytes that arrays of these shapes and types take."""
        return sum(_rounded(_bytes(shape, dtype)) for shape, dtype in arrays)

    def array(
        self, shape: Sequence[int], dtype: DTypeLike, order: Literal["C", "F"] = "C"
    ) -> NDArray[Any]:
        """The next array in the memory, of zeros, at the beginning of a cache line."""
        size = _bytes(shape, dtype)
        if self._taken + size > self.nbytes:
            raise RedistributionError(
                f"an array of {size} bytes in memory with {self.nbytes - self._taken} bytes left; "
                "create it with NodeMemory.needed() of all its arrays"
            )
        held = (ctypes.c_char * size).from_address(self._begin + self._taken)
        self._taken += _rounded(size)
        return np.ndarray(tuple(shape), dtype, memoryview(held), order=order)


def _bytes(shape: Sequence[int], dtype: DTypeLike) -> int:
    return math.prod(shape) * np.dtype(dtype).itemsize


def _rounded(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT
