"""What travels between the ranks, from one layout to another."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mpi4py import MPI

from halocline.redistribution.handle import Handle
from halocline.redistribution.layout import Layout, Points
from halocline.redistribution.library import (
    DIMENSIONS,
    INT64,
    RouteDescription,
    call,
    communicator,
    together,
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
        source, destination = _beside(source, destination)
        self.source, self.destination, self.comm = source, destination, comm
        layouts = (source._handle, destination._handle, communicator(comm))
        if isinstance(source, Points) or isinstance(destination, Points):
            regions = source_region is not None or destination_region is not None
            words = "a region of points; give the points that are in it"
            together(comm, words if regions else None)
            numbered = _numbered(source, destination)
            call("route_create_points", *layouts, numbered, int(unwanted), self._address())
            return
        if source_region is None and destination_region is None:
            call("route_create", *layouts, self._address())
            return
        bounds = (
            *_bounds(source_region or _whole(source)),
            *_bounds(destination_region or _whole(destination)),
        )
        call("route_create_region", *layouts, *bounds, self._address())

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
    ) -> Route:
        """A saved route of these layouts, on the same number of ranks. Collective."""
        loaded = cls.__new__(cls)
        Handle.__init__(loaded)
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


def _whole(layout: Layout) -> Bounds:
    return [(cut.lower, cut.upper) for cut in layout.cuts]


def _bounds(region: Bounds) -> tuple[ctypes.Array[INT64], ctypes.Array[INT64]]:
    # Unused dimensions have the bounds 0 and 1.
    unused = [(0, 1)] * (DIMENSIONS - len(region))
    lower, upper = zip(*region, *unused, strict=True)
    return (INT64 * DIMENSIONS)(*lower), (INT64 * DIMENSIONS)(*upper)
