"""The figures: pure functions from points to Vega-Lite specifications, through Altair."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from halocline.report.palette import SERIES, colour
from halocline.report.points import Point, ordered
from halocline.report.rows import SLOWDOWN_CLASSES, Row, rows
from halocline.report.text import size_label

DATA = "points"

_SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross")
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', sans-serif"
_BYTES_LABEL = (
    "datum.value < {first} ? '0 B' : datum.value < 1024 ? datum.value + ' B' : "
    "datum.value < 1048576 ? datum.value / 1024 + ' KiB' : "
    "datum.value < 1073741824 ? datum.value / 1048576 + ' MiB' : datum.value / 1073741824 + ' GiB'"
)
_TIME_LABEL = (
    "datum.value < 9.9e-7 ? round(datum.value * 1e9) + ' ns' : "
    "datum.value < 9.9e-4 ? round(datum.value * 1e6) + ' µs' : "
    "datum.value < 0.99 ? round(datum.value * 1e3) + ' ms' : round(datum.value) + ' s'"
)
_RATE_LABEL = (
    "datum.value < 990 ? round(datum.value) + ' B/s' : "
    "datum.value < 9.9e5 ? round(datum.value / 1e3) + ' kB/s' : "
    "datum.value < 9.9e8 ? round(datum.value / 1e6) + ' MB/s' : round(datum.value / 1e9) + ' GB/s'"
)


@dataclass(frozen=True)
class Figure:
    """A Vega-Lite specification over the data named `points`, with words for who cannot see it."""

    name: str
    title: str
    description: str
    specification: dict[str, Any]


def figures(points: Sequence[Point]) -> tuple[Figure, ...]:
    """Every figure of a report; none where nothing was measured."""
    drawn = rows(points)
    moving = [row for row in drawn if "bandwidth" in row]
    panels = "a panel for each protocol, a colour and a point shape for each library, log axes"
    made = []
    if drawn:
        made.append(
            Figure(
                "latency",
                "Time of one message",
                f"Time of one message against its size: {panels}.",
                _finished(_curves(drawn, "time", "time", _TIME_LABEL)),
            )
        )
    if moving:
        made.append(
            Figure(
                "bandwidth",
                "Bandwidth",
                f"Bandwidth against message size: {panels}.",
                _finished(_curves(moving, "bandwidth", "bandwidth", _RATE_LABEL)),
            )
        )
    if len({row["protocol"] for row in drawn}) > 1:
        made.append(
            Figure(
                "protocols",
                "Which protocol is best at which size",
                "For each library, protocol and size: how many times as long a message takes "
                "as with the fastest protocol.",
                _finished(_slowdowns(drawn)),
            )
        )
    return tuple(made)


def _curves(drawn: Sequence[Row], quantity: str, title: str, label: str) -> alt.FacetChart:
    """Lines with intervals, small multiples by protocol, colour and shape by series."""
    low, high = _extent(drawn, quantity)
    series = ordered(row["series"] for row in drawn)
    hues = [colour(f"series-{i % SERIES}") for i in range(len(series))]
    shapes = [_SHAPES[i % len(_SHAPES)] for i in range(len(series))]
    scale = alt.Scale(type="log", domain=[low, high], nice=False)
    axis = alt.Axis(values=_powers_of_ten(low, high), labelExpr=label)
    x = _size_axis(drawn)
    y = alt.Y(f"{quantity}:Q", title=title, scale=scale, axis=axis)
    y_low = alt.Y(f"{quantity}_low:Q", title=title, scale=scale, axis=axis)
    y_high = alt.Y2(f"{quantity}_high")
    hue = alt.Color(
        "series:N",
        scale=alt.Scale(domain=series, range=hues),
        legend=alt.Legend(title=None, orient="top"),
    )
    shape = alt.Shape(
        "series:N", scale=alt.Scale(domain=series, range=shapes), legend=alt.Legend(title=None)
    )
    base = alt.Chart().encode(x, hue)
    # No line leads to 0 B: its place on the axis is not to scale.
    moving = base.transform_filter("datum.bytes > 0")
    bounded = base.transform_filter(f"isValid(datum.{quantity}_low)")
    layers = alt.layer(
        _chosen_size(),
        moving.transform_filter(f"isValid(datum.{quantity}_low)")
        .mark_area(opacity=0.25, aria=False)
        .encode(y_low, y_high),
        moving.mark_line(strokeWidth=1.5, aria=False).encode(y),
        bounded.mark_rule(strokeWidth=1.5, aria=False).encode(y_low, y_high),
        base.mark_point(filled=True, size=28, opacity=1, aria=False).encode(
            y, shape, tooltip=_tooltips(quantity)
        ),
    )
    protocols = list(ordered(row["protocol"] for row in drawn))
    facet = alt.Facet("protocol:N", title=None, sort=protocols)
    return (
        layers.add_params(alt.param(name="chosen_bytes", value=-1))
        .properties(width=210, height=170)
        .facet(facet=facet, columns=4, data=alt.NamedData(name=DATA))
    )


def _size_axis(drawn: Sequence[Row]) -> alt.X:
    """A logarithmic axis in powers of 16, with a place of its own for 0 B."""
    positions = sorted({float(row["at"]) for row in drawn})
    sizes = sorted({int(row["bytes"]) for row in drawn if row["bytes"]})
    first, last = (sizes[0], sizes[-1]) if sizes else (1, 1)
    exponents = range(math.ceil(math.log2(first) / 4), math.floor(math.log2(last) / 4) + 1)
    ticks = [positions[0]] if positions[0] < first else []
    return alt.X(
        "at:Q",
        title="message size",
        scale=alt.Scale(
            type="log", base=2, domain=[positions[0], positions[-1]], nice=False, padding=6
        ),
        axis=alt.Axis(
            values=ticks + [16.0**exponent for exponent in exponents],
            labelExpr=_BYTES_LABEL.format(first=first),
            labelOverlap="greedy",
            grid=False,
        ),
    )


def _chosen_size() -> alt.Chart:
    """A thin rule at the size that the page's slider stands on."""
    rule: alt.Chart = (
        alt.Chart()
        .transform_filter("datum.bytes == chosen_bytes")
        .transform_aggregate(chosen_at="max(at)", groupby=["protocol"])
        .mark_rule(color=colour("muted"), strokeDash=[2, 3], aria=False)
        .encode(x="chosen_at:Q")
    )
    return rule


