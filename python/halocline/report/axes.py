"""Axes, scales, colours and type that the figures share."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from halocline.base.quantities import RATES, SIZES, TIMES, axis_label
from halocline.report.entries import ordered
from halocline.report.look import LOOK
from halocline.report.palette import SERIES, colour
from halocline.report.rows import Row

_FARTHEST = 4.0  # factor by which intervals may stretch an axis beyond the medians
_SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross")
_SIZE_LABEL = axis_label(SIZES)
_NUMBER_LABEL = "format(datum.value, ',d')"
TIME_LABEL = axis_label(TIMES)
RATE_LABEL = axis_label(RATES[:-1])


def size_axis(drawn: Sequence[Row], title: str = "message size", in_bytes: bool = True) -> alt.X:
    """A logarithmic axis in powers of 16, with a separate place for 0 B; or of numbers."""
    positions = sorted({float(row["at"]) for row in drawn})
    sizes = sorted({int(row["bytes"]) for row in drawn if row["bytes"]})
    first, last = (sizes[0], sizes[-1]) if sizes else (1, 1)
    base = 16.0 if last >= 256 * first else 2.0
    decades = math.log2(base)
    exponents = range(
        math.ceil(math.log2(first) / decades), math.floor(math.log2(last) / decades) + 1
    )
    # 0 B needs the space of the neighbouring label.
    ticks = [positions[0]] if positions[0] < first else []
    return alt.X(
        "at:Q",
        title=title,
        scale=alt.Scale(
            type="log", base=2, domain=[positions[0], positions[-1]], nice=False, padding=6
        ),
        axis=alt.Axis(
            values=ticks + [base**e for e in exponents if not ticks or base**e > 4 * first],
            labelExpr=f"datum.value < {first} ? '0 B' : {_SIZE_LABEL}"
            if in_bytes
            else _NUMBER_LABEL,
            labelOverlap="greedy",
            grid=False,
        ),
    )


def extent(drawn: Sequence[Row], quantity: str, air: float = 1.4) -> tuple[float, float]:
    """Domain of the logarithmic axis, with a margin at both ends.

    Intervals of few launches can be wide enough to hide everything else: those are cut.
    """
    medians = [row[quantity] for row in drawn]
    lows = [row[f"{quantity}_low"] for row in drawn if f"{quantity}_low" in row]
    highs = [row[f"{quantity}_high"] for row in drawn if f"{quantity}_high" in row]
    low = max(min([*medians, *lows]), min(medians) / _FARTHEST)
    high = min(max([*medians, *highs]), max(medians) * _FARTHEST)
    return low / air, high * air


def powers_of_ten(low: float, high: float) -> list[float]:
    """Ticks of a logarithmic axis, at least two: finer ones over a short span."""
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    powers = [float(f"1e{exponent}") for exponent in exponents if low <= 10.0**exponent <= high]
    # Below two decades an axis would have a single label, and near one value none.
    within = powers if len(powers) > 2 else []
    for digits in ((1, 2, 5), range(1, 10), range(10, 100), range(100, 1000)):
        if len(within) > 1:
            break
        shift = len(str(digits[0])) - 1
        ticks = [float(f"{digit}e{exponent - shift}") for exponent in exponents for digit in digits]
        within = [tick for tick in ticks if low <= tick <= high]
    return within


def logarithmic(drawn: Sequence[Row], quantity: str, label: str) -> tuple[alt.Scale, alt.Axis]:
    """Scale and ticks of a quantity whose values `label`, a Vega expression, writes."""
    low, high = extent(drawn, quantity)
    scale = alt.Scale(type="log", domain=[low, high], nice=False)
    return scale, alt.Axis(values=powers_of_ten(low, high), labelExpr=label)


def tooltips(titles: Mapping[str, str]) -> list[alt.Tooltip]:
    """A line for each of these fields, under its title."""
    return [alt.Tooltip(f"{field}:N", title=title) for field, title in titles.items()]


def hue_and_shape(drawn: Sequence[Row], every: Sequence[Row] = ()) -> tuple[alt.Color, alt.Shape]:
    """A colour and a point shape for each series, in one legend.

    `every`: the rows of all charts in which the series look alike.
    """
    series = ordered(row["series"] for row in drawn)
    numbers = {name: i for i, name in enumerate(ordered(row["series"] for row in every or drawn))}
    hues = [colour(f"series-{numbers[name] % SERIES}") for name in series]
    # Where the colours begin again, the shapes are moved by one.
    shapes = [_SHAPES[(i + i // SERIES) % len(_SHAPES)] for i in map(numbers.__getitem__, series)]
    legend = alt.Legend(title=None, orient="top")
    hue = alt.Color("series:N", scale=alt.Scale(domain=series, range=hues), legend=legend)
    shape = alt.Shape("series:N", scale=alt.Scale(domain=series, range=shapes), legend=legend)
    return hue, shape


def finished(chart: alt.FacetChart | alt.LayerChart) -> dict[str, Any]:
    """The specification in the common style; colours are the page's variables."""
    specification: dict[str, Any] = chart.configure(**LOOK).to_dict()
    return specification
