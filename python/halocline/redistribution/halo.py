"""Ghost cells around the blocks of a layout, filled repeatedly."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self, Unpack

from mpi4py import MPI

from halocline.redistribution.fields import Ghosts, Parts, bordered_fields, widths_of
from halocline.redistribution.handle import Handle
from halocline.redistribution.layout import Layout
from halocline.redistribution.library import (
    DIMENSIONS,
    INT64,
    GhostCells,
    RedistributionError,
    agreed,
    call,
    communicator,
)
from halocline.redistribution.redistribution import Options, Redistribution
from halocline.redistribution.route import Route


@dataclass(frozen=True)
class Fold:
    """The upper edge of axis 1 is joined to itself, like the north of a tripolar grid.

    The cell n rows beyond it at x of `nx` is the cell n + skipped rows before it at
    nx - 1 + shift - x. A `shift` of -1 or 1 is for points on cell faces, `skipped` 1 for
    points on the fold's line.
    """

    shift: int = 0
    skipped: int = 0


class HaloRoute(Route):
    """Fills the ghost cells of all blocks of a layout. Collective over `comm`.

    `widths` is the number of ghost cells at both ends of every axis, or has an entry for each: a
    number, or a pair for the two ends. The edges of axes that are not `periodic` are closed.
    """

    def __init__(
        self,
        layout: Layout,
        comm: MPI.Comm,
        widths: Ghosts,
        *,
        periodic: Sequence[bool] = (),
        corners: bool = True,
        fold: Fold | None = None,
    ) -> None:
        Handle.__init__(self)
        self.source = self.destination = layout
        self.comm, self.widths = comm, widths
        with agreed(comm):
            below, above = zip(*_ends(layout, widths, periodic), strict=True)
            asked = GhostCells(
                (INT64 * DIMENSIONS)(*below),
                (INT64 * DIMENSIONS)(*above),
                (ctypes.c_int * DIMENSIONS)(*periodic),
                not corners,
                fold is not None,
                fold.shift if fold else 0,
                fold.skipped if fold else 0,
            )
        call(
            "route_create_halo",
            layout._handle,
            ctypes.byref(asked),
            communicator(comm),
            self._address(),
        )

    @classmethod
    def load(  # type: ignore[override]  # one layout, and widths: a file has only boxes
        cls, path: Path | str, layout: Layout, comm: MPI.Comm, widths: Ghosts
    ) -> Self:
        """A saved route for this layout and these widths, on as many ranks. Collective."""
        with agreed(comm):
            _ends(layout, widths)
        loaded = super().load(path, layout, layout, comm)
        loaded.widths = widths
        return loaded


def _ends(layout: Layout, widths: Ghosts, periodic: Sequence[bool] = ()) -> list[tuple[int, int]]:
    """The ghost cells at both ends of each axis."""
    axes = len(layout.cuts)
    ends = widths_of(widths, axes)
    if len(ends) != axes or len(periodic) not in (0, axes):
        raise RedistributionError(
            f"widths {widths} and periodic {tuple(periodic)} for a layout of {axes} axes; "
            "give an entry for each axis"
        )
    return ends


class Halo(Redistribution):
    """Arrays whose ghost cells are filled together. Collective over the route's communicator.

    `fields` has an entry for each field: an array, or a list with one for each block that the rank
    owns. Its first axes are those of the layout, with `ghosts` cells at their ends, by default as
    many as the route fills; the others travel whole, and may differ between fields. The options are
    those of `Redistribution`, and it must be freed like one.
    """

    def __init__(
        self,
        route: HaloRoute,
        fields: Sequence[Parts],
        *,
        ghosts: Ghosts | None = None,
        **options: Unpack[Options],
    ) -> None:
        Handle.__init__(self)
        with agreed(route.comm):
            blocks = route.source.blocks(route.comm.rank)
            widths = route.widths if ghosts is None else ghosts
            side = bordered_fields(fields, blocks, widths)
        self._create(route, len(fields), side, side, **options)
