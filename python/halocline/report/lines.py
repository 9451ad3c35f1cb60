"""One kind of chart for all sections: lines with intervals, a panel for each part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import altair as alt

from halocline.base.quantities import rate_text, size_label, time_text
from halocline.report.axes import (
    RATE_LABEL,
    TIME_LABEL,
    finished,
    hue_and_shape,
    logarithmic,
    size_axis,
    tooltips,
)
from halocline.report.figures import Figure
from halocline.report.points import ordered
from halocline.report.rows import ZERO_GAP, Row, bounded
from halocline.summary.metrics import Metric
from halocline.summary.ratios import plus_minus

Quantity = Literal["time", "bandwidth"]
_INTERVALS = (
    "Bars are 95 % intervals over launches, clipped to the panel; both axes are logarithmic."
)


@dataclass(frozen=True)
class Dot:
    """A measured point: its panel, line, position and value."""

    panel: str
    line: str
    at: int
    metric: Metric


def lines(
    name: str,
    title: str,
    description: str,
    dots: Sequence[Dot],
    quantity: Quantity,
    along: str = "message size",
    in_bytes: bool = True,
) -> Figure:
    """The chart; `dots` are one or more. Sizes in bytes are labelled as such."""
    drawn = _rows(dots, quantity, in_bytes)
    label = TIME_LABEL if quantity == "time" else RATE_LABEL
    scale, axis = logarithmic(drawn, quantity, label)
    y = alt.Y(f"{quantity}:Q", title=quantity, scale=scale, axis=axis)
    y_low = alt.Y(f"{quantity}_low:Q", title=quantity, scale=scale, axis=axis)
    hue, shape = hue_and_shape(drawn)
    base = alt.Chart().encode(size_axis(drawn, along, in_bytes), hue)
    shown = {
        "series": "of",
        "panel": "panel",
        "size": along,
        f"{quantity}_text": quantity,
        "interval": "95 % interval",
        "launches": "launches",
    }
    layers = alt.layer(
        base.transform_filter("datum.bytes > 0").mark_line(strokeWidth=1.5, aria=False).encode(y),
        base.transform_filter(f"isValid(datum.{quantity}_low)")
        .mark_rule(strokeWidth=1.5, clip=True, aria=False)
        .encode(y_low, alt.Y2(f"{quantity}_high")),
        base.mark_point(filled=True, size=34, opacity=1, aria=False).encode(y, shape),
        base.mark_point(shape="circle", size=160, filled=True, opacity=0, aria=False).encode(
            y, tooltip=tooltips(shown)
        ),
    )
    panels = list(ordered(dot.panel for dot in dots))
    chart = layers.properties(width=210, height=170).facet(
        facet=alt.Facet("panel:N", title=None, sort=panels),
        columns=4,
        data=alt.InlineData(values=drawn),
    )
    return Figure(name, title, f"{description} {_INTERVALS}", finished(chart), len(panels))


def _rows(dots: Sequence[Dot], quantity: Quantity, in_bytes: bool) -> list[Row]:
    zero_at = min((dot.at for dot in dots if dot.at), default=1) / ZERO_GAP
    text = time_text if quantity == "time" else rate_text
    return [
        {
            "panel": dot.panel,
            "series": dot.line,
            "bytes": dot.at,
            "at": dot.at or zero_at,
            "size": size_label(dot.at) if in_bytes else f"{dot.at:,}",
            "interval": plus_minus(dot.metric.half_width_relative),
            "launches": dot.metric.launches,
            **bounded(dot.metric, text, quantity),
        }
        for dot in dots
    ]
