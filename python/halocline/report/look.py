"""The common style of all figures, as Vega-Lite configuration."""

from __future__ import annotations

from typing import Any

from halocline.report.palette import colour

_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', sans-serif"

LOOK: dict[str, Any] = {
    "font": _FONT,
    "background": "transparent",
    "view": {"stroke": None},
    "axis": {
        "labelColor": colour("muted"),
        "titleColor": colour("muted"),
        "titleFontWeight": "normal",
        "gridColor": colour("grid"),
        "domainColor": colour("muted"),
        "tickColor": colour("muted"),
        "labelFontSize": 11,
        "titleFontSize": 11,
        "titlePadding": 8,
    },
    "axisX": {"labelSeparation": 8},  # crowded labels are left out
    "axisY": {"domain": False, "ticks": False},
    "header": {
        "labelColor": colour("ink"),
        "labelFontSize": 12.5,
        "labelFontWeight": 600,
        "labelAnchor": "start",
    },
    "legend": {
        "labelColor": colour("ink"),
        "titleColor": colour("muted"),
        "titleFontWeight": "normal",
        "labelFontSize": 12,
        "titleFontSize": 12,
        "columnPadding": 18,
        "symbolSize": 80,
        "symbolOpacity": 1,
    },
}
