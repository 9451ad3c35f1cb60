"""Scripts and data that pages run in the browser."""

from __future__ import annotations

import json
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from typing import Any

import vl_convert

from halocline.base.files import replace
from halocline.base.paths import cache_home

_END = "\n// whole\n"  # marks a complete file


def script_json(value: Any) -> str:
    """JSON that cannot close its script element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c")


@cache
def vega() -> str:
    """Vega, Vega-Lite and Vega-Embed in one script, once for all figures.

    Bundling takes seconds, so it is cached for the next page if the cache is writable.
    """
    kept = cache_home() / f"vega-{version('vl-convert-python')}.js"
    with suppress(OSError, UnicodeDecodeError):
        text = kept.read_text(encoding="utf-8")
        if text.endswith(_END):
            return text
    bundle = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    # It can only occur in strings such as "</script>", where the backslash has no effect.
    text = bundle.replace("</script", "<\\/script") + _END
    with suppress(OSError):
        kept.parent.mkdir(parents=True, exist_ok=True)
        replace(kept, text)
    return text
