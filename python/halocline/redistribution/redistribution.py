"""A route for arrays, ready to run again and again."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from halocline.redistribution.fields import Array, Ghosts, Parts, fields
from halocline.redistribution.handle import Handle
from halocline.redistribution.layout import Layout, Points
from halocline.redistribution.library import (
    Field,
    RedistributionError,
    Way,
    call,
    communicator,
    together,
)
from halocline.redistribution.memory import NodeMemory
from halocline.redistribution.route import Route

_PACKINGS = ("rank", "box", "run")


class _Sides:
    """The arrays of both sides, as the library takes them."""

    def __init__(self, route: Route) -> None:
        self._rank = route.comm.rank
        self.fields: list[ctypes.Array[Field]] = []
        self.blocks: list[int] = []
        self.arrays: list[Array] = []  # kept as long as the library may look at them
        self.problem: str | None = None

    def add(
        self, side: str, layout: Layout | Points, bundle: Sequence[Parts], ghosts: Ghosts
    ) -> None:
        """Adds a side; what is wrong with it is kept until all ranks know."""
        try:
            blocks = layout.blocks(self._rank)
            described, arrays = fields(side, bundle, blocks, ghosts)
        except RedistributionError as error:
            self.problem = self.problem or str(error)
            return
        self.fields.append(described)
        self.blocks.append(len(blocks))
        self.arrays += arrays


class Redistribution(Handle):
    """Arrays that travel along a route together. Collective over the route's communicator.

    `source` and `destination` have an entry for each field, the same fields on all ranks: an
    array, or a list with one for each block that the rank owns. Axis k of an array is dimension k,
    in any order in memory; ghost cells at the ends of an axis stay as they are.

    `packing` says what one message between nodes is: all that goes to a "rank", a "box" of
    indices, or a "run" of memory. With `messages_only` ranks of a node send messages too. With
    `progress_thread` a thread drives messages on between `start()` and `finish()`.
    """

    _kind = "redistribution"

    def __init__(
        self,
        route: Route,
        source: Sequence[Parts],
        destination: Sequence[Parts],
        *,
        source_ghosts: Ghosts = 0,
        destination_ghosts: Ghosts = 0,
        memory: NodeMemory | None = None,
        protocol: str | None = None,
        packing: str = "rank",
        field_by_field: bool = False,
        messages_only: bool = False,
        threads: int = 1,
        progress_thread: bool = False,
    ) -> None:
        super().__init__()
        sides = _Sides(route)
        sides.add("source", route.source, source, source_ghosts)
        sides.add("destination", route.destination, destination, destination_ghosts)
        if len(source) != len(destination):
            sides.problem = (
                f"{len(source)} source fields and {len(destination)} destination fields; "
                "give as many on both sides"
            )
        if packing not in _PACKINGS:
            sides.problem = f"packing {packing}; allowed: {', '.join(_PACKINGS)}; choose one"
        together(route.comm, sides.problem)
        self._kept = (sides.arrays, memory)
        name = protocol.encode() if protocol is not None else None
        number = _PACKINGS.index(packing)
        way = Way(name, number, field_by_field, messages_only, threads, progress_thread)
        call(
            "redistribution_create",
            route._handle,
            communicator(route.comm),
            len(source),
            sides.blocks[0],
            sides.fields[0],
            sides.blocks[1],
            sides.fields[1],
            ctypes.byref(way),
            memory._handle if memory else None,
            self._address(),
        )

    def run(self) -> None:
        """The destination holds the source's values when it returns. Collective."""
        call("redistribution_run", self._handle)

    def start(self) -> None:
        """Begins: the source must not change, and the destination is not to be read."""
        call("redistribution_start", self._handle)

    def finish(self) -> None:
        """Returns when the destination is complete and the source may change again."""
        call("redistribution_finish", self._handle)

    def sent_bytes(self) -> int:
        """What this rank sends to others each time."""
        count = ctypes.c_size_t()
        call("redistribution_sent_bytes", self._handle, ctypes.byref(count))
        return count.value
