"""NumPy arrays as the library's fields."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from halocline.redistribution.layout import Block
from halocline.redistribution.library import DIMENSIONS, INT64, Field, RedistributionError

Array = NDArray[Any]
Parts = Array | Sequence[Array]  # of a field: one array, or one per block of the rank
Ghosts = int | Sequence[int | tuple[int, int]]

# Moving ignores signs: an unsigned integer travels as the integer of its size.
_TYPES = {
    "f8": 1,
    "f4": 2,
    **{f"{kind}8": 3 for kind in "iu"},
    **{f"{kind}4": 4 for kind in "iu"},
    **{f"{kind}2": 5 for kind in "iu"},
    **{f"{kind}1": 6 for kind in "iub"},
    "c16": 7,
    "c8": 8,
}


@dataclass(frozen=True)
class SideFields:
    """The fields of a side, block by block, as the library takes them."""

    blocks: int
    fields: ctypes.Array[Field]
    arrays: list[Array]  # kept alive while the library may use them


def fields(
    side: Literal["source", "destination"],
    bundle: Sequence[Parts],
    blocks: Sequence[Block],
    ghosts: Ghosts,
) -> SideFields:
    """The fields of a side; those of the destination must be writeable."""
    written = side == "destination"
    by_field = [
        _by_block(f"{side} field {number}", parts, blocks, written)
        for number, parts in enumerate(bundle)
    ]
    inner = [
        _without_ghosts(f"{side} field {number}", parts[at], block, ghosts)
        for at, block in enumerate(blocks)
        for number, parts in enumerate(by_field)
    ]
    owners = [block for block in blocks for _ in by_field]
    described = [_field(array, block) for array, block in zip(inner, owners, strict=True)]
    return SideFields(len(blocks), (Field * len(described))(*described), inner)


def bordered_fields(bundle: Sequence[Parts], blocks: Sequence[Block], ghosts: Ghosts) -> SideFields:
    """The fields of a halo, with their ghost cells and any axes after the layout's."""
    by_field = [
        _by_block(f"field {number}", parts, blocks, written=True)
        for number, parts in enumerate(bundle)
    ]
    arrays = [parts[at] for at in range(len(blocks)) for parts in by_field]
    described = [
        _bordered_field(f"field {number}", parts[at], block, ghosts)
        for at, block in enumerate(blocks)
        for number, parts in enumerate(by_field)
    ]
    return SideFields(len(blocks), (Field * len(described))(*described), arrays)


def _bordered_field(name: str, array: Array, block: Block, ghosts: Ghosts) -> Field:
    axes = len(block.shape)
    widths = widths_of(ghosts, axes)
    _require_for_each_axis(name, widths, axes)
    shape = tuple(
        low + length + high for length, (low, high) in zip(block.shape, widths, strict=True)
    )
    _require(
        axes <= array.ndim <= DIMENSIONS and array.shape[:axes] == shape,
        name,
        f"has shape {array.shape}, and the rank's block with its ghost cells {shape}",
        "create the array like layout.arrays(), with any axes after these",
    )
    _require_movable(name, array)
    ends = zip(block.lower, block.upper, widths, strict=True)
    bounds = [(lower - low, upper + high) for lower, upper, (low, high) in ends]
    bounds += [(0, length) for length in array.shape[axes:]]
    lowers, uppers = zip(*bounds, strict=True)
    return _field(array, Block(block.indices, lowers, uppers))


def widths_of(ghosts: Ghosts, axes: int) -> list[tuple[int, int]]:
    """The number of ghost cells at either end of each axis."""
    if isinstance(ghosts, int):
        return [(ghosts, ghosts)] * axes
    return [(width, width) if isinstance(width, int) else width for width in ghosts]


def _by_block(name: str, parts: Parts, blocks: Sequence[Block], written: bool) -> list[Array]:
    arrays = [parts] if isinstance(parts, np.ndarray) else list(parts)
    for array in arrays:
        _require(
            isinstance(array, np.ndarray),
            name,
            f"is a {type(array).__name__} in one block; allowed: a NumPy array",
            "create it like layout.arrays()",
        )
        _require(
            array.flags.writeable or not written,
            name,
            "is read-only; allowed: writeable arrays, as values arrive in them",
            "give the array that it is a view of, or a copy",
        )
    if len(arrays) != len(blocks):
        raise RedistributionError(
            f"{name} has {len(arrays)} arrays, and the rank owns "
            f"{len(blocks)} blocks; give one for each of layout.blocks(rank)"
        )
    return arrays


def _without_ghosts(name: str, array: Array, block: Block, ghosts: Ghosts) -> Array:
    widths = widths_of(ghosts, array.ndim)
    _require_for_each_axis(name, widths, array.ndim)
    ends = zip(array.shape, widths, strict=True)
    inner = array[tuple(slice(low, length - high) for length, (low, high) in ends)]
    _require(
        inner.shape == block.shape,
        name,
        f"has shape {array.shape}, and the rank's block {block.shape} with ghosts {ghosts}",
        "create the array like layout.arrays()",
    )
    _require_movable(name, inner)
    return inner


def _require_movable(name: str, array: Array) -> None:
    _require(
        f"{array.dtype.kind}{array.dtype.itemsize}" in _TYPES and array.dtype.isnative,
        name,
        f"has type {array.dtype.str}; allowed, in the machine's byte order: real numbers of 4 or 8 "
        "bytes, complex ones of 8 or 16, integers of 1, 2, 4 or 8, bool",
        "convert it by astype()",
    )
    _require(
        all(step > 0 for step in _steps(array)),
        name,
        f"has strides {array.strides} bytes; allowed: above 0",
        "copy it by numpy.ascontiguousarray()",
    )


def _require_for_each_axis(name: str, widths: Sequence[tuple[int, int]], axes: int) -> None:
    _require(
        len(widths) == axes,
        name,
        f"needs ghosts for {axes} axes, and they are given for {len(widths)}",
        "give their width for each axis",
    )


def _require(holds: bool, name: str, what: str, remedy: str) -> None:
    if not holds:
        raise RedistributionError(f"{name} {what}; {remedy}")


def _field(array: Array, block: Block) -> Field:
    size = array.dtype.itemsize
    inserted = block.numbered - 1
    behind = DIMENSIONS - array.ndim - inserted

    def filled(values: Sequence[int], value: int) -> ctypes.Array[INT64]:
        """One value per dimension; dimensions without an axis get `value`."""
        all_values = (*values[:1], *[value] * inserted, *values[1:], *[value] * behind)
        return (INT64 * DIMENSIONS)(*all_values)

    return Field(
        array.ctypes.data,
        _TYPES[f"{array.dtype.kind}{size}"],
        filled(block.lower, 0),
        filled(block.upper, 1),
        filled(_steps(array), size),
    )


def _steps(array: Array) -> list[int]:
    """Bytes from one index to the next along each axis; arbitrary for axes of length 1."""
    lengths_and_strides = zip(array.shape, array.strides, strict=True)
    return [
        stride if length > 1 and array.size else array.dtype.itemsize
        for length, stride in lengths_and_strides
    ]
