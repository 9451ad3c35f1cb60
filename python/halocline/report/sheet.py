"""A page of one picture and one table, where there is no run to report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import jinja2

from halocline.report.palette import DARK, LIGHT
from halocline.report.script import script_json, vega

_ROWS_SHOWN = 40  # a longer table is folded


@dataclass(frozen=True)
class Sheet:
    """What stands on the page; `numbers` are the heads of the columns of numbers."""

    title: str
    about: str
    sentences: tuple[str, ...]
    picture: dict[str, object]
    picture_words: str
    caption: str
    heads: tuple[str, ...]
    numbers: frozenset[str]
    rows: Sequence[tuple[str, ...]]
    panels: int = 1


def page(sheet: Sheet) -> str:
    """One HTML file that needs nothing else."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("halocline.report"),
        autoescape=True,
        trim_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    return environment.get_template("sheet.html.j2").render(
        title=sheet.title,
        about=sheet.about,
        sentences=sheet.sentences,
        picture_words=sheet.picture_words,
        caption=sheet.caption,
        heads=sheet.heads,
        numbers=sheet.numbers,
        rows=sheet.rows,
        palettes={"light": LIGHT, "dark": DARK},
        data=script_json(
            {"charts": {"sheet": {"panels": sheet.panels, "specification": sheet.picture}}}
        ),
        most_rows=_ROWS_SHOWN,
        vega=vega(),
    )
