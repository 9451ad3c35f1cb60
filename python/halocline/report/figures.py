"""The figures: pure functions from points to Vega-Lite specifications, through Altair."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from halocline.report.palette import SERIES, colour
from halocline.report.points import Point, ordered
from halocline.report.rows import ONE_MODE, SLOWDOWN_CLASSES, Row, rows
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
_PANELS = (
    "A panel for each protocol, a colour and a point shape for each library, both axes "
    "logarithmic. Bands and bars are 95 % intervals over launches: at ± 1 % they are as thin as "
    "the line. A ring marks a point with more than one mode."
)
_LEADS = (
    "Each library with the fastest of all its protocols at each size: its time, divided by that "
    "of the fastest library. Bars are 95 % intervals over launches; where they meet, the libraries "
    "cannot be told apart."
)
_SLOWDOWNS = (
    "For each library, protocol and size: the time, divided by that of the library's fastest "
    "protocol. ● marks the fastest, and what cannot be told from it because their intervals "
    "meet. An empty place was not measured."
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
    leading = [row for row in drawn if "lead" in row]
    made = []
    if drawn:
        zero = " 0 B stands left of the axis, not to scale." if _has_zero(drawn) else ""
        latency = _curves(drawn, "time", "time", _TIME_LABEL)
        made.append(
            Figure("latency", "Time of one message", f"{_PANELS}{zero}", _finished(latency))
        )
    if moving:
        bandwidth = _curves(moving, "bandwidth", "bandwidth", _RATE_LABEL)
        made.append(Figure("bandwidth", "Bandwidth", _PANELS, _finished(bandwidth)))
    if len({row["series"] for row in leading}) > 1:
        made.append(
            Figure("libraries", "Libraries against each other", _LEADS, _finished(_leads(leading)))
        )
    if len({row["protocol"] for row in drawn}) > 1:
        made.append(
            Figure(
                "protocols",
                "Which protocol is best at which size",
                _SLOWDOWNS,
                _finished(_slowdowns(drawn)),
            )
        )
    return tuple(made)


def _has_zero(drawn: Sequence[Row]) -> bool:
    return any(row["bytes"] == 0 for row in drawn)


def _curves(drawn: Sequence[Row], quantity: str, title: str, label: str) -> alt.FacetChart:
    """Lines with intervals, small multiples by protocol, colour and shape by series."""
    low, high = _extent(drawn, quantity)
    scale = alt.Scale(type="log", domain=[low, high], nice=False)
    axis = alt.Axis(values=_powers_of_ten(low, high), labelExpr=label)
    x = _size_axis(drawn)
    y = alt.Y(f"{quantity}:Q", title=title, scale=scale, axis=axis)
    y_low = alt.Y(f"{quantity}_low:Q", title=title, scale=scale, axis=axis)
    y_high = alt.Y2(f"{quantity}_high")
    hue, shape = _hue_and_shape(drawn)
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
        base.mark_point(filled=True, size=28, opacity=1, aria=False).encode(y, shape),
        base.transform_filter(f"datum.modes != '{ONE_MODE}'")
        .mark_point(size=130, strokeWidth=1.5, opacity=1, aria=False)
        .encode(y),
        _touchable(base, y, quantity),
    )
    protocols = list(ordered(row["protocol"] for row in drawn))
    facet = alt.Facet("protocol:N", title=None, sort=protocols)
    return (
        layers.add_params(alt.param(name="chosen_bytes", value=-1))
        .properties(width=210, height=170)
        .facet(facet=facet, columns=4, data=alt.NamedData(name=DATA))
    )


def _leads(leading: Sequence[Row]) -> alt.LayerChart | alt.FacetChart:
    """Libraries relative to the fastest, with bars that can be seen."""
    low, high = _extent(leading, "lead", air=1.02)
    title = "time relative to the fastest library"
    scale = alt.Scale(type="log", domain=[low, high], nice=False)
    axis = alt.Axis(format="~r", tickCount=8)
    y = alt.Y("lead:Q", title=title, scale=scale, axis=axis)
    y_low = alt.Y("lead_low:Q", title=title, scale=scale, axis=axis)
    hue, shape = _hue_and_shape(leading)
    base = alt.Chart().transform_filter("isValid(datum.lead)").encode(_size_axis(leading), hue)
    return alt.layer(
        base.transform_filter("datum.bytes > 0")
        .mark_line(strokeWidth=1.2, opacity=0.5, aria=False)
        .encode(y),
        base.transform_filter("isValid(datum.lead_low)")
        .mark_errorbar(ticks=alt.MarkConfig(size=7), rule=alt.MarkConfig(strokeWidth=1.5))
        .encode(y_low, alt.Y2("lead_high")),
        base.mark_point(filled=True, size=34, opacity=1, aria=False).encode(y, shape),
        _touchable(base, y, "time"),
        data=alt.NamedData(name=DATA),
    ).properties(width=900, height=260)


def _hue_and_shape(drawn: Sequence[Row]) -> tuple[alt.Color, alt.Shape]:
    """A colour and a point shape for each series, in one legend."""
    series = ordered(row["series"] for row in drawn)
    hues = [colour(f"series-{i % SERIES}") for i in range(len(series))]
    shapes = [_SHAPES[i % len(_SHAPES)] for i in range(len(series))]
    legend = alt.Legend(title=None, orient="top")
    hue = alt.Color("series:N", scale=alt.Scale(domain=series, range=hues), legend=legend)
    shape = alt.Shape("series:N", scale=alt.Scale(domain=series, range=shapes), legend=legend)
    return hue, shape


def _touchable(base: alt.Chart, y: alt.Y, quantity: str) -> alt.Chart:
    """Unseen discs that show the tooltip: the points themselves are too small to hit."""
    discs: alt.Chart = base.mark_point(
        shape="circle", size=160, filled=True, opacity=0, aria=False
    ).encode(y, tooltip=_tooltips(quantity))
    return discs


def _size_axis(drawn: Sequence[Row]) -> alt.X:
    """A logarithmic axis in powers of 16, with a place of its own for 0 B."""
    positions = sorted({float(row["at"]) for row in drawn})
    sizes = sorted({int(row["bytes"]) for row in drawn if row["bytes"]})
    first, last = (sizes[0], sizes[-1]) if sizes else (1, 1)
    exponents = range(math.ceil(math.log2(first) / 4), math.floor(math.log2(last) / 4) + 1)
    # 0 B needs the room of the label beside it.
    ticks = [positions[0]] if positions[0] < first else []
    return alt.X(
        "at:Q",
        title="message size",
        scale=alt.Scale(
            type="log", base=2, domain=[positions[0], positions[-1]], nice=False, padding=6
        ),
        axis=alt.Axis(
            values=ticks + [16.0**e for e in exponents if not ticks or 16**e > 4 * first],
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
                titleLimit=0,
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


def _extent(drawn: Sequence[Row], quantity: str, air: float = 1.4) -> tuple[float, float]:
    """Domain of the logarithmic axis, with a little air at both ends."""
    values = [
        row[name]
        for row in drawn
        for name in (quantity, f"{quantity}_low", f"{quantity}_high")
        if name in row
    ]
    return min(values) / air, max(values) * air


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


def _finished(chart: alt.FacetChart | alt.LayerChart) -> dict[str, Any]:
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
