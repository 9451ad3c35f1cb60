"""Which rank owns which indices of a grid."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from halocline.redistribution.handle import Handle
from halocline.redistribution.library import DIMENSIONS as DIMENSIONS_MAXIMUM
from halocline.redistribution.library import (
    INT64,
    Dimension,
    RedistributionError,
    call,
    count,
    index,
)

Indices = NDArray[np.int64]
NOBODY = -1  # the owner of a block without a rank: land in an ocean grid


@dataclass(frozen=True)
class Cut:
    """One dimension and how it is cut; created by `even`, `whole`, `at` and `cyclic`."""

    lower: int
    upper: int
    parts: int
    block: int = 0
    points: tuple[int, ...] = ()

    def indices(self, part: int) -> Indices:
        """The grid's indices that a part owns, ascending."""
        if self.points:
            return np.arange(self.points[part], self.points[part + 1], dtype=np.int64)
        if self.block:
            every: Indices = np.arange(self.lower, self.upper, dtype=np.int64)
            owned: Indices = every[(every - self.lower) // self.block % self.parts == part]
            return owned
        shorter, longer = divmod(self.upper - self.lower, self.parts)
        begin = self.lower + part * shorter + min(part, longer)
        return np.arange(begin, begin + shorter + (part < longer), dtype=np.int64)


def even(length: int, parts: int, *, lower: int = 0) -> Cut:
    """`parts` intervals that differ by one index at most, the longer ones first."""
    return Cut(lower, lower + length, parts)


def whole(length: int, *, lower: int = 0) -> Cut:
    """A dimension that is not cut."""
    return even(length, 1, lower=lower)


def at(points: Sequence[int]) -> Cut:
    """Part p owns the indices from points[p] up to, but not including, points[p + 1]."""
    cuts = tuple(index(point, "a cut point") for point in points)
    first, last = (cuts[0], cuts[-1]) if cuts else (0, 0)
    return Cut(first, last, len(cuts) - 1, points=cuts)


def cyclic(length: int, parts: int, *, block: int = 1, lower: int = 0) -> Cut:
    """Blocks of `block` indices, distributed round-robin."""
    if block < 1:
        raise RedistributionError(
            f"a dimension distributed in blocks of {block} indices; allowed: 1 or more; "
            "give the length of a block"
        )
    return Cut(lower, lower + length, parts, block=block)


@dataclass(frozen=True)
class Block:
    """The part of a grid that a rank owns in one array."""

    indices: tuple[Indices, ...]  # the grid's, along each dimension
    lower: tuple[int, ...]  # as the library counts them locally
    upper: tuple[int, ...]
    numbered: int = 1  # the library's dimensions that the first axis stands for

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of an array without ghost cells."""
        return tuple(len(along) for along in self.indices)

    def of(self, array: Any) -> Any:
        """The block of an array, or of anything indexed like one, that holds the whole grid.

        The grid must begin with index 0 in each dimension.
        """
        contiguous = all(
            len(along) == 0 or along[-1] - along[0] + 1 == len(along) for along in self.indices
        )
        if contiguous:
            return array[tuple(_interval(along) for along in self.indices)]
        return array[np.ix_(*self.indices)]


def _interval(along: Indices) -> slice:
    return slice(int(along[0]), int(along[-1]) + 1) if len(along) else slice(0, 0)


class Layout(Handle):
    """A grid of one to four dimensions, cut along each; axis k of an array is dimension k.

    Blocks are numbered with the first dimension varying fastest. In that order they belong to the
    ranks from `first_rank` on; or `owners` has the rank of each block or `NOBODY`: an array with
    one axis per dimension, or a list in that order. A rank may own several blocks, or none.
    """

    _kind = "layout"

    def __init__(
        self,
        cuts: Sequence[Cut],
        *,
        first_rank: int = 0,
        owners: NDArray[np.integer] | Sequence[Any] | None = None,
    ) -> None:
        self.cuts = tuple(cuts)
        kept = [(INT64 * len(cut.points))(*cut.points) for cut in self.cuts]
        dimensions = (Dimension * len(self.cuts))(
            *(
                Dimension(
                    index(cut.lower, "a dimension's lower bound"),
                    index(cut.upper, "a dimension's upper bound"),
                    count(cut.parts, "the number of parts"),
                    index(cut.block, "the length of a block"),
                    points if cut.points else None,
                )
                for cut, points in zip(self.cuts, kept, strict=True)
            )
        )
        self._first_rank = count(first_rank, "the first rank")
        self._owners: NDArray[np.intc] | None = None
        super().__init__()
        length = len(self.cuts)
        if owners is None:
            call("layout_create", length, dimensions, self._first_rank, self._address())
            return
        given = np.asarray(owners, dtype=np.intc)
        parts = tuple(cut.parts for cut in self.cuts)
        if given.ndim != 1 and given.shape != parts:
            raise RedistributionError(
                f"owners of shape {given.shape} for {parts} parts; give the rank of each part, "
                "in the parts' shape or as a list, first dimension fastest"
            )
        # The first dimension varies fastest, as in the library.
        table = given.ravel(order="F")
        self._owners = table
        ranks = (ctypes.c_int * len(table))(*table)
        call("layout_create_owned", length, dimensions, len(table), ranks, self._address())

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the whole grid."""
        return tuple(cut.upper - cut.lower for cut in self.cuts)

    def carrying(self, *lengths: int) -> Layout:
        """The same layout for a grid with further dimensions after its own, which are not cut."""
        cuts = (*self.cuts, *(whole(length) for length in lengths))
        if self._owners is None:
            return Layout(cuts, first_rank=self._first_rank)
        return Layout(cuts, owners=self._owners)

    def blocks(self, rank: int) -> tuple[Block, ...]:
        """The blocks that a rank owns, in order."""
        held = ctypes.c_int()
        call("layout_blocks", self._handle, rank, ctypes.byref(held))
        return tuple(self._block(rank, at) for at in range(held.value))

    def _block(self, rank: int, number: int) -> Block:
        lower, upper = (INT64 * DIMENSIONS_MAXIMUM)(), (INT64 * DIMENSIONS_MAXIMUM)()
        call("layout_block", self._handle, rank, number, lower, upper)
        place = self._places(rank)[number]
        parts = np.unravel_index(place, [cut.parts for cut in self.cuts], order="F")
        dimensions = len(self.cuts)
        return Block(
            tuple(cut.indices(int(part)) for cut, part in zip(self.cuts, parts, strict=True)),
            tuple(lower[:dimensions]),
            tuple(upper[:dimensions]),
        )

    def relabelled(self, source: Layout) -> Relabelling:
        """This layout with its ranks renumbered, so that less data moves to it from the source."""
        before, after = INT64(), INT64()
        counts = (ctypes.byref(before), ctypes.byref(after))
        better = Handle.of_kind(self._kind)
        call("layout_relabel", source._handle, self._handle, better._address(), *counts)
        places = math.prod(cut.parts for cut in self.cuts)
        owners = (ctypes.c_int * places)()
        with better:
            call("layout_owners", better._handle, INT64(places), owners)
        layout = Layout(self.cuts, owners=np.array(owners, dtype=np.intc))
        return Relabelling(layout, before.value, after.value)

    def _places(self, rank: int) -> Sequence[int]:
        if self._owners is None:
            return [rank - self._first_rank]
        return [int(place) for place in np.flatnonzero(self._owners == rank)]

    def arrays(self, rank: int, dtype: DTypeLike, *, ghosts: int = 0) -> list[NDArray[Any]]:
        """An array of zeros for each block of a rank, with `ghosts` ghost cells on each side."""
        return [
            np.zeros([length + 2 * ghosts for length in block.shape], dtype)
            for block in self.blocks(rank)
        ]


@dataclass(frozen=True)
class Relabelling:
    """A layout with renumbered ranks, and the indices that change rank on the way to it.

    `saved` is the difference; multiply it by an element's bytes for each field.
    """

    layout: Layout
    moved_before: int
    moved_after: int

    @property
    def saved(self) -> int:
        """Indices that stay in place and would have moved otherwise."""
        return self.moved_before - self.moved_after


class Points(Handle):
    """Arbitrary points: those of this rank, by number, in its storage order.

    The first axis of its arrays runs over them. `carried` are the lengths of further axes, e.g.
    levels. A number means the same point on all ranks; with a layout of blocks it is the point's
    number in the grid, the first dimension varying fastest, as `numbers_in` returns it.
    """

    _kind = "layout"

    def __init__(
        self,
        numbers: NDArray[np.integer] | Sequence[int],
        carried: Sequence[int] = (),
        *,
        numbered: int = 1,
    ) -> None:
        super().__init__()
        given = np.asarray(numbers)
        if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
            raise RedistributionError(
                f"numbers of points of shape {given.shape} and type {given.dtype}; "
                "allowed: one dimension of integers; pass numbers.ravel(), or convert them"
            )
        self.numbers: Indices = np.ascontiguousarray(given, dtype=np.int64)
        self.carried, self._numbered = tuple(carried), numbered
        further = (*[1] * (numbered - 1), *self.carried)
        call(
            "layout_create_points",
            INT64(len(self.numbers)),
            self.numbers.ctypes.data_as(ctypes.POINTER(INT64)),
            len(further),
            (INT64 * len(further))(),
            (INT64 * len(further))(*further),
            self._address(),
        )

    def beside(self, grid: Layout) -> Points:
        """The same points in the form that the library takes with a layout of blocks.

        Their carried axes are then the grid's last dimensions.
        """
        return Points(self.numbers, self.carried, numbered=len(grid.cuts) - len(self.carried))

    def blocks(self, rank: int) -> tuple[Block, ...]:
        """The points are one block, on whatever rank."""
        shape = (len(self.numbers), *self.carried)
        indices = tuple(np.arange(length, dtype=np.int64) for length in shape)
        return (Block(indices, (0,) * len(shape), shape, self._numbered),)

    def carrying(self, *lengths: int) -> Points:
        """The same points with further axes."""
        return Points(self.numbers, (*self.carried, *lengths))


def numbers_in(shape: Sequence[int], *indices: NDArray[np.integer]) -> Indices:
    """The numbers of points with these indices in a grid of this shape."""
    numbers: Indices = np.ravel_multi_index(indices, tuple(shape), order="F").astype(np.int64)
    return numbers
