"""`halocline profile report`, `summary`, `export` and `replay`."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from halocline.base.shell import pasted

if TYPE_CHECKING:
    from rich.table import Table

    from halocline.profile.totals import Totals

_MOST_FUNCTIONS = 12
_MOST_SITES = 8
_FILE_WIDTH = 160  # columns, where the output goes to a file or a pipe

ProfileFolder = Annotated[
    Path, typer.Argument(metavar="PROFILE", help="Folder of a profile.", show_default=False)
]


class Form(StrEnum):
    """Export formats of a profile."""

    JSON = "json"
    CSV = "csv"
    TRACE = "trace"


def report(
    profiles: Annotated[
        list[Path],
        typer.Argument(metavar="PROFILE...", help="Folders of profiles.", show_default=False),
    ],
    output: Annotated[
        Path | None,
        typer.Option(help="The HTML file. Default: report.html in the first profile."),
    ] = None,
    any_program: Annotated[
        bool, typer.Option("--any", help="Accept profiles of different programs.")
    ] = False,
) -> None:
    """Write one HTML file that works offline, from one profile or several side by side.

    Example: halocline profile report two.profile four.profile --output scaling.html
    """
    from halocline.profile.program import check_alike  # noqa: PLC0415
    from halocline.profile.report.page import write_page  # noqa: PLC0415
    from halocline.profile.store import load  # noqa: PLC0415

    loaded = [load(folder) for folder in profiles]
    if not any_program:
        check_alike(loaded)
    print(f"report: {write_page(loaded, output or profiles[0] / 'report.html')}")


def summary(
    profile: ProfileFolder,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print a profile's summary: in words, by function and by call site.

    Example: halocline profile summary model.profile --json
    """
    from halocline.profile.facts import to_json  # noqa: PLC0415
    from halocline.profile.store import load  # noqa: PLC0415
    from halocline.profile.totals import Totals  # noqa: PLC0415

    loaded = load(profile)
    if as_json:
        print(json.dumps(to_json(loaded), indent=1, ensure_ascii=False, allow_nan=False))
    else:
        show(Totals(loaded))


def export(
    profile: ProfileFolder,
    output: Annotated[Path, typer.Option(help="File, or folder of CSV files, to write.")],
    form: Annotated[Form, typer.Option("--as", help="json, csv, or trace: Perfetto's.")],
) -> None:
    """Export a profile as JSON, CSV, or a trace for Chrome and Perfetto.

    Example: halocline profile export model.profile --as csv --output tables
    """
    from halocline.base.errors import UserError  # noqa: PLC0415
    from halocline.profile.export import write_csv, write_json, write_trace  # noqa: PLC0415
    from halocline.profile.store import load  # noqa: PLC0415

    loaded = load(profile)
    writers = {Form.JSON: write_json, Form.CSV: write_csv, Form.TRACE: write_trace}
    try:
        for path in writers[form](loaded, output):
            print(f"written: {path}")
    except OSError as error:
        problem = f"cannot write {error.filename or output}: {error.strerror}"
        raise UserError(problem, remedy="choose another path with --output") from None


def show(totals: Totals) -> None:
    """The summary, in the terminal."""
    from rich.console import Console  # noqa: PLC0415

    from halocline.profile.words import troubles, words  # noqa: PLC0415

    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = _FILE_WIDTH
    for sentence in words(totals):
        console.print(sentence.claim, style="bold", markup=False)
        console.print(f"    {sentence.evidence}", markup=False)
    console.print(_functions(totals))
    console.print(_sites(totals))
    for trouble in troubles(totals):
        console.print(f"note: {trouble}", markup=False)


def _functions(totals: Totals) -> Table:
    from halocline.profile.text import bytes_text, count_text, percent, time_text  # noqa: PLC0415

    table = _table("By function", ("function",), ("calls", "time", "of MPI time", "bytes"))
    for row in totals.functions[:_MOST_FUNCTIONS]:
        share = percent(row.time_ns / max(1, totals.mpi_ns))
        numbers = (count_text(row.count), time_text(row.time_ns), share, bytes_text(row.bytes))
        table.add_row(row.name, *numbers)
    return table


def _sites(totals: Totals) -> Table:
    from rich.markup import escape  # noqa: PLC0415

    from halocline.profile.text import count_text, percent, time_text  # noqa: PLC0415

    table = _table("By place", ("function", "called at"), ("calls", "time", "of MPI time"))
    for row in totals.sites[:_MOST_SITES]:
        share = percent(row.time_ns / max(1, totals.mpi_ns))
        place = escape(totals.site_text(row.site))
        table.add_row(row.function, place, count_text(row.count), time_text(row.time_ns), share)
    return table


def _table(title: str, names: tuple[str, ...], numbers: tuple[str, ...]) -> Table:
    from rich.box import SIMPLE_HEAD  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD)
    for head in names:
        table.add_column(head, overflow="fold")
    for head in numbers:
        table.add_column(head, justify="right", no_wrap=True)
    return table


def replay(
    profile: ProfileFolder,
    output: Annotated[
        Path | None,
        typer.Option(help="The experiment's folder. Default: replay in the profile's."),
    ] = None,
) -> None:
    """Turn a profile into an experiment: the same calls, sizes and peers, without the program.

    Example: halocline profile replay model.profile --output model-replay
    """
    from halocline.profile.replay.plan import plan_of  # noqa: PLC0415
    from halocline.profile.replay.write import write_experiment  # noqa: PLC0415
    from halocline.profile.store import load  # noqa: PLC0415

    loaded = load(profile)
    plan = plan_of(loaded)
    written = write_experiment(loaded, plan, output or profile / "replay")
    for line in plan.deviations:
        print(f"differs from the program: {line}")
    print(f"experiment: {written}; run it with {pasted('halocline', 'run', written)}")