def _slowdowns(drawn: Sequence[Row]) -> alt.FacetChart:
    """A cell for every protocol and size, a panel for each series; ● marks the best."""
    classes = list(SLOWDOWN_CLASSES)
    sizes = [size_label(size) for size in sorted({int(row["bytes"]) for row in drawn})]
    protocols = list(ordered(row["protocol"] for row in drawn))
    series = list(ordered(row["series"] for row in drawn))
    base = alt.Chart().encode(
        alt.X("size:N", sort=sizes, title="message size", axis=alt.Axis(labelAngle=-90)),
        alt.Y("protocol:N", sort=protocols, title=None),
    )
    cells = base.mark_rect(aria=False, stroke=colour("surface"), strokeWidth=1.5).encode(
        alt.Color(
            "class:N",
            scale=alt.Scale(
                domain=classes, range=[colour(f"heat-{i}") for i in range(len(classes))]
            ),
            legend=alt.Legend(
                title="time relative to the fastest protocol",
                titleOrient="top",
                orient="top",
                symbolType="square",
                symbolStrokeColor=colour("muted"),
                symbolStrokeWidth=0.5,
            ),
        ),
        tooltip=[*_tooltips("time"), alt.Tooltip("class:N", title="against the fastest")],
    )
    best = f"datum.class == '{classes[0]}'"
    numbers = (
        base.transform_calculate(
            note=f"{best} ? '●' : format(datum.slowdown, datum.slowdown < 9.995 ? '.2f' : '.0f')"
        )
        .mark_text(fontSize=9.5, aria=False)
        .encode(
            text="note:N",
            color=alt.when(alt.FieldOneOfPredicate("class", classes[-2:]))
            .then(alt.value(colour("heat-ink-strong")))
            .otherwise(alt.value(colour("heat-ink"))),
        )
    )
    return (
        alt.layer(cells, numbers)
        .properties(width=900, height=24 * len(protocols))
        .facet(
            facet=alt.Facet("series:N", title=None, sort=series),
            columns=1,
            data=alt.NamedData(name=DATA),
        )
    )


def _tooltips(quantity: str) -> list[alt.Tooltip]:
    shown = {
        "series": "library",
        "protocol": "protocol",
        "size": "size",
        f"{quantity}_text": quantity,
        "interval": "95 % interval",
        "launches": "launches",
        "modes": "modes",
    }
    return [alt.Tooltip(f"{field}:N", title=title) for field, title in shown.items()]


def _extent(drawn: Sequence[Row], quantity: str) -> tuple[float, float]:
    """Domain of the logarithmic axis, with a little air at both ends."""
    values = [
        row[name]
        for row in drawn
        for name in (quantity, f"{quantity}_low", f"{quantity}_high")
        if name in row
    ]
    return min(values) / 1.4, max(values) * 1.4


def _powers_of_ten(low: float, high: float) -> list[float]:
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    powers = [float(f"1e{exponent}") for exponent in exponents if low <= 10.0**exponent <= high]
    # Less than two decades would leave an axis with a single label.
    if len(powers) > 2:
        return powers
    return [
        float(f"{digit}e{exponent}")
        for exponent in exponents
        for digit in (1, 2, 5)
        if low <= digit * 10.0**exponent <= high
    ]


def _finished(chart: alt.FacetChart) -> dict[str, Any]:
    """The specification with the look all figures share; colours are the page's variables."""
    specification: dict[str, Any] = chart.configure(
        font=_FONT,
        background="transparent",
        view=alt.ViewConfig(stroke=None),
        axis=alt.AxisConfig(
            labelColor=colour("muted"),
            titleColor=colour("muted"),
            titleFontWeight="normal",
            gridColor=colour("grid"),
            domainColor=colour("muted"),
            tickColor=colour("muted"),
            labelFontSize=11,
            titleFontSize=11,
            titlePadding=8,
        ),
        axisY=alt.AxisConfig(domain=False, ticks=False),
        header=alt.HeaderConfig(
            labelColor=colour("ink"), labelFontSize=12.5, labelFontWeight=600, labelAnchor="start"
        ),
        legend=alt.LegendConfig(
            labelColor=colour("ink"),
            titleColor=colour("muted"),
            titleFontWeight="normal",
            labelFontSize=12,
            titleFontSize=12,
            columnPadding=18,
            symbolSize=80,
            symbolOpacity=1,
        ),
    ).to_dict()
    return specification
