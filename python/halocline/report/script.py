"""What pages run in the browser: the data that they draw, and what draws them."""

from __future__ import annotations

import json
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from typing import Any

import vl_convert

from halocline.paths import cache_home
from halocline.run_folder import replace

_END = "\n// whole\n"  # of a file that was not cut off


def script_json(value: Any) -> str:
    """JSON that cannot end the script element that holds it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c")


@cache
def vega() -> str:
    """Vega, Vega-Lite and Vega-Embed in one script, once for all figures.

    Putting it together takes seconds, so it is kept for the next page where that can be written.
    """
    kept = cache_home() / f"vega-{version('vl-convert-python')}.js"
    with suppress(OSError, UnicodeDecodeError):
        text = kept.read_text(encoding="utf-8")
        if text.endswith(_END):
            return text
    bundle = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    # It may only stand in such texts as "</script>", where the backslash changes nothing.
    text = bundle.replace("</script", "<\\/script") + _END
    with suppress(OSError):
        kept.parent.mkdir(parents=True, exist_ok=True)
        replace(kept, text)
    return text
