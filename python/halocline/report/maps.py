"""Maps of fields on the sphere, in classes of colour."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

import altair as alt
import numpy as np
from numpy.typing import NDArray

from halocline.report.axes import finished
from halocline.report.figures import Figure
from halocline.report.palette import MAP_CLASSES, colour
from halocline.report.rows import Row, rounded
from halocline.samples.pictures import Map

LAND = "land"
MINUS = "\u2212"
_OVERLAP = 0.4  # degrees under the next shape, so that no background shows between them
_MOST_WIDTH = 860
_STEPS = (1.0, 2.0, 2.5, 5.0)


def field_map(name: str, title: str, words: str, drawn: Map, ground: Map | None = None) -> Figure:
    """A field, and the outlines of the ground below it."""
    edges = classes(drawn.values)
    labels = [f"{_text(low)} to {_text(high)}" for low, high in pairwise(edges)]
    palette = "diverging" if edges[0] < 0 < edges[-1] else "sequential"
    hues = [colour(f"{palette}-{index}") for index in _spread(len(labels))]
    numbers = np.digitize(drawn.values, edges[1:-1]).astype(np.int64)
    numbers[np.isnan(drawn.values)] = -1
    rows = _shapes(numbers, labels)
    if any(row["class"] == LAND for row in rows):
        labels, hues = [*labels, LAND], [*hues, colour(LAND)]
    legend = alt.Legend(title=drawn.unit, orient="top", columns=3, symbolType="square")
    base = alt.Chart().encode(
        _degrees("x", -180, 180, 60, "E", "W"), _degrees("y", -90, 90, 30, "N", "S")
    )
    shapes = base.mark_rect(aria=False).encode(
        x2="x2:Q",
        y2="y2:Q",
        color=alt.Color(
            "class:N", scale=alt.Scale(domain=labels, range=hues), sort=labels, legend=legend
        ),
        tooltip=[alt.Tooltip("class:N", title=f"{drawn.title}, {drawn.unit}")],
    )
    layers = [shapes]
    if ground is not None:
        outlines = alt.Chart(alt.InlineData(values=list(_outlines(ground.values))))
        layers.append(
            outlines.mark_rule(color=colour("outline"), strokeWidth=1.5, aria=False).encode(
                x="x:Q", x2="x2:Q", y="y:Q", y2="y2:Q"
            )
        )
    chart = alt.layer(*layers, data=alt.InlineData(values=rows)).properties(
        width=720, height=360, usermeta={"aspect": 0.5, "most": _MOST_WIDTH}
    )
    return Figure(name, title, words, finished(chart), tabled=False)


def classes(values: NDArray[np.float64]) -> list[float]:
    """Edges of at most MAP_CLASSES classes of a round width; around 0 if values have both signs."""
    known = values[~np.isnan(values)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 0.0)
    if low < 0 < high:
        most = max(-low, high)
        width = _round_up(2 * most / MAP_CLASSES)
        return [width * (edge - MAP_CLASSES / 2) for edge in range(MAP_CLASSES + 1)]
    width = _round_up(max(high - low, abs(high) * 1e-3, 1e-9) / (MAP_CLASSES - 1))
    first = math.floor(low / width)
    last = max(first + 1, math.ceil(high / width))
    return [width * edge for edge in range(first, last + 1)]


def _round_up(width: float) -> float:
    """The next of 1, 2, 2.5, 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(width))
    return next((step * power for step in _STEPS if step * power >= width), 10 * power)


def _spread(count: int) -> list[int]:
    """Indices of `count` of the palette's colours, from one end to the other."""
    if count == 1:
        return [MAP_CLASSES // 2]
    return [round(index * (MAP_CLASSES - 1) / (count - 1)) for index in range(count)]


def _text(edge: float) -> str:
    return f"{edge:.4g}".replace("-", MINUS)


def _shapes(numbers: NDArray[np.int64], labels: Sequence[str]) -> list[Row]:
    """Each row of the map as runs of one class; equal runs in successive rows are merged."""
    rows: list[Row] = []
    open_runs: dict[tuple[int, int, int], Row] = {}
    height, width = 180 / numbers.shape[0], 360 / numbers.shape[1]
    for number, line in enumerate(numbers):
        still: dict[tuple[int, int, int], Row] = {}
        for begin, end in runs(line):
            north = rounded(min(-90 + (number + 1) * height + _OVERLAP, 90))
            run = (begin, end, int(line[begin]))
            row = open_runs.get(run)
            if row is None:
                row = {
                    "x": rounded(-180 + begin * width),
                    "x2": rounded(min(-180 + end * width + _OVERLAP, 180)),
                    "y": rounded(-90 + number * height),
                    "class": labels[run[2]] if run[2] >= 0 else LAND,
                }
                rows.append(row)
            row["y2"] = north
            still[run] = row
        open_runs = still
    return rows


def runs(line: NDArray[np.generic]) -> Iterator[tuple[int, int]]:
    """Where runs of equal values begin and end."""
    changes = [0, *(np.flatnonzero(line[1:] != line[:-1]) + 1).tolist(), len(line)]
    yield from pairwise(changes)


def _outlines(values: NDArray[np.float64]) -> Iterator[Row]:
    """Outlines along the edges of cells: the foot of the ground, and half its height."""
    height, width = 180 / values.shape[0], 360 / values.shape[1]
    top = float(np.nanmax(values))
    for level in (0.02 * top, 0.5 * top):
        above = values > level
        for row, column in zip(*np.nonzero(above[:, 1:] != above[:, :-1]), strict=True):
            x, y = -180 + (column + 1) * width, -90 + row * height
            yield {"x": float(x), "x2": float(x), "y": float(y), "y2": float(y + height)}
        for row, column in zip(*np.nonzero(above[1:] != above[:-1]), strict=True):
            x, y = -180 + column * width, -90 + (row + 1) * height
            yield {"x": float(x), "x2": float(x + width), "y": float(y), "y2": float(y)}


def _degrees(channel: str, low: int, high: int, step: int, plus: str, minus: str) -> alt.X | alt.Y:
    side = f"datum.value > 0 ? ' {plus}' : datum.value < 0 ? ' {minus}' : ''"
    label = f"abs(datum.value) + '°' + ({side})"
    axis = alt.Axis(
        values=list(range(low, high + 1, step)), labelExpr=label, title=None, grid=False
    )
    kind = alt.X if channel == "x" else alt.Y
    scale = alt.Scale(domain=[low, high], nice=False)
    return kind(f"{channel}:Q", scale=scale, axis=axis)
