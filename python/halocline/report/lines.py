"""One kind of chart for all sections: lines with intervals, a panel for each part."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from halocline.report.axes import (
    RATE_LABEL,
    TIME_LABEL,
    finished,
    hue_and_shape,
    logarithmic,
    size_axis,
    tooltips,
)
from halocline.report.entries import ordered
from halocline.report.figures import Figure
from halocline.report.rows import Quantity, Row, zero_at

_INTERVALS = (
    "Bars are 95 % intervals over launches, clipped to the panel; both axes are logarithmic."
)


def lines(
    name: str,
    title: str,
    description: str,
    dots: Sequence[Row],
    quantity: Quantity,
    along: str = "message size",
    in_bytes: bool = True,
) -> Figure:
    """The chart; `dots` are one or more, made by `dot`. Sizes in bytes are labelled as such."""
    zero = zero_at(row["bytes"] for row in dots)
    drawn = [row | {"at": row["bytes"] or zero} for row in dots]
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
    panels = list(ordered(row["panel"] for row in dots))
    chart = layers.properties(width=210, height=170).facet(
        facet=alt.Facet("panel:N", title=None, sort=panels),
        columns=4,
        data=alt.InlineData(values=drawn),
    )
    return Figure(name, title, f"{description} {_INTERVALS}", finished(chart), len(panels))
