"""`halocline report`: the HTML report of one run, or of several side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def report(
    runs: Annotated[list[Path], typer.Argument(help="Folders of runs.", show_default=False)],
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
    # Altair and Vega are slow to load.
    from halocline.report.export import export_figures, formats_of  # noqa: PLC0415
    from halocline.report.html import write_report  # noqa: PLC0415
    from halocline.report.points import points  # noqa: PLC0415
    from halocline.summary import of_run  # noqa: PLC0415

    formats = formats_of(figures) if figures is not None else ()
    page = write_report(runs, output)
    print(f"report: {page}")
    if formats:
        folder = page.with_name(f"{page.stem}-figures")
        for path in export_figures(points([of_run(run) for run in runs]), formats, folder):
            print(f"figure: {path}")
