"""An Earth to redistribute: the ocean grid of one degree, its true coasts, and fields on it.

The coasts are those that the driver is compiled with, unpacked here by other code than there.
"""

from __future__ import annotations

import base64
import re
from functools import cache
from pathlib import Path

import netCDF4
import numpy as np
from numpy.typing import NDArray

LATITUDES, LONGITUDES, LEVELS, TIMES = 384, 320, 3, 2
SOUTH, NORTH = -79.0, 89.0  # of the grid, about its own poles

_MASKS = Path(__file__).parents[3] / "src/halocline/numerics/ocean_masks.inc"
_RATE = 5  # of the probabilities' adaption
_NEIGHBOURS = [(0, 1), (0, 2), *((1, by) for by in (2, 1, 0, -1, -2)), (2, 1), (2, 0), (2, -1)]


def longitudes() -> NDArray[np.float64]:
    """Degrees east about the grid's poles."""
    return (np.arange(LONGITUDES) + 0.5) * 360.0 / LONGITUDES


def latitudes() -> NDArray[np.float64]:
    """Degrees north about the grid's poles."""
    return SOUTH + (np.arange(LATITUDES) + 0.5) * (NORTH - SOUTH) / LATITUDES


@cache
def ocean() -> NDArray[np.bool_]:
    """Which points of the grid (latitude, longitude) are ocean.

    Unpacked from the range coder of tools/write_ocean_masks.py: the probability of land adapts in
    each of the contexts that ten cells around make.
    """
    entry = re.search(
        rf"\(x1, {LONGITUDES}, {LATITUDES}, (\d+),([^)]*)\)", _MASKS.read_text(encoding="ascii")
    )
    assert entry is not None
    stream = iter(base64.b64decode("".join(re.findall('"(.*)"', entry[2]))) + bytes(8))
    code = int.from_bytes(bytes(next(stream) for _ in range(4)))
    span = 0xFFFFFFFF
    chances = [1 << 15] * (1 << len(_NEIGHBOURS))
    cells = [[0] * (LONGITUDES + 4) for _ in range(LATITUDES + 2)]  # two more on three sides
    for row in range(2, LATITUDES + 2):
        for column in range(2, LONGITUDES + 2):
            context = sum(
                cells[row - up][column - left] << bit for bit, (up, left) in enumerate(_NEIGHBOURS)
            )
            chance = chances[context]
            bound = (span >> 16) * chance
            if code >= bound:
                cells[row][column] = 1
                code, span = code - bound, span - bound
                chances[context] -= chance >> _RATE
            else:
                span = bound
                chances[context] += (65536 - chance) >> _RATE
            while span < 1 << 24:
                span <<= 8
                code = code << 8 | next(stream)
    wet = np.array(cells, dtype=bool)[2:, 2:-2]
    assert wet.sum() == int(entry[1])
    return wet


def write(path: Path) -> None:
    """A NetCDF file of fields as an ocean model leaves them, with the fill value on land."""
    wet = ocean()
    east, north = np.meshgrid(np.radians(longitudes()), np.radians(latitudes()))
    depth = 40.0 * wet * (2.0 + np.cos(3 * east) * np.cos(2 * north)) / 3.0
    with netCDF4.Dataset(path, "w") as file:
        for name, length in (
            ("time", TIMES),
            ("level", LEVELS),
            ("latitude", LATITUDES),
            ("longitude", LONGITUDES),
        ):
            file.createDimension(name, None if name == "time" else length)
        file.createVariable("latitude", "f8", ("latitude",))[:] = latitudes()
        file.createVariable("longitude", "f8", ("longitude",))[:] = longitudes()
        plane = ("latitude", "longitude")
        file.createVariable("levels_of_water", "i4", plane)[:] = np.ceil(depth).astype(np.int32)
        volume = ("time", "level", *plane)
        temperature = file.createVariable("temperature", "f8", volume, fill_value=9.96921e36)
        salinity = file.createVariable("salinity", "f4", volume, fill_value=np.float32(-1e30))
        temperature.units, salinity.units = "degC", "1"
        for time in range(TIMES):
            for level in range(LEVELS):
                wave = np.sin(4 * east + time) * np.cos(6 * north) + 0.1 * np.sin(40 * east * north)
                warm = 28.0 * np.cos(north) ** 2 * np.exp(-level / 2) + wave - 1.8
                salt = 34.7 + 0.8 * np.cos(2 * north) - 0.1 * wave * (level + 1)
                temperature[time, level] = np.where(wet, warm, 9.96921e36)
                salinity[time, level] = np.where(wet, salt, -1e30).astype(np.float32)
        ice = file.createVariable("ice_thickness", "f4", ("time", *plane), fill_value=-1.0)
        for time in range(TIMES):
            cold = np.clip(np.abs(np.degrees(north)) - 65.0 + time, 0.0, None) / 10.0
            ice[time] = np.where(wet, cold, -1.0).astype(np.float32)
