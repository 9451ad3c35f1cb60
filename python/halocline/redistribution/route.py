"""What travels between the ranks, from one layout to another."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from mpi4py import MPI

from halocline.redistribution.handle import Handle
from halocline.redistribution.layout import Layout, Points
from halocline.redistribution.library import (
    DIMENSIONS,
    INT64,
    RedistributionError,
    RouteDescription,
    agreed,
    call,
    communicator,
    index,
)

Bounds = Sequence[tuple[int, int]]
Side = Layout | Points


@dataclass(frozen=True)
class RouteSize:
    """What a rank sends and receives, including itself: boxes of indices, elements per field."""

    boxes_sent: int
    boxes_received: int
    elements_sent: int
    elements_received: int


@dataclass(frozen=True)
class Description:
    """Totals of all ranks' routes in indices; multiply by an element's bytes per field."""

    ranks: int
    peers_maximum: int  # other ranks that one rank exchanges with
    messages: int  # from one rank to another, all boxes in one
    boxes: int  # also those that stay on their rank
    indices: int  # that arrive somewhere
    indices_moved: int  # the part that changes rank
    rank_moved_maximum: int  # sent or received by the busiest rank
    imbalance: float  # that, relative to the mean of all ranks


_KINDS = {
    "route_create": "layouts of blocks",
    "route_create_region": "layouts of blocks with regions",
    "route_create_points": "a layout of points",
}


class Route(Handle):
    """The boxes of indices that each rank sends and receives. Collective over `comm`.

    With regions, (lower, upper) for each dimension, only these indices of the source travel, and
    arrive at those of the destination. If either side has points, each is found by its number;
    points wanted by no rank are an error unless `unwanted`. Any number of redistributions may use a
    route.
    """

    _kind = "route"

    def __init__(
        self,
        source: Side,
        destination: Side,
        comm: MPI.Comm,
        *,
        source_region: Bounds | None = None,
        destination_region: Bounds | None = None,
        unwanted: bool = False,
    ) -> None:
        super().__init__()
        with agreed(comm):
            source, destination = _beside(source, destination)
            regions = (source_region, destination_region)
            function, further = _creation(source, destination, regions, unwanted)
        _require_same(comm, function)
        self.source, self.destination, self.comm = source, destination, comm
        layouts = (source._handle, destination._handle, communicator(comm))
        call(function, *layouts, *further, self._address())

    def reversed(self) -> Route:
        """The same boxes in the opposite direction."""
        other = Route.__new__(Route)
        Handle.__init__(other)
        other.source, other.destination, other.comm = self.destination, self.source, self.comm
        call("route_reverse", self._handle, other._address())
        return other

    def save(self, path: Path | str) -> None:
        """Writes the routes of all ranks to one file. Collective."""
        call("route_save", self._handle, communicator(self.comm), str(path).encode())

    @classmethod
    def load(
        cls,
        path: Path | str,
        source: Side,
        destination: Side,
        comm: MPI.Comm,
    ) -> Self:
        """A saved route of these layouts, on the same number of ranks. Collective."""
        loaded = cls.__new__(cls)
        Handle.__init__(loaded)
        with agreed(comm):
            loaded.source, loaded.destination = _beside(source, destination)
        loaded.comm = comm
        call("route_load", str(path).encode(), communicator(comm), loaded._address())
        return loaded

    def describe(self) -> Description:
        """The same on all ranks. Collective."""
        filled = RouteDescription()
        call("route_describe", self._handle, communicator(self.comm), ctypes.byref(filled))
        return Description(*(getattr(filled, name) for name, *_ in filled._fields_))

    def size(self) -> RouteSize:
        """What this rank sends and receives."""
        counts = [INT64() for _ in range(4)]
        call("route_size", self._handle, *(ctypes.byref(count) for count in counts))
        return RouteSize(*(count.value for count in counts))


def _beside(source: Side, destination: Side) -> tuple[Side, Side]:
    """Both sides; points that face blocks are described in the blocks' terms."""
    if isinstance(source, Points) and isinstance(destination, Layout):
        return source.beside(destination), destination
    if isinstance(source, Layout) and isinstance(destination, Points):
        return source, destination.beside(source)
    return source, destination


def _numbered(source: Side, destination: Side) -> int:
    """The number of dimensions that points are numbered over, on the side with blocks."""
    sides = (source, destination)
    carried = next(len(side.carried) for side in sides if isinstance(side, Points))
    grid = (len(side.cuts) - carried for side in sides if isinstance(side, Layout))
    return next(grid, 1)


def _require_same(comm: MPI.Comm, function: str) -> None:
    """Raises on all ranks: those that call other functions would wait for one another forever."""
    functions = comm.allgather(function)
    for rank, other in enumerate(functions):
        if other != functions[0]:
            raise RedistributionError(
                f"rank {rank} gives {_KINDS[other]}, rank 0 {_KINDS[functions[0]]}; "
                "all ranks must give the same kinds; pass regions and layouts alike everywhere"
            )


def _creation(
    source: Side, destination: Side, regions: tuple[Bounds | None, Bounds | None], unwanted: bool
) -> tuple[str, tuple[object, ...]]:
    """The library's function for a route of these sides, and what it takes in addition to them."""
    everything = all(region is None for region in regions)
    if isinstance(source, Points) or isinstance(destination, Points):
        if not everything:
            raise RedistributionError("a region of points; give the points that are in it")
        return "route_create_points", (_numbered(source, destination), int(unwanted))
    if everything:
        return "route_create", ()
    bounds = (
        *_bounds("source", source, regions[0]),
        *_bounds("destination", destination, regions[1]),
    )
    return "route_create_region", bounds


def _bounds(
    side: str, layout: Layout, region: Bounds | None
) -> tuple[ctypes.Array[INT64], ctypes.Array[INT64]]:
    pairs = [(cut.lower, cut.upper) for cut in layout.cuts] if region is None else region
    if len(pairs) != len(layout.cuts) or any(len(pair) != 2 for pair in pairs):
        raise RedistributionError(
            f"{side} region {pairs} of a grid of {len(layout.cuts)} dimensions; "
            "give a pair (lower, upper) for each dimension"
        )
    # Unused dimensions have the bounds 0 and 1.
    unused = [(0, 1)] * (DIMENSIONS - len(pairs))
    numbers = [[index(bound, f"a bound of the {side} region") for bound in pair] for pair in pairs]
    lower, upper = zip(*numbers, *unused, strict=True)
    return (INT64 * DIMENSIONS)(*lower), (INT64 * DIMENSIONS)(*upper)
