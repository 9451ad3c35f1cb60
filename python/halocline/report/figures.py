"""The figures: pure functions from points to Vega-Lite specifications, through Altair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from halocline.report.axes import (
    RATE_LABEL,
    TIME_LABEL,
    extent,
    finished,
    hue_and_shape,
    logarithmic,
    size_axis,
    tooltips,
)
from halocline.report.bounds import with_bounds
from halocline.report.entries import ON_NODE, Entry, ordered
from halocline.report.palette import colour
from halocline.report.rows import ONE_MODE, SLOWDOWN_CLASSES, Row, rows

DATA = "points"

_PANELS = (
    "A panel for each protocol, a colour and a point shape for each library, both axes "
    "logarithmic. Bands and bars are 95 % intervals over launches: at ± 1 % they are as thin as "
    "the line; they are clipped to the panel. A ring marks a point with more than one mode."
)
_BOUNDS = (
    "Dashed: memory bandwidth from the kernels; it bounds messages on a node, not between nodes."
)
_LEADS = (
    "Each library with its fastest protocol at each size: its time divided by that "
    "of the fastest library with ranks in the same place. Bars are 95 % intervals over "
    "launches; where they overlap, the comparison is inconclusive."
)
SLOWDOWNS = (
    "For each library, protocol and size: the time divided by that of the library's fastest "
    "protocol. ● marks the fastest, and those that may be as fast because their intervals "
    "overlap. Empty cells were not measured."
)


@dataclass(frozen=True)
class Figure:
    """A Vega-Lite specification over the data named `points`, with a text alternative."""

    name: str
    title: str
    description: str
    specification: dict[str, Any]
    panels: int = 1
    tabled: bool = True  # whether a table of its section has the numbers


def figures(points: Sequence[Entry], bounds: Sequence[Row] = ()) -> tuple[Figure, ...]:
    """All figures of a report; none if nothing was measured.

    `bounds` are rows of memory bandwidth, drawn with bandwidth on a node.
    """
    drawn = rows(points)
    moving = [row for row in drawn if "bandwidth" in row]
    leading = [row for row in drawn if "lead" in row]
    charts = []
    if drawn:
        zero = " 0 B is left of the axis, not to scale." if _has_zero(drawn) else ""
        latency = _curves(drawn, drawn, "time", TIME_LABEL)
        charts.append(
            Figure("latency", "Time of one message", f"{_PANELS}{zero}", finished(latency))
        )
    if moving:
        shown = bounds if any(point.place == ON_NODE for point in points) else ()
        curves = finished(_curves(moving, drawn, "bandwidth", RATE_LABEL, shown))
        bandwidth = with_bounds(curves, shown, extent([*moving, *shown], "bandwidth"))
        words = f"{_PANELS} {_BOUNDS}" if shown else _PANELS
        charts.append(Figure("bandwidth", "Bandwidth", words, bandwidth))
    if len({row["series"] for row in leading}) > 1:
        charts.append(
            Figure(
                "libraries",
                "Libraries against each other",
                _LEADS,
                finished(_leads(leading, drawn)),
            )
        )
    if len({row["protocol"] for row in drawn}) > 1:
        charts.append(
            Figure(
                "protocols",
                "Which protocol is best at which size",
                SLOWDOWNS,
                finished(slowdowns(drawn, alt.NamedData(name=DATA))),
            )
        )
    return tuple(charts)


def _has_zero(drawn: Sequence[Row]) -> bool:
    return any(row["bytes"] == 0 for row in drawn)


def _curves(
    drawn: Sequence[Row],
    every: Sequence[Row],
    quantity: str,
    label: str,
    bounds: Sequence[Row] = (),
) -> alt.FacetChart:
    """Lines with intervals, small multiples by protocol, colour and shape by series."""
    scale, axis = logarithmic([*drawn, *bounds], quantity, label)
    x = size_axis(drawn)
    y = alt.Y(f"{quantity}:Q", title=quantity, scale=scale, axis=axis)
    y_low = alt.Y(f"{quantity}_low:Q", title=quantity, scale=scale, axis=axis)
    y_high = alt.Y2(f"{quantity}_high")
    hue, shape = hue_and_shape(drawn, every)
    base = alt.Chart().encode(x, hue)
    # No line leads to 0 B: its place on the axis is not to scale.
    moving = base.transform_filter("datum.bytes > 0")
    bounded = base.transform_filter(f"isValid(datum.{quantity}_low)")
    layers = alt.layer(
        _chosen_size(),
        # Unfiltered: a point without an interval breaks the band.
        moving.mark_area(opacity=0.25, clip=True, aria=False).encode(y_low, y_high),
        moving.mark_line(strokeWidth=1.5, aria=False).encode(y),
        bounded.mark_rule(strokeWidth=1.5, clip=True, aria=False).encode(y_low, y_high),
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


def _leads(leading: Sequence[Row], every: Sequence[Row]) -> alt.LayerChart | alt.FacetChart:
    """Libraries relative to the fastest, with visible bars."""
    low, high = extent(leading, "lead", air=1.02)
    title = "time relative to the fastest library"
    scale = alt.Scale(type="log", domain=[low, high], nice=False)
    axis = alt.Axis(format="~r", tickCount=8)
    y = alt.Y("lead:Q", title=title, scale=scale, axis=axis)
    y_low = alt.Y("lead_low:Q", title=title, scale=scale, axis=axis)
    hue, shape = hue_and_shape(leading, every)
    base = alt.Chart().transform_filter("isValid(datum.lead)").encode(size_axis(leading), hue)
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


def _touchable(base: alt.Chart, y: alt.Y, quantity: str) -> alt.Chart:
    """Invisible discs that show the tooltip: the points are too small to hit."""
    discs: alt.Chart = base.mark_point(
        shape="circle", size=160, filled=True, opacity=0, aria=False
    ).encode(y, tooltip=_tooltips(quantity))
    return discs


def _chosen_size() -> alt.Chart:
    """A thin rule at the size selected by the page's slider."""
    rule: alt.Chart = (
        alt.Chart()
        .transform_filter("datum.bytes == chosen_bytes")
        .transform_aggregate(chosen_at="max(at)", groupby=["protocol"])
        .mark_rule(color=colour("muted"), strokeDash=[2, 3], aria=False)
        .encode(x="chosen_at:Q")
    )
    return rule


def slowdowns(drawn: Sequence[Row], data: alt.Data, title: str = "message size") -> alt.FacetChart:
    """A cell for every protocol and size, a panel for each series; ● marks the best."""
    classes = list(SLOWDOWN_CLASSES)
    sizes = list(ordered(row["size"] for row in sorted(drawn, key=lambda row: int(row["bytes"]))))
    protocols = list(ordered(row["protocol"] for row in drawn))
    series = list(ordered(row["series"] for row in drawn))
    base = alt.Chart().encode(
        alt.X("size:N", sort=sizes, title=title, axis=alt.Axis(labelAngle=-90)),
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
            data=data,
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
    return tooltips(shown)
