"""What travels between the ranks, from one layout to another."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass

from mpi4py import MPI

from halocline.redistribution.handle import Handle
from halocline.redistribution.layout import Layout
from halocline.redistribution.library import DIMENSIONS, INT64, call, communicator

Bounds = Sequence[tuple[int, int]]


@dataclass(frozen=True)
class RouteSize:
    """What a rank sends and receives, to itself too: boxes of indices, and elements a field."""

    boxes_sent: int
    boxes_received: int
    elements_sent: int
    elements_received: int


class Route(Handle):
    """The boxes of indices that each rank sends and receives. Collective over `comm`.

    With regions, (lower, upper) for each dimension, only these indices of the source travel, and
    come to those of the destination. Any number of redistributions may use a route.
    """

    _kind = "route"

    def __init__(
        self,
        source: Layout,
        destination: Layout,
        comm: MPI.Comm,
        *,
        source_region: Bounds | None = None,
        destination_region: Bounds | None = None,
    ) -> None:
        super().__init__()
        self.source, self.destination, self.comm = source, destination, comm
        layouts = (source._handle, destination._handle, communicator(comm))
        if source_region is None and destination_region is None:
            call("route_create", *layouts, self._address())
            return
        bounds = (
            *_bounds(source_region or _whole(source)),
            *_bounds(destination_region or _whole(destination)),
        )
        call("route_create_region", *layouts, *bounds, self._address())

    def reversed(self) -> Route:
        """The same boxes, the other way."""
        other = Route.__new__(Route)
        Handle.__init__(other)
        other.source, other.destination, other.comm = self.destination, self.source, self.comm
        call("route_reverse", self._handle, other._address())
        return other

    def size(self) -> RouteSize:
        """What this rank sends and receives."""
        counts = [INT64() for _ in range(4)]
        call("route_size", self._handle, *(ctypes.byref(count) for count in counts))
        return RouteSize(*(count.value for count in counts))


def _whole(layout: Layout) -> Bounds:
    return [(cut.lower, cut.upper) for cut in layout.cuts]


def _bounds(region: Bounds) -> tuple[ctypes.Array[INT64], ctypes.Array[INT64]]:
    # Dimensions that are not used have the bounds 0 and 1.
    unused = [(0, 1)] * (DIMENSIONS - len(region))
    lower, upper = zip(*region, *unused, strict=True)
    return (INT64 * DIMENSIONS)(*lower), (INT64 * DIMENSIONS)(*upper)
