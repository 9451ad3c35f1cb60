"""The pictures of a run; a launch of each case writes one into `pictures/`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray

from halocline.base.errors import UserError
from halocline.base.reading import Count, Number, Seconds, json_file, require_schema

FOLDER = "pictures"
SCHEMA = 1
NOBODY = -1

_WHAT = "a picture of a case"
_REMEDY = "restore the file from a copy, or delete it: the next launch of the case writes another"
_MOST = 360  # rows or columns of a map
_Side = Annotated[int, Meta(ge=0, le=_MOST)]
_Cells = Annotated[int, Meta(ge=1, le=2**31)]
_Cell = Annotated[int, Meta(ge=0, le=2**31)]
_Owner = Annotated[int, Meta(ge=NOBODY, le=2**31)]
_Text = Annotated[str, Meta(min_length=1, max_length=200)]
_LandRow = Annotated[str, Meta(pattern=r"^[#.]*$", max_length=_MOST)]


class _Map(Struct):
    name: _Text
    title: _Text
    unit: _Text
    values: list[Number | None]


class _Owners(Struct):
    columns: _Cells
    rows: _Cells
    blocks: list[tuple[_Cell, _Cell, _Cell, _Cell, _Owner]]
    work: Annotated[list[Count], Meta(min_length=1)]
    land_side: _Cells
    land: Annotated[list[_LandRow], Meta(max_length=_MOST)]
    omitted: str


class _Picture(Struct):
    schema: int
    case: _Text
    label: _Text
    launch: Annotated[int, Meta(ge=0, le=2**31)]
    model_s: Seconds
    rows: _Side
    columns: _Side
    maps: list[_Map]
    owners: _Owners | None = None


@dataclass(frozen=True, eq=False)
class Map:
    """A field on the sphere: rows from south to north, from 180° W eastwards; land is NaN."""

    name: str
    title: str
    unit: str
    values: NDArray[np.float64]


@dataclass(frozen=True)
class Block:
    """Half-open ranges of a grid's columns and rows, and the rank that owns them, or NOBODY."""

    west: int
    east: int
    south: int
    north: int
    owner: int


@dataclass(frozen=True, eq=False)
class Owners:
    """The decomposition of a grid; `work` has the cells of ocean of each rank."""

    columns: int
    rows: int
    blocks: tuple[Block, ...]
    work: tuple[int, ...]
    land_side: int  # columns and rows of the grid in a cell of `land`
    land: NDArray[np.bool_]  # from the first row
    omitted: str  # why the blocks are missing


@dataclass(frozen=True)
class Picture:
    """Fields and decomposition of a case after the last batch of a launch."""

    case: str
    label: str
    launch: int
    model_s: float
    maps: tuple[Map, ...]
    owners: Owners | None

    def map(self, name: str) -> Map | None:
        """The map of that name, if there is one."""
        return next((field for field in self.maps if field.name == name), None)


def read(run: Path, cases: Sequence[str]) -> dict[str, Picture]:
    """The pictures of these cases that the run has; UserError if one is damaged."""
    files = {case: run / FOLDER / f"{case}.json" for case in cases}
    return {case: picture(file) for case, file in files.items() if file.exists()}


def picture(file: Path) -> Picture:
    """The picture in a file; UserError if it is damaged."""
    content = json_file(file, _Picture, _WHAT, _REMEDY)
    require_schema(content.schema, SCHEMA, file, _REMEDY)
    try:
        return Picture(
            case=content.case,
            label=content.label,
            launch=content.launch,
            model_s=content.model_s,
            maps=tuple(_map(field, content.rows, content.columns) for field in content.maps),
            owners=_owners(content.owners) if content.owners else None,
        )
    except ValueError as error:
        raise UserError(f"not {_WHAT}: {error}", where=str(file), remedy=_REMEDY) from None


def _map(field: _Map, rows: int, columns: int) -> Map:
    if not field.values or len(field.values) != rows * columns:
        raise ValueError(f"map {field.name!r} has {len(field.values)} values, not {rows}x{columns}")
    values = np.array([np.nan if value is None else value for value in field.values])
    return Map(field.name, field.title, field.unit, values.reshape(rows, columns))


def _owners(owners: _Owners) -> Owners:
    blocks = tuple(Block(*bounds) for bounds in owners.blocks)
    for block in blocks:
        inside = (
            block.west <= block.east <= owners.columns and block.south <= block.north <= owners.rows
        )
        if not inside or block.owner >= len(owners.work):
            raise ValueError(f"owners: {block} is outside the grid or of an unknown rank")
    if not owners.land or len({len(row) for row in owners.land}) != 1 or not owners.land[0]:
        raise ValueError("owners: land needs rows of one length")
    land = np.array([[cell == "#" for cell in row] for row in owners.land])
    side, (rows, columns) = owners.land_side, land.shape
    if (rows, columns) != (-(-owners.rows // side), -(-owners.columns // side)):
        raise ValueError("owners: land does not cover the grid")
    return Owners(
        owners.columns, owners.rows, blocks, tuple(owners.work), side, land, owners.omitted
    )
