"""Figures as files for papers and slides: SVG, PNG, PDF, without a network or a browser."""

from __future__ import annotations

import resource
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import vl_convert

from halocline.base.errors import UserError
from halocline.report.bounds import bounds
from halocline.report.figures import DATA, Figure, figures
from halocline.report.palette import LIGHT, resolve
from halocline.report.points import ordered, points
from halocline.report.rows import Row, rows
from halocline.report.sections import sections
from halocline.summary.summary import Summary

FORMATS = ("svg", "png", "pdf")
_PNG_SCALE = 3.0  # about 300 dpi
_GIBIBYTE = 1 << 30
_RESERVED_BYTES = 64 * _GIBIBYTE  # of addresses, by vl-convert's JavaScript engine; it uses few


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


def _require_addresses() -> None:
    """UserError where a limit of addresses (`ulimit -v`) would end the process while it draws."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    if soft == resource.RLIM_INFINITY or soft >= _RESERVED_BYTES:
        return
    if hard == resource.RLIM_INFINITY or hard >= _RESERVED_BYTES:
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
        return
    problem = f"figures need {_RESERVED_BYTES // _GIBIBYTE} GiB of addresses, of which they use few"
    raise UserError(
        problem,
        where=f"`ulimit -v`: {hard // _GIBIBYTE} GiB",
        remedy="draw them where there is no such limit, such as in a job",
    )


def _rendered(figure: Figure, shown: Sequence[Row], form: str) -> bytes:
    specification: dict[str, Any] = figure.specification | {
        "datasets": {DATA: list(shown)},
        "background": LIGHT["surface"],
    }
    _require_addresses()
    svg = resolve(vl_convert.vegalite_to_svg(specification))
    if form == "svg":
        return svg.encode()
    if form == "png":
        return vl_convert.svg_to_png(svg, scale=_PNG_SCALE)
    return vl_convert.svg_to_pdf(svg)
