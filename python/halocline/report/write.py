"""Pages: self-contained HTML files, rendered by one environment."""

from __future__ import annotations

import json
import re
import shlex
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jinja2
import vl_convert

from halocline import __version__
from halocline.base.errors import UserError
from halocline.base.files import replace, require_kind
from halocline.base.paths import cache_home
from halocline.base.quantities import time_of_day
from halocline.base.units import counted
from halocline.report.palette import DARK, LIGHT

_BEGINS = b"<!doctype html"
_GENERATOR = b'name="generator" content="Halocline '
ROWS_SHOWN = 12  # longer tables are folded
_WITHIN_A_NUMBER = re.compile(r"(?<=\d) (?=%|(?:[µnm]?s|[kMGT]?B(?:/s)?|[KMGT]iB)\b)|(?<=±) (?=\d)")
_END = "\n// whole\n"  # marks a complete file


def render(template: str, *, title: str, data: Any, **parts: Any) -> str:
    """A page from its template; `data` is for its scripts, None without scripts."""
    return (
        _environment()
        .get_template(template)
        .render(
            title=title,
            data=None if data is None else script_json(data),
            vega=None if data is None else vega(),
            version=__version__,
            palettes={"light": LIGHT, "dark": DARK},
            most_rows=ROWS_SHOWN,
            **parts,
        )
    )


def write_text(path: Path, text: str) -> Path:
    """Write a page, creating its folder; UserError if that fails or would replace other data."""
    try:
        require_page(path, "--output")
        path.parent.mkdir(parents=True, exist_ok=True)
        replace(path, text)
    except (PermissionError, NotADirectoryError, FileExistsError, IsADirectoryError) as error:
        problem = f"cannot write {path}: {error.strerror}"
        raise UserError(problem, remedy="choose another file with --output") from None
    return path


def require_page(path: Path, option: str) -> None:
    """UserError if a page that goes there would replace other data."""
    require_kind(path, _BEGINS, "a page of Halocline", option, within=_GENERATOR)


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("halocline.report"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["quoted"] = _quoted
    environment.filters["counted"] = counted
    environment.filters["sentence"] = _sentence
    environment.filters["time_of_day"] = time_of_day
    environment.filters["unbroken"] = unbroken
    return environment


def _quoted(path: Path) -> str:
    """A path as a word of a command, for pasting."""
    return shlex.quote(str(path))


def _sentence(text: str) -> str:
    """Capitalised, unless it begins with a name such as sched_autogroup."""
    return text[:1].upper() + text[1:] if text.partition(" ")[0].isalpha() else text


def unbroken(text: str) -> str:
    """With no line break between a number and its unit."""
    return _WITHIN_A_NUMBER.sub("\N{NO-BREAK SPACE}", text)


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
