"""What pages run in the browser: the data that they draw, and what draws them."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import vl_convert


def script_json(value: Any) -> str:
    """JSON that cannot end the script element that holds it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c")


@cache
def vega() -> str:
    """Vega, Vega-Lite and Vega-Embed in one script, once for all figures."""
    bundle = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    # It may only stand in such texts as "</script>", where the backslash changes nothing.
    return bundle.replace("</script", "<\\/script")
