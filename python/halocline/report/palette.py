"""Colours of the page and its figures, light and dark; safe for colour-blind readers."""

from __future__ import annotations

import re

# After Okabe and Ito, darkened for white paper and lightened for a dark page.
LIGHT = {
    "surface": "#ffffff",
    "ink": "#1c2024",
    "muted": "#5b6570",
    "grid": "#e4e8ec",
    "panel": "#f5f7f8",
    "warning": "#c98500",
    "error": "#b3261e",
    "series-0": "#0072b2",
    "series-1": "#d55e00",
    "series-2": "#00875f",
    "series-3": "#aa4499",
    "series-4": "#a77600",
    "series-5": "#3d8fc0",
    "heat-0": "#cfe6f3",
    "heat-1": "#fdf4e1",
    "heat-2": "#fadcab",
    "heat-3": "#efb073",
    "heat-4": "#c2603c",
    "heat-5": "#7d2f2f",
    "heat-ink": "#1c2024",
    "heat-ink-strong": "#ffffff",
}
DARK = {
    "surface": "#15191d",
    "ink": "#e6eaed",
    "muted": "#9aa5af",
    "grid": "#2b3238",
    "panel": "#1d2227",
    "warning": "#e0a63c",
    "error": "#ff8a80",
    "series-0": "#56b4e9",
    "series-1": "#f58b45",
    "series-2": "#2fc795",
    "series-3": "#dd8fc8",
    "series-4": "#e0b13c",
    "series-5": "#a9c7dc",
    "heat-0": "#1f4a61",
    "heat-1": "#2a2820",
    "heat-2": "#4a3d22",
    "heat-3": "#7a5128",
    "heat-4": "#c9743f",
    "heat-5": "#f0a07a",
    "heat-ink": "#e6eaed",
    "heat-ink-strong": "#15191d",
}
# Maps: viridis, and ColorBrewer's RdBu, both safe for colour-blind readers, alike in both modes.
_MAPS = {
    **{
        f"sequential-{n}": hue
        for n, hue in enumerate(
            (
                "#440154",
                "#472d7b",
                "#3b528b",
                "#2c728e",
                "#21918c",
                "#28ae80",
                "#5ec962",
                "#addc30",
                "#fde725",
            )
        )
    },
    **{
        f"diverging-{n}": hue
        for n, hue in enumerate(
            (
                "#2166ac",
                "#4393c3",
                "#92c5de",
                "#d1e5f0",
                "#f7f7f7",
                "#fddbc7",
                "#f4a582",
                "#d6604d",
                "#b2182b",
            )
        )
    },
}
LIGHT |= {**_MAPS, "land": "#9aa1a8", "outline": "#ffffff"}
DARK |= {**_MAPS, "land": "#59626b", "outline": "#ffffff"}
MAP_CLASSES = 9
SERIES = 6  # more series than this repeat colours; their point shapes still differ
_PALE = 0.5  # share of the colour; the rest is the page's


def _mixed(one: str, other: str) -> str:
    pairs = ((int(one[at : at + 2], 16), int(other[at : at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{round(_PALE * a + (1 - _PALE) * b):02x}" for a, b in pairs)


for _mode in (LIGHT, DARK):
    _mode |= {f"pale-{n}": _mixed(_mode[f"series-{n}"], _mode["surface"]) for n in range(SERIES)}


def colour(name: str) -> str:
    """A colour by name, resolved by the page, so figures follow its light or dark mode."""
    return f"var(--{name})"


def part_colour(number: int) -> str:
    """The colour of a part of a whole: without point shapes, twice as many as for series."""
    return colour(f"{('series', 'pale')[number // SERIES % 2]}-{number % SERIES}")


def resolve(text: str) -> str:
    """The text with these colours in their light values, for files outside a page."""
    return re.sub(r"var\(--([a-z0-9-]+)\)", lambda match: LIGHT.get(match[1], match[0]), text)
