"""`halocline report`: the HTML report of one run, of several side by side, or of a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from halocline.cli.compare import of_comparison
from halocline.compare import folder, programs
from halocline.report import programs as of_programs
from halocline.report.comparison import comparison
from halocline.report.export import enough_addresses, export_charts, export_figures, formats_of
from halocline.report.html import summaries_of, write_page


def report(
    runs: Annotated[
        list[Path], typer.Argument(help="Folders of runs, or one comparison's.", show_default=False)
    ],
    output: Annotated[
        Path | None, typer.Option(help="The HTML file. Default: report.html in the first run.")
    ] = None,
    figures: Annotated[
        str | None, typer.Option(help="Also write every figure, as svg,png,pdf.")
    ] = None,
) -> None:
    """Write one HTML file that works offline, from one run or from several side by side.

    Example: halocline report runs/monday runs/tuesday --output both.html --figures svg,pdf
    """
    formats = formats_of(figures) if figures is not None else ()
    if formats:
        with enough_addresses():  # else the page would be there without them
            pass
    written: tuple[Path, ...] = ()
    if len(runs) == 1 and (programs.is_one(runs[0]) or folder.is_comparison(runs[0])):
        page, written = _of_comparison(runs[0], output, formats)
    else:
        summaries = summaries_of(runs)
        page = write_page(summaries, output)
        if formats:
            written = export_figures(summaries, formats, _figures_of(page))
    print(f"report: {page}")
    for path in written:
        print(f"figure: {path}")


def _figures_of(page: Path) -> Path:
    return page.with_name(f"{page.stem}-figures")


def _of_comparison(
    path: Path, output: Path | None, formats: Sequence[str]
) -> tuple[Path, tuple[Path, ...]]:
    """The page of a comparison's folder; the figures of its verdict, then those of its sides."""
    comparisons, page = of_comparison(path, page=output)
    if not formats:
        return page, ()
    into = _figures_of(page)
    if programs.is_one(path):
        charts = [of_programs.figure(comparisons[0], programs.runs(path))]
        return page, export_charts(charts, formats, into)
    runs = folder.runs(path)
    charts = [
        chart for at, result in enumerate(comparisons) for chart in comparison(result, at).charts
    ]
    sides = export_figures(summaries_of(runs), formats, into)
    return page, (*export_charts(charts, formats, into), *sides)
