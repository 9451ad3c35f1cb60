"""Write the land masks of the ocean's grids, packed, as the driver is compiled with them.

Source: GLOBE, the Global Land One-km Base Elevation of NOAA (public domain), as the Python package
global-land-mask 1.0.0 of Karin Todd (MIT licence) has it: `pip install global-land-mask==1.0.0
scipy`, 0.9 GB of memory, a minute.

A cell is ocean if its centre is. Of the ocean the largest connected part is kept, so that the
Caspian Sea and the Great Lakes are land. The cells' centres are those of
src/halocline/numerics/displaced_pole_grid.cpp. The bits are packed by an adaptive arithmetic coder
whose contexts are ten cells around, as JBIG's; ocean_mask.cpp unpacks them.
"""

import argparse
import base64
from pathlib import Path

import numpy as np
from global_land_mask import globe
from numpy.typing import NDArray
from scipy import ndimage

GRIDS = {"x1": (320, 384), "tenth": (3600, 2400)}
SOUTH_DEG, NORTH_DEG = -79.0, 89.0
POLE_DEG = (75.0, -40.0)
OUTPUT = Path(__file__).parents[1] / "src/halocline/numerics/ocean_masks.inc"

# Rows before, columns before: the cells that a cell's probability depends on.
CONTEXT = [(0, 1), (0, 2), *((1, by) for by in (2, 1, 0, -1, -2)), *((2, by) for by in (1, 0, -1))]
RATE = 5


def centres_deg(columns: int, rows: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Latitudes and longitudes of the cells' centres, shape (rows, columns)."""
    longitude = (np.arange(columns) + 0.5) * 2 * np.pi / columns
    latitude = np.deg2rad(SOUTH_DEG + (np.arange(rows) + 0.5) * (NORTH_DEG - SOUTH_DEG) / rows)
    plane = np.tan((np.pi / 2 - latitude) / 2)[:, None] * np.exp(1j * longitude)[None, :]
    pole = np.tan(np.deg2rad(90 - POLE_DEG[0]) / 2) * np.exp(1j * np.deg2rad(POLE_DEG[1]))
    moved = plane + pole
    return 90 - 2 * np.rad2deg(np.arctan(abs(moved))), np.rad2deg(np.angle(moved))


def largest_ocean(ocean: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Its largest part connected by edges of cells; the first and last columns are neighbours."""
    twice, parts = ndimage.label(np.concatenate([ocean, ocean], axis=1))
    columns = ocean.shape[1]
    same = np.arange(parts + 1)
    for left, right in zip(twice[:, :columns].ravel(), twice[:, columns:].ravel(), strict=True):
        low, high = sorted((same[left], same[right]))
        if low != high:
            same[same == high] = low
    part = same[twice[:, :columns]]
    sizes = np.bincount(part[ocean])
    return np.asarray(ocean & (part == sizes.argmax()))


def contexts(ocean: NDArray[np.bool_]) -> NDArray[np.int64]:
    rows, columns = ocean.shape
    around = np.pad(ocean.astype(np.int64), ((2, 0), (2, 2)))
    return sum(
        (
            around[2 - up : 2 - up + rows, 2 - left : 2 - left + columns] << bit
            for bit, (up, left) in enumerate(CONTEXT)
        ),
        start=np.zeros(ocean.shape, np.int64),
    )


def packed(ocean: NDArray[np.bool_]) -> bytes:
    """A range coder with carries, as LZMA's, with probabilities of 16 bits."""
    chances = [1 << 15] * (1 << len(CONTEXT))  # of land
    low, span, cache, pending = 0, 0xFFFFFFFF, 0, 0
    out = bytearray()
    bits = ocean.ravel().tolist()
    for bit, context in zip(bits, contexts(ocean).ravel().tolist(), strict=True):
        chance = chances[context]
        bound = (span >> 16) * chance
        if bit:
            low += bound
            span -= bound
            chances[context] = chance - (chance >> RATE)
        else:
            span = bound
            chances[context] = chance + ((65536 - chance) >> RATE)
        while span < 1 << 24:
            span <<= 8
            low, cache, pending = shifted(low, cache, pending, out)
    for _ in range(5):
        low, cache, pending = shifted(low, cache, pending, out)
    return bytes(out[1:])  # the first is always 0


def shifted(low: int, cache: int, pending: int, out: bytearray) -> tuple[int, int, int]:
    if low < 0xFF000000 or low >= 1 << 32:
        carry = low >> 32
        out.append((cache + carry) & 0xFF)
        out.extend([(0xFF + carry) & 0xFF] * pending)
        return (low & 0x00FFFFFF) << 8, (low >> 24) & 0xFF, 0
    return (low & 0x00FFFFFF) << 8, cache, pending + 1


def main() -> None:
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    lines = ["// Written by tools/write_ocean_masks.py, which names the source and the form."]
    for name, (columns, rows) in GRIDS.items():
        latitude, longitude = centres_deg(columns, rows)
        ocean = largest_ocean(globe.is_ocean(latitude, np.clip(longitude, -180, 179.999)))
        text = base64.b64encode(packed(ocean)).decode()
        print(f"{name}: {ocean.sum()} of {ocean.size} cells are ocean, {len(text)} characters")
        lines.append(f"HALOCLINE_OCEAN_MASK({name}, {columns}, {rows}, {ocean.sum()},")
        lines += [f'    "{text[at : at + 90]}"' for at in range(0, len(text), 90)]
        lines[-1] += ")"
    OUTPUT.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
