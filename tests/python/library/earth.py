"""An Earth to redistribute: the 320 × 384 ocean grid, its land, and fields on it.

The land is rasterised from the coarse coastlines below, some two hundred points written down by
hand: the continents have their places, sizes and the ragged edges that make index lists of the
ocean's points irregular, but no coast is exact.
"""

from __future__ import annotations

from pathlib import Path

import netCDF4
import numpy as np
from numpy.typing import NDArray

LATITUDES, LONGITUDES, LEVELS, TIMES = 384, 320, 3, 2
SOUTH, NORTH = -79.0, 89.5  # as of the ocean grid at one degree, which ends on Antarctica

# Longitude and latitude, degrees, along each coast.
_COASTS: dict[str, str] = {
    "North America": """
        -168 66 -156 71 -141 70 -128 70 -115 68 -108 68 -95 72 -82 70 -82 67 -87 64 -94 61 -93 58
        -82 55 -80 51 -78 52 -77 57 -78 62 -70 61 -65 59 -60 55 -56 52 -66 50 -65 48 -61 46 -66 44
        -70 43 -70 41 -74 40 -76 37 -76 35 -81 31 -80 25 -82 28 -84 30 -90 29 -97 28 -97 22 -94 18
        -91 19 -90 21 -87 21 -88 16 -83 15 -83 10 -80 9 -77 8 -80 7 -85 10 -92 14 -96 16 -102 18
        -106 21 -107 24 -112 29 -114 31 -110 23 -114 28 -117 33 -121 35 -124 40 -124 48 -130 55
        -140 60 -150 60 -158 56 -162 55 -157 59 -165 61""",
    "South America": """
        -77 8 -72 12 -62 10 -52 5 -50 0 -44 -3 -35 -6 -35 -9 -39 -13 -39 -18 -41 -22 -48 -26
        -53 -33 -57 -36 -62 -39 -65 -43 -69 -51 -66 -55 -72 -53 -75 -47 -73 -37 -71 -30 -70 -18
        -76 -14 -81 -5 -80 1 -77 4""",
    "Africa": """
        -6 36 10 37 11 34 20 31 32 31 34 28 37 21 39 15 43 12 51 12 48 5 41 -2 39 -7 41 -15 35 -20
        35 -24 33 -26 31 -30 25 -34 18 -34 15 -27 12 -18 14 -11 9 -1 10 4 5 6 -4 5 -8 4 -13 9 -17 14
        -16 20 -13 27 -10 30""",
    "Eurasia": """
        -9 37 -9 43 -1 44 -4 48 2 51 8 54 8 57 10 54 20 54 24 58 29 60 23 60 22 63 25 66 21 64
        17 61 19 59 16 56 11 59 5 59 8 64 15 69 25 71 33 69 41 67 34 66 40 64 45 68 60 69 68 68
        73 72 82 74 104 77 113 74 130 71 140 73 160 70 180 69 190 66 178 62 164 60 163 56 156 51
        156 57 163 61 142 59 135 55 141 52 140 48 132 43 128 39 129 35 126 35 125 39 121 39 118
        38 122 37 120 34 122 31 120 27 114 22 109 21 106 19 109 12 105 9 100 13 100 9 104 2 101
        3 98 9 98 16 94 16 91 22 87 21 80 15 80 10 77 8 73 17 72 21 68 23 62 25 57 26 50 30 48
        29 52 24 56 26 60 22 52 16 45 13 43 14 39 21 35 28 36 36 28 36 26 40 34 42 41 41 38 47
        31 46 28 43 23 40 24 38 22 37 19 42 13 45 18 40 16 38 12 42 9 44 4 43 0 39 -5 36""",
    "Australia": """
        114 -22 114 -34 118 -35 129 -32 135 -35 138 -33 140 -38 147 -39 150 -37 153 -30 153 -25
        146 -19 143 -11 140 -17 136 -15 136 -12 130 -12 126 -14 122 -18""",
    "Greenland": """
        -73 78 -60 82 -32 83 -18 80 -20 75 -22 70 -32 68 -40 65 -43 60 -50 62 -54 67 -54 71
        -58 75""",
    "Antarctica": """
        -180 -90 -180 -78 -160 -78 -150 -76 -100 -73 -75 -73 -67 -67 -58 -63 -62 -75 -40 -78
        -25 -74 0 -70 30 -69 55 -66 90 -67 110 -66 140 -67 165 -71 165 -78 180 -78 180 -90""",
    "Baffin Island": "-85 73 -70 71 -62 66 -68 63 -74 65 -73 68 -80 70",
    "Ellesmere Island": "-88 76 -80 76 -66 80 -62 82 -75 83 -92 81",
    "Victoria Island": "-117 70 -105 69 -105 73 -116 73",
    "Great Britain": "-5 50 1 51 0 53 -2 57 -5 59 -5 55 -3 53",
    "Ireland": "-10 52 -6 52 -6 55 -10 54",
    "Iceland": "-22 64 -18 63 -14 65 -17 66 -23 66",
    "Novaya Zemlya": "52 71 57 71 68 76 66 77 56 74",
    "Honshu": "131 34 136 34 140 35 142 40 140 41 138 37 132 35",
    "Sumatra": "95 5 104 -2 106 -6 102 -4",
    "Borneo": "109 1 111 -3 116 -4 119 1 117 7 113 3",
    "New Guinea": "131 -1 138 -2 147 -6 150 -10 143 -9 138 -8",
    "Madagascar": "44 -17 50 -13 50 -16 47 -25 44 -23",
    "New Zealand, North": "173 -35 178 -38 175 -41 174 -39",
    "New Zealand, South": "173 -41 171 -45 167 -46 170 -43",
}


def longitudes() -> NDArray[np.float64]:
    """Degrees east, from the ocean grid's first meridian on."""
    return -40.0 + (np.arange(LONGITUDES) + 0.5) * 360.0 / LONGITUDES


def latitudes() -> NDArray[np.float64]:
    """Degrees north; three times closer at the equator than at the poles, as the ocean grid's."""
    steps = np.linspace(-1.0, 1.0, LATITUDES)
    shape = steps + 0.5 * steps**3
    degrees: NDArray[np.float64] = SOUTH + (NORTH - SOUTH) * (shape - shape[0]) / np.ptp(shape)
    return degrees


def ocean() -> NDArray[np.bool_]:
    """Which points of the grid (latitude, longitude) are ocean."""
    east, north = np.meshgrid(longitudes(), latitudes())
    land = np.zeros(east.shape, dtype=bool)
    for coast in _COASTS.values():
        points = np.array(coast.split(), dtype=np.float64).reshape(-1, 2)
        for turn in (-360.0, 0.0, 360.0):
            land |= _inside(east + turn, north, points)
    return ~land


def _inside(
    x: NDArray[np.float64], y: NDArray[np.float64], corners: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Which points lie inside a polygon: a ray to the east crosses its edges an odd time."""
    inside = np.zeros(x.shape, dtype=bool)
    for (x0, y0), (x1, y1) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        if y0 != y1:
            crossed = (y0 > y) != (y1 > y)
            inside ^= crossed & (x < x0 + (y - y0) * (x1 - x0) / (y1 - y0))
    return inside


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
            file.createDimension(name, length)
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
