"""Datasets in blocks: a NetCDF file is read in one decomposition and written in another."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import xarray
from mpi4py import MPI
from numpy.typing import NDArray

from halocline.redistribution.layout import Block, Layout, Points, numbers_in, whole
from halocline.redistribution.library import together
from halocline.redistribution.redistribution import Redistribution
from halocline.redistribution.route import Route

Variables = Mapping[Hashable, xarray.Variable]


class Decomposed:
    """A dataset whose dimensions `names` are cut according to a layout; each rank has its blocks.

    Variables without any of these dimensions are whole on every rank, and those that have only
    some of them are cut along these. Values are those in the file: neither scaled nor masked,
    and times not decoded.
    """

    def __init__(
        self,
        names: Sequence[str],
        layout: Layout,
        comm: MPI.Comm,
        blocks: Sequence[xarray.Dataset],
        empty: xarray.Dataset,
        staying: Variables,
    ) -> None:
        self.names, self.layout, self.comm = tuple(names), layout, comm
        self.blocks = tuple(blocks)
        self._empty = empty  # all variables, without points: known on ranks without blocks too
        self._staying = staying  # whole: those that do not have all cut dimensions

    def to(self, layout: Layout, *, only: NDArray[np.bool_] | None = None) -> Decomposed:
        """The same dataset in another decomposition. Collective.

        With `only`, true or false for each point of the cut dimensions, the other points (those on
        land) do not travel: afterwards they have the variable's fill value, or 0.
        """
        owned = layout.blocks(self.comm.rank)
        unlike = _unlike_mask(only, layout) or _unlike_mask(only, self.layout)
        together(self.comm, _not_from_zero(layout) or unlike)
        moved: list[dict[Hashable, xarray.Variable]] = [{} for _ in owned]
        for extents, group in self._bundles():
            if only is None:
                bundle = self._move(layout, owned, extents, group)
            else:
                bundle = self._move_points(only, owned, extents, group)
            for into, variables in zip(moved, bundle, strict=True):
                into.update(variables)
        kept = self._with_those_of_blocks()
        blocks = [
            self._dataset({**variables, **self._part_of(kept, block)})
            for variables, block in zip(moved, owned, strict=True)
        ]
        return Decomposed(self.names, layout, self.comm, blocks, self._empty, kept)

    def write(self, path: Path | str) -> None:
        """Rank 0 writes one file, with the whole dataset in its memory. Collective."""
        gathered = self.to(Layout([whole(length) for length in self.layout.shape]))
        problem = None
        for dataset in gathered.blocks:
            try:
                _save(dataset, path)
            except Exception as error:  # the other ranks wait below
                problem = f"{path} cannot be written: {error}; give a writable path"
        together(self.comm, problem)

    def write_blocks(self, folder: Path | str) -> list[Path]:
        """Each rank writes a file for each of its blocks: `rank-3-block-0.nc`."""
        files = []
        for number, dataset in enumerate(self.blocks):
            files.append(Path(folder) / f"rank-{self.comm.rank}-block-{number}.nc")
            _save(dataset, files[-1])
        return files

    def _bundles(self) -> Iterable[tuple[tuple[int, ...], list[Hashable]]]:
        """The variables that travel, grouped by their further dimensions."""
        travelling = [
            (self._extents(variable), name)
            for name, variable in self._empty.variables.items()
            if set(self.names) <= set(variable.dims)
        ]
        travelling.sort(key=lambda entry: (entry[0], str(entry[1])))
        for extents, entries in groupby(travelling, key=lambda entry: entry[0]):
            yield extents, [name for _, name in entries]

    def _extents(self, variable: xarray.Variable) -> tuple[int, ...]:
        return tuple(variable.sizes[name] for name in self._further(variable))

    def _further(self, variable: xarray.Variable) -> list[Hashable]:
        return [name for name in variable.dims if name not in self.names]

    def _move(
        self,
        layout: Layout,
        owned: Sequence[Block],
        extents: tuple[int, ...],
        group: Sequence[Hashable],
    ) -> list[dict[Hashable, xarray.Variable]]:
        """The bundle's variables in the blocks of the other layout."""
        arrived: list[dict[Hashable, xarray.Variable]] = [
            {name: self._like(self._empty.variables[name], block) for name in group}
            for block in owned
        ]
        source = [[self._axes(block.variables[name]) for block in self.blocks] for name in group]
        destination = [[self._axes(block[name]) for block in arrived] for name in group]
        with (
            self.layout.carrying(*extents) as here,
            layout.carrying(*extents) as there,
            Route(here, there, self.comm) as route,
            Redistribution(route, source, destination) as redistribution,
        ):
            redistribution.run()
        return arrived

    def _move_points(
        self,
        only: NDArray[np.bool_],
        owned: Sequence[Block],
        extents: tuple[int, ...],
        group: Sequence[Hashable],
    ) -> list[dict[Hashable, xarray.Variable]]:
        """The same for the points in `only`, which travel by their numbers."""
        here = _Chosen(only, self.layout.blocks(self.comm.rank))
        there = _Chosen(only, owned)
        source = [
            here.of([self._axes(block.variables[name]) for block in self.blocks], extents, dtype)
            for name, dtype in self._types(group)
        ]
        destination = [np.empty((there.count, *extents), dtype) for _, dtype in self._types(group)]
        with (
            Points(here.numbers, extents) as sent,
            Points(there.numbers, extents) as received,
            Route(sent, received, self.comm) as route,
            Redistribution(route, source, destination) as redistribution,
        ):
            redistribution.run()
        arrived: list[dict[Hashable, xarray.Variable]] = [{} for _ in owned]
        for name, values in zip(group, destination, strict=True):
            like = self._empty.variables[name]
            for number, (block, part) in enumerate(there.parts(values)):
                arrived[number][name] = variable = self._like(like, owned[number])
                self._axes(variable)[block] = part
        return arrived

    def _types(self, group: Sequence[Hashable]) -> list[tuple[Hashable, np.dtype[Any]]]:
        return [(name, self._empty.variables[name].dtype) for name in group]

    def _like(self, variable: xarray.Variable, block: Block) -> xarray.Variable:
        lengths = dict(variable.sizes)
        lengths.update(zip(self.names, block.shape, strict=True))
        shape = [lengths[name] for name in variable.dims]
        return _missing(variable, shape)

    def _axes(self, variable: xarray.Variable) -> NDArray[Any]:
        """The values with the layout's dimensions first: the same memory, other strides."""
        return variable.transpose(*self.names, *self._further(variable)).values

    def _with_those_of_blocks(self) -> dict[Hashable, xarray.Variable]:
        """The variables that do not travel, whole, with what blocks have of them: they are small.

        Where nobody owns a block they are as in the file.
        """
        parts = [
            ({name: block.variables[name] for name in self._staying}, indices.indices)
            for block, indices in zip(self.blocks, self.layout.blocks(self.comm.rank), strict=True)
        ]
        everywhere = [part for rank in self.comm.allgather(parts) for part in rank]
        return {name: self._joined(name, everywhere) for name in self._staying}

    def _joined(
        self,
        name: Hashable,
        parts: Sequence[tuple[Variables, tuple[NDArray[np.int64], ...]]],
    ) -> xarray.Variable:
        like = self._staying[name]
        joined = xarray.Variable(like.dims, np.array(like.values), like.attrs, like.encoding)
        for variables, indices in parts:
            along = dict(zip(self.names, indices, strict=True))
            where = [
                along.get(str(dimension), np.arange(length))
                for dimension, length in joined.sizes.items()
            ]
            joined.values[np.ix_(*where)] = variables[name].values
        return joined

    def _part_of(
        self, kept: Mapping[Hashable, xarray.Variable], block: Block
    ) -> dict[Hashable, xarray.Variable]:
        along = dict(zip(self.names, block.indices, strict=True))
        return {
            name: variable.isel({key: along[key] for key in along if key in variable.dims})
            for name, variable in kept.items()
        }

    def _dataset(self, variables: Variables) -> xarray.Dataset:
        dataset = xarray.Dataset(variables, attrs=self._empty.attrs)
        unlimited = self._empty.encoding.get("unlimited_dims", set())
        dataset.encoding["unlimited_dims"] = {each for each in unlimited if each in dataset.dims}
        return dataset.set_coords([name for name in self._empty.coords if name in variables])


def _missing(like: xarray.Variable, shape: Sequence[int]) -> xarray.Variable:
    """Missing values or 0: nothing arrives from blocks that no rank owns."""
    values = np.full(shape, like.attrs.get("_FillValue", np.zeros((), like.dtype)), like.dtype)
    return xarray.Variable(like.dims, values, like.attrs, like.encoding)


class _Chosen:
    """The points that a mask selects in the blocks of a rank, block after block."""

    def __init__(self, mask: NDArray[np.bool_], blocks: Sequence[Block]) -> None:
        self._masks = [mask[np.ix_(*block.indices)] for block in blocks]
        where = [np.nonzero(chosen) for chosen in self._masks]
        numbers = [
            numbers_in(
                mask.shape, *(along[at] for along, at in zip(block.indices, indices, strict=True))
            )
            for block, indices in zip(blocks, where, strict=True)
        ]
        self.numbers = np.concatenate([np.empty(0, dtype=np.int64), *numbers])

    @property
    def count(self) -> int:
        return len(self.numbers)

    def of(
        self, arrays: Sequence[NDArray[Any]], extents: tuple[int, ...], dtype: np.dtype[Any]
    ) -> NDArray[Any]:
        """The values of these points, one block after the other."""
        none = np.empty((0, *extents), dtype)
        chosen = zip(arrays, self._masks, strict=True)
        return np.concatenate([none, *(array[mask] for array, mask in chosen)])

    def parts(self, values: NDArray[Any]) -> Iterable[tuple[NDArray[np.bool_], NDArray[Any]]]:
        """The mask of each block, and its part of the values."""
        ends = np.cumsum([mask.sum() for mask in self._masks])
        return zip(self._masks, np.split(values, ends[:-1]) if len(ends) else [], strict=True)


def _unlike_mask(mask: NDArray[np.bool_] | None, layout: Layout) -> str | None:
    """Why the mask does not fit the layout."""
    if mask is None or (mask.shape == layout.shape and mask.dtype == np.bool_):
        return None
    return (
        f"a mask of type {mask.dtype} and shape {mask.shape}; allowed: bool, {layout.shape}; "
        "give true or false for each point of the grid"
    )


def _not_from_zero(layout: Layout) -> str | None:
    """Why its indices are not positions in a file's dimensions."""
    lower = tuple(cut.lower for cut in layout.cuts)
    if not any(lower):
        return None
    return f"the layout begins at {lower}; allowed: 0 in each dimension; make cuts that begin at 0"


def read(path: Path | str, names: Sequence[str], layout: Layout, comm: MPI.Comm) -> Decomposed:
    """Each rank reads its blocks of a NetCDF file; names[k] is the layout's dimension k.

    Collective: an error on one rank is raised on all ranks.
    """
    blocks: list[xarray.Dataset] = []
    staying: dict[Hashable, xarray.Variable] = {}
    empty = xarray.Dataset()
    problem = None
    try:
        with xarray.open_dataset(path, mask_and_scale=False, decode_times=False) as file:
            problem = _unlike(path, file, names, layout)
            if problem is None:
                empty = file.isel({name: slice(0, 0) for name in names}).load()
                staying = {
                    name: variable.load()
                    for name, variable in file.variables.items()
                    if not set(names) <= set(variable.dims)
                }
                blocks = [
                    file.isel(dict(zip(names, block.indices, strict=True))).load()
                    for block in layout.blocks(comm.rank)
                ]
    except Exception as error:  # the other ranks wait below
        problem = f"{path} cannot be read: {error}; give a NetCDF file that all ranks can read"
    together(comm, problem)
    return Decomposed(names, layout, comm, blocks, empty, staying)


def _save(dataset: xarray.Dataset, path: Path | str) -> None:
    # xarray adds a fill value to reals without one by default.
    variables = dataset.variables.items()
    bare = [name for name, variable in variables if "_FillValue" not in variable.attrs]
    dataset.to_netcdf(path, encoding={name: {"_FillValue": None} for name in bare})


def _unlike(
    path: Path | str, file: xarray.Dataset, names: Sequence[str], layout: Layout
) -> str | None:
    """Why the layout does not fit the file's dimensions."""
    wanted = dict(zip(names, layout.shape, strict=False))
    lengths = {name: file.sizes.get(name) for name in names}
    if len(names) == len(layout.cuts) and lengths == wanted:
        return _not_from_zero(layout)
    return (
        f"{path} has dimensions {dict(file.sizes)}, and the layout is of {tuple(names)} "
        f"{layout.shape}; make the layout for the file's dimensions"
    )
