"""Arrays that ranks of a node copy directly from one another."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from mpi4py import MPI
from numpy.typing import DTypeLike, NDArray

from halocline.redistribution.handle import Handle
from halocline.redistribution.library import RedistributionError, agreed, call, communicator, index

_ALIGNMENT = 64  # a cache line
# By handle, while they are adopted: an object that is collected without free() releases nothing.
_adopted: dict[int | None, tuple[NDArray[Any], ...]] = {}


class NodeMemory(Handle):
    """Memory that all ranks of a node can read, zero at first. Collective over `comm`.

    Each rank contributes any number of bytes. Fields in it are redistributed with one copy, others
    with two. Free it, collectively, after the redistributions that use it. Its arrays die with it:
    to read or write one afterwards is undefined.
    """

    _kind = "memory"
    _collective = True

    def __init__(self, comm: MPI.Comm, nbytes: int) -> None:
        super().__init__()
        with agreed(comm):
            self.nbytes = index(nbytes, "the memory's size in bytes")
            if self.nbytes < 0:
                raise RedistributionError(
                    f"memory of {nbytes} bytes; allowed: 0 or more; use NodeMemory.needed()"
                )
        self._taken = 0
        call("memory_create", communicator(comm), ctypes.c_size_t(self.nbytes), self._address())
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
        if self._freed:
            raise RedistributionError(
                f"an array of {size} bytes in memory that was freed; create it before free()"
            )
        if self._taken + size > self.nbytes:
            raise RedistributionError(
                f"an array of {size} bytes in memory with {self.nbytes - self._taken} bytes left; "
                "create it with NodeMemory.needed() of all its arrays"
            )
        held = (ctypes.c_char * size).from_address(self._begin + self._taken)
        self._taken += _rounded(size)
        return np.ndarray(tuple(shape), dtype, memoryview(held), order=order)


class AdoptedMemory(Handle):
    """Existing arrays, made readable for all ranks of a node. Collective over `comm`.

    They keep their place and contents, and can be used as before. Adopting takes about as long as
    fifteen copies of them, once; freeing, which releases them, about the same. Redistributions
    that use them must be freed first. Worthwhile for the source's arrays.
    """

    _kind = "memory"
    _collective = True

    def __init__(self, comm: MPI.Comm, *arrays: NDArray[Any]) -> None:
        super().__init__()
        with agreed(comm):
            for number, array in enumerate(arrays):
                _require_adoptable(number, array)
        starts = [array.__array_interface__["data"][0] for array in arrays]
        sizes = [array.nbytes for array in arrays]
        call(
            "memory_adopt",
            communicator(comm),
            len(arrays),
            (ctypes.c_void_p * len(arrays))(*starts),
            (ctypes.c_size_t * len(arrays))(*sizes),
            self._address(),
        )
        _adopted[self._handle.value] = arrays

    def free(self) -> None:
        """Releases the arrays, in place and with their contents. Collective."""
        super().free()
        _adopted.pop(self._handle.value, None)


def _require_adoptable(number: int, array: NDArray[Any]) -> None:
    if not _without_gaps(array):
        raise RedistributionError(
            f"array {number} to adopt is a view with gaps; allowed: whole arrays, in any "
            "order of axes; adopt the array that it is a view of"
        )
    if not array.flags.writeable:
        raise RedistributionError(
            f"array {number} to adopt is read-only; allowed: memory that the program owns; "
            "adopt the array that it is a view of, or a copy"
        )


def _without_gaps(array: NDArray[Any]) -> bool:
    """Whether the array is contiguous, in any order of its axes, none reversed."""
    expected = array.itemsize
    for stride, length in sorted(zip(array.strides, array.shape, strict=True)):
        if length != 1 and stride != expected:
            return array.size == 0
        expected *= length
    return True


def _bytes(shape: Sequence[int], dtype: DTypeLike) -> int:
    return math.prod(shape) * np.dtype(dtype).itemsize


def _rounded(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT
