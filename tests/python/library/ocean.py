"""An ocean model's file, from the ocean's decomposition into the atmosphere's, on any ranks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from unittest import mock

import numpy as np
import xarray
from mpi4py import MPI

from halocline.redistribution import NOBODY, Layout, RedistributionError, cyclic, even, whole
from halocline.redistribution.xarray import Decomposed, read
from library.earth import LATITUDES, LONGITUDES, ocean, write

WORLD = MPI.COMM_WORLD
NAMES = ("latitude", "longitude")
FILE = Path("ocean.nc")


def ocean_layout() -> Layout:
    """Blocks of 48 × 40 points, each of the rank that has the fewest ocean points so far."""
    parts = (LATITUDES // 48, LONGITUDES // 40)
    wet = ocean().reshape(parts[0], 48, parts[1], 40).sum(axis=(1, 3))
    owners, load = np.zeros(parts, dtype=int), np.zeros(WORLD.size)
    for place in np.argsort(-wet, axis=None, kind="stable"):
        rank = int(load.argmin())
        owners.flat[place], load[rank] = rank, load[rank] + wet.flat[place]
    return Layout([even(LATITUDES, parts[0]), even(LONGITUDES, parts[1])], owners=owners)


def atmosphere_layout() -> Layout:
    """Bands of four latitudes dealt in turn: each rank has some of the tropics and of the poles."""
    return Layout([cyclic(LATITUDES, WORLD.size, block=4), whole(LONGITUDES)])


def is_right(decomposed: Decomposed) -> None:
    """Every value of every variable has the bits that it has in the file."""
    with xarray.open_dataset(FILE, mask_and_scale=False, decode_times=False) as file:
        owned = decomposed.layout.blocks(WORLD.rank)
        for dataset, block in zip(decomposed.blocks, owned, strict=True):
            wanted = file.isel(dict(zip(NAMES, block.indices, strict=True)))
            assert set(dataset.variables) == set(file.variables)
            for name, variable in wanted.variables.items():
                found = dataset.variables[name]
                assert (found.dims, found.dtype) == (variable.dims, variable.dtype)
                assert found.values.tobytes() == variable.values.tobytes(), name
                assert found.attrs == variable.attrs


def land_is_fill(decomposed: Decomposed) -> None:
    """Ocean points have their bits, and those on land, which did not travel, the fill value.

    The file has it there too. So a point on land of a file with other values there is looked at.
    """
    is_right(decomposed)
    marked = decomposed.to(ocean_layout())
    wet = ocean()
    for dataset, block in zip(marked.blocks, marked.layout.blocks(WORLD.rank), strict=True):
        dataset["temperature"].values[..., ~block.of(wet)] = 99.0
    arrived = marked.to(atmosphere_layout(), only=wet)
    is_right(arrived)
    refused = marked.to(atmosphere_layout())
    everywhere = [bool((dataset["temperature"] == 99.0).any()) for dataset in refused.blocks]
    assert WORLD.allreduce(sum(everywhere)) > 0


def what_nobody_owns_is_missing() -> None:
    """The fill value, or 0 where a variable has none, instead of what memory held."""
    land = Layout([even(LATITUDES, 2), even(LONGITUDES, 2)], owners=[[0, 0], [0, NOBODY]])
    everything = Layout([whole(LATITUDES), whole(LONGITUDES)])
    for dataset in read(FILE, NAMES, land, WORLD).to(everything).blocks:
        for name, fill in (("salinity", np.float32(-1e30)), ("levels_of_water", 0)):
            corner = dataset[name].values[..., LATITUDES // 2 :, LONGITUDES // 2 :]
            assert (corner == fill).all(), name


def coordinates_are_whole_where_nobody_owns_a_row() -> None:
    """Also on ranks without blocks."""
    south = Layout([even(LATITUDES, 2), even(LONGITUDES, 2)], owners=[[NOBODY, NOBODY], [0, 0]])
    everything = Layout([whole(LATITUDES), whole(LONGITUDES)])
    with xarray.open_dataset(FILE, mask_and_scale=False, decode_times=False) as file:
        cut = [name for name, each in file.variables.items() if len({*NAMES} & {*each.dims}) == 1]
        assert cut
        for dataset in read(FILE, NAMES, south, WORLD).to(everything).blocks:
            for name in cut:
                assert dataset[name].values.tobytes() == file[name].values.tobytes(), name


def refused(words: str, action: Callable[[], object]) -> None:
    """Every rank gets an error with these words in it."""
    try:
        action()
    except RedistributionError as error:
        assert words in str(error), error
    else:
        raise AssertionError(f"nothing was refused; expected: {words}")


def failures_reach_every_rank(decomposed: Decomposed) -> None:
    """Errors of files on one rank, also those that netCDF4 raises as RuntimeError."""
    failing = mock.Mock(side_effect=RuntimeError("NetCDF: HDF error"))
    with mock.patch("halocline.redistribution.xarray._save", failing):
        refused("none.nc cannot be written: NetCDF: HDF error", lambda: decomposed.write("none.nc"))
    opening = failing if WORLD.rank == WORLD.size - 1 else xarray.open_dataset
    with mock.patch("xarray.open_dataset", opening):
        refused(
            f"{FILE} cannot be read: NetCDF: HDF error",
            lambda: read(FILE, NAMES, ocean_layout(), WORLD),
        )


def other_indices_are_refused(decomposed: Decomposed) -> None:
    """Those of a file's dimensions begin at 0."""
    shifted = Layout([whole(LATITUDES, lower=1), whole(LONGITUDES)])
    refused("the layout begins at (1, 0)", lambda: read(FILE, NAMES, shifted, WORLD))
    refused("the layout begins at (1, 0)", lambda: decomposed.to(shifted))
    refused("the layout begins at (1, 0)", lambda: decomposed.to(shifted, only=ocean()))
    half = Layout([whole(LATITUDES // 2), whole(LONGITUDES)])
    mask = ocean()[: LATITUDES // 2]
    refused(f"({LATITUDES}, {LONGITUDES}); give true", lambda: decomposed.to(half, only=mask))


def same_files(one: Path, other: Path) -> None:
    with (
        xarray.open_dataset(one, mask_and_scale=False, decode_times=False) as before,
        xarray.open_dataset(other, mask_and_scale=False, decode_times=False) as after,
    ):
        xarray.testing.assert_identical(before, after)
        assert before.encoding["unlimited_dims"] == after.encoding["unlimited_dims"] == {"time"}


if __name__ == "__main__":
    if WORLD.rank == 0:
        write(FILE)
    WORLD.barrier()
    in_ocean = read(FILE, NAMES, ocean_layout(), WORLD)
    is_right(in_ocean)
    in_atmosphere = in_ocean.to(atmosphere_layout())
    is_right(in_atmosphere)
    in_atmosphere.write("atmosphere.nc")
    is_right(in_atmosphere.to(ocean_layout()))
    written = WORLD.allreduce(len(in_ocean.write_blocks(".")))
    without_land = in_ocean.to(atmosphere_layout(), only=ocean())
    land_is_fill(without_land)
    what_nobody_owns_is_missing()
    coordinates_are_whole_where_nobody_owns_a_row()
    failures_reach_every_rank(in_ocean)
    other_indices_are_refused(in_ocean)
    without_land.write("wet.nc")
    if WORLD.rank == 0:
        same_files(FILE, Path("wet.nc"))
        same_files(FILE, Path("atmosphere.nc"))
        assert len(list(Path().glob("rank-*-block-*.nc"))) == written
        print(f"{written} blocks, {len(in_ocean.blocks[0].variables)} variables: all right")
