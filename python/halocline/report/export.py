"""Figures as files for papers and slides: SVG, PNG, PDF, without a network or a browser."""

from __future__ import annotations

import resource
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any

import vl_convert

from halocline.base.errors import UserError
from halocline.base.units import size_text
from halocline.report.bounds import bounds
from halocline.report.entries import ordered, points
from halocline.report.figures import DATA, Figure, figures
from halocline.report.palette import LIGHT, resolve
from halocline.report.rows import Row, rows
from halocline.report.sections import sections
from halocline.summary.summary import Summary

FORMATS = ("svg", "png", "pdf")
_PNG_SCALE = 3.0  # about 300 dpi
_RESERVED_BYTES = 64 << 30  # of addresses, by vl-convert's JavaScript engine; it uses few


def formats_of(text: str) -> tuple[str, ...]:
    """The formats of a list such as `svg,pdf`; UserError for one that is unknown."""
    wanted = ordered(part.strip() for part in text.split(","))
    for form in wanted:
        if form not in FORMATS:
            raise UserError(
                f"unknown figure format {form!r}",
                where="--figures",
                allowed=", ".join(FORMATS),
                remedy="choose from these, as in --figures svg,pdf",
            )
    return wanted


def export_figures(
    summaries: Sequence[Summary], formats: Sequence[str], folder: Path
) -> tuple[Path, ...]:
    """Write all figures of a report of these runs into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    measured = points(summaries)
    drawn = rows(measured)
    written = []
    for workload, figure in product(
        ordered(row["workload"] for row in drawn), figures(measured, bounds(summaries))
    ):
        shown = [row for row in drawn if row["workload"] == workload]
        for form in formats:
            path = folder / f"{workload}-{figure.name}.{form}"
            path.write_bytes(_rendered(figure, shown, form))
            written.append(path)
    charts = [chart for section in sections(summaries) for chart in section.charts]
    return (*written, *export_charts(charts, formats, folder))


def export_charts(
    charts: Sequence[Figure], formats: Sequence[str], folder: Path
) -> tuple[Path, ...]:
    """Write figures with inline data into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for figure, form in product(charts, formats):
        path = folder / f"{figure.name}.{form}"
        path.write_bytes(_rendered(figure, (), form))
        written.append(path)
    return tuple(written)


@contextmanager
def enough_addresses() -> Iterator[None]:
    """Lifts a limit of addresses (`ulimit -v`) that would end the process while it draws.

    UserError if the limit may not be lifted.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    if soft == resource.RLIM_INFINITY or soft >= _RESERVED_BYTES:
        yield
        return
    if hard != resource.RLIM_INFINITY and hard < _RESERVED_BYTES:
        needed = size_text(_RESERVED_BYTES)
        raise UserError(
            f"figures need {needed} of addresses, though little memory",
            where=f"`ulimit -v`: {size_text(hard)}",
            remedy="draw them where there is no such limit, such as in a job",
        )
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _rendered(figure: Figure, shown: Sequence[Row], form: str) -> bytes:
    specification: dict[str, Any] = figure.specification | {
        "datasets": {DATA: list(shown)},
        "background": LIGHT["surface"],
    }
    with enough_addresses():
        svg = resolve(vl_convert.vegalite_to_svg(specification))
        if form == "svg":
            return svg.encode()
        if form == "png":
            return vl_convert.svg_to_png(svg, scale=_PNG_SCALE)
        return vl_convert.svg_to_pdf(svg)
