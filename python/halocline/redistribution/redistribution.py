"""A route for arrays, ready to run repeatedly."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict, Unpack

from halocline.redistribution.fields import Ghosts, Parts, SideFields, fields
from halocline.redistribution.handle import Handle
from halocline.redistribution.library import (
    RedistributionError,
    Way,
    agreed,
    call,
    communicator,
)
from halocline.redistribution.memory import AdoptedMemory, NodeMemory
from halocline.redistribution.route import Route

_PACKINGS = ("rank", "box", "run")
_STORES = ("by size", "cached", "streaming")


class Options(TypedDict, total=False):
    """How arrays travel; the same on all ranks."""

    memory: NodeMemory | AdoptedMemory | None  # that holds the arrays
    protocol: str | None  # between nodes; None: isend_irecv, if the library has no choice
    packing: str
    field_by_field: bool
    messages_only: bool
    threads: int  # of each rank, copying within a node
    progress_thread: bool
    stores: str  # of copies within a node: by size, cached, streaming


@dataclass(frozen=True)
class WayTaken:
    """How a redistribution travels, and what decided that.

    `origin` is "the program", "the rule: ...", or the file of ways and its line.
    """

    protocol: str
    packing: str
    field_by_field: bool
    messages_only: bool
    threads: int
    progress_thread: bool
    stores: str
    origin: str


class Redistribution(Handle):
    """Arrays that travel along a route together. Collective over the route's communicator.

    It must be freed, collectively, by `with` or `free()`: it has a communicator of its own.

    `source` and `destination` have an entry for each field, the same fields on all ranks: an
    array, or a list with one for each block that the rank owns. Axis k of an array is dimension k,
    in any order in memory; ghost cells at the ends of an axis stay as they are.

    If no option but `memory`, `threads` and `progress_thread` is given, the library chooses: from
    the file of ways that HALOCLINE_WAYS names, or else by a rule. `way()` reports its choice.

    `packing` says what one message between nodes holds: everything for a "rank", a "box" of
    indices, or a "run" of memory. With `messages_only` ranks of a node send messages too. With
    `progress_thread` a thread progresses messages between `start()` and `finish()`.
    """

    _kind = "redistribution"
    _collective = True

    def __init__(
        self,
        route: Route,
        source: Sequence[Parts],
        destination: Sequence[Parts],
        *,
        source_ghosts: Ghosts = 0,
        destination_ghosts: Ghosts = 0,
        **options: Unpack[Options],
    ) -> None:
        super().__init__()
        with agreed(route.comm):
            if len(source) != len(destination):
                raise RedistributionError(
                    f"{len(source)} source fields and {len(destination)} destination fields; "
                    "give as many on both sides"
                )
            rank = route.comm.rank
            sent = fields("source", source, route.source.blocks(rank), source_ghosts)
            arriving = route.destination.blocks(rank)
            received = fields("destination", destination, arriving, destination_ghosts)
        self._create(route, len(source), sent, received, **options)

    def _create(
        self,
        route: Route,
        count: int,
        source: SideFields,
        destination: SideFields,
        *,
        memory: NodeMemory | AdoptedMemory | None = None,
        protocol: str | None = None,
        packing: str = "rank",
        field_by_field: bool = False,
        messages_only: bool = False,
        threads: int = 1,
        progress_thread: bool = False,
        stores: str = _STORES[0],
    ) -> None:
        with agreed(route.comm):
            for option, word, words in (
                ("packing", packing, _PACKINGS),
                ("stores", stores, _STORES),
            ):
                if word not in words:
                    raise RedistributionError(
                        f"{option} {word}; allowed: {', '.join(words)}; choose one"
                    )
            way = Way(
                protocol.encode() if protocol is not None else None,
                _PACKINGS.index(packing),
                field_by_field,
                messages_only,
                threads,
                progress_thread,
                _STORES.index(stores),
            )
        self._kept = (source.arrays, destination.arrays, memory)
        call(
            "redistribution_create",
            route._handle,
            communicator(route.comm),
            count,
            source.blocks,
            source.fields,
            destination.blocks,
            destination.fields,
            ctypes.byref(way),
            memory._handle if memory else None,
            self._address(),
        )

    def run(self) -> None:
        """On return the destination holds the source's values. Collective."""
        call("redistribution_run", self._handle)

    def start(self) -> None:
        """Starts: the source must not change, and the destination must not be read."""
        call("redistribution_start", self._handle)

    def finish(self) -> None:
        """Returns when the destination is complete and the source may change again."""
        call("redistribution_finish", self._handle)

    def sent_bytes(self) -> int:
        """The bytes that this rank sends to others in each run."""
        count = ctypes.c_size_t()
        call("redistribution_sent_bytes", self._handle, ctypes.byref(count))
        return count.value

    def way(self) -> WayTaken:
        """The way that the redistribution takes."""
        way, origin = Way(), ctypes.c_char_p()
        call("redistribution_way", self._handle, ctypes.byref(way), ctypes.byref(origin))
        return WayTaken(
            protocol=way.protocol.decode(),
            packing=_PACKINGS[way.packing],
            field_by_field=bool(way.field_by_field),
            messages_only=bool(way.messages_only),
            threads=way.threads,
            progress_thread=bool(way.progress_thread),
            stores=_STORES[way.stores],
            origin=(origin.value or b"").decode(),
        )
