"""`halocline profile`: record the MPI calls of any program, unmodified."""

from __future__ import annotations

import json
import shlex
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from typer.core import TyperGroup

from halocline.base.errors import UserError
from halocline.base.shell import pasted
from halocline.cli import measuring
from halocline.cli.options import (
    Deadline,
    Hosts,
    Launcher,
    Mpi,
    Output,
    Placement,
    Ranks,
    help_alone,
    refuse_with_resume,
    shared_options,
)
from halocline.cli.run import experiment_of
from halocline.profile.export import write_csv, write_json, write_trace
from halocline.profile.facts import to_json
from halocline.profile.functions import SETUP
from halocline.profile.program import check_alike
from halocline.profile.replay.plan import plan_of
from halocline.profile.replay.write import write_experiment
from halocline.profile.report.page import write_page
from halocline.profile.run import record as record_command
from halocline.profile.store import load
from halocline.profile.text import bytes_text, count_text, percent, time_text
from halocline.profile.totals import Totals
from halocline.profile.words import troubles, words
from halocline.specification.spec import Option

HELP = """Record the MPI calls of any program, unmodified.

Example: halocline profile -- mpiexec -n 4 ./model"""

_TRACE_EVENTS = 1 << 16
_MOST_FUNCTIONS = 12
_MOST_SITES = 8
_FILE_WIDTH = 160  # columns, where the output goes to a file or a pipe

ProfileFolder = Annotated[
    Path, typer.Argument(metavar="PROFILE", help="Folder of a profile.", show_default=False)
]


class _Recording(TyperGroup):
    """Words after `--` are a command to record."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if "--" in args and args[0] not in self.commands:
            args = ["record", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(cls=_Recording, invoke_without_command=True, callback=help_alone, help=HELP)


@app.command()
def record(
    command: Annotated[list[str], typer.Argument(metavar="-- COMMAND...", show_default=False)],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Folder of the profile. Default: PROGRAM.profile.",
            show_default=False,
        ),
    ] = None,
    trace: Annotated[
        bool,
        typer.Option(
            "--trace", help="Also keep single calls, for `halocline profile export --as trace`."
        ),
    ] = False,
    trace_events: Annotated[
        int | None,
        typer.Option(
            "--trace-events",
            min=1,
            max=1 << 24,
            help=f"Most recent calls kept per thread; implies --trace. Default: {_TRACE_EVENTS}.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Run a command and record its MPI calls. The word `record` may be left out.

    The command's output and exit code stay the same as without the profiler. However the
    program ends, everything is recorded except calls in flight.

    Example: halocline profile record --output before.profile -- mpiexec -n 4 ./model
    """
    kept = trace_events or (_TRACE_EVENTS if trace else 0)
    code, profile = record_command(command, output, kept)
    if profile is None:
        print("halocline profile: the command made no MPI calls", file=sys.stderr)
        raise typer.Exit(code)
    totals = Totals(profile)
    run = totals.running
    without = f", {run.delayed:.0%} waiting for a core" if run and run.notable else ""
    print(
        f"halocline profile: {profile.size} rank{'s' * (profile.size != 1)}, {totals.calls} MPI "
        f"calls, {totals.share_of_communication:.0%} of the time in MPI{without}; see "
        f"{profile.folder}",
        file=sys.stderr,
    )
    dropped = sum(rank.dropped_events for rank in profile.ranks)
    if dropped:
        print(
            f"halocline profile: the trace lacks the {dropped} oldest calls; "
            "keep more with --trace-events NUMBER",
            file=sys.stderr,
        )
    raise typer.Exit(code)


def workload(
    what: Annotated[
        str | None, typer.Argument(metavar="WORKLOAD|FILE.toml", show_default=False)
    ] = None,
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[axis=value]...", show_default=False)
    ] = None,
    mpi: Mpi = None,
    ranks: Ranks = None,
    hosts: Hosts = None,
    launcher: Launcher = None,
    placement: Placement = None,
    launches: Annotated[
        int | None, typer.Option(min=1, max=100, help="Profiles of each case. Default: 1.")
    ] = None,
    deadline: Deadline = None,
    output: Output = None,
    resume: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Record the profiles that a folder lacks.")
    ] = None,
) -> None:
    """Record the MPI calls of a workload, a profile for each case.

    A profile has all calls of its launch, also those that check the case. The region `timed` is
    what `halocline run` would measure, and each phase of a model is a region of its own.

    Example: halocline profile workload coupled truncation=10 --ranks 2 --ranks 4
    """
    # A new folder gets one profile per case unless more are requested, whatever a file says.
    count = launches if launches or resume is not None else 1
    options = [
        *shared_options(mpi, None, None, None, deadline, hosts, launcher),
        Option("experiment.ranks", "--ranks", ranks or None),
        Option("configuration.placement", "--placement", placement or None),
        Option("measure.launches_minimum", "--launches", count),
        Option("measure.launches_maximum", "--launches", count),
    ]
    if resume is not None:
        remedy = "profiles are recorded with the folder's settings"
        refuse_with_resume([what, *(words or ()), output], options, remedy)
    elif what is None:
        raise UserError(
            "nothing to profile",
            allowed="a workload, a FILE.toml or --resume DIR",
            remedy="see `halocline list workloads`; profile other programs with "
            "`halocline profile -- COMMAND`",
        )

    if resume is not None:
        profiles = measuring.resume_profile(resume)
    else:
        profiles = measuring.profile(experiment_of(str(what), words or (), options), output)
    for profile in profiles:
        print(f"profile: {profile.folder}")
    folder = shlex.quote(str(profiles[0].folder.parent))
    print(f"report: halocline profile report {folder}/*.profile")


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
    loaded = load(profile)
    if as_json:
        print(json.dumps(to_json(loaded), indent=1, allow_nan=False))
    else:
        show(Totals(loaded))


def export(
    profile: ProfileFolder,
    output: Annotated[Path, typer.Option(help="File, or folder of CSV files, to write.")],
    form: Annotated[Form, typer.Option("--as", help="json, csv, or trace (for Perfetto).")],
) -> None:
    """Export a profile as JSON, CSV, or a trace for Chrome and Perfetto.

    Example: halocline profile export model.profile --as csv --output tables
    """
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
    table = _table("By function", ("function",), ("calls", "time", "of MPI time", "bytes"))
    for row in totals.functions[:_MOST_FUNCTIONS]:
        share = "" if row.name in SETUP else percent(row.time_ns / max(1, totals.inside_ns))
        numbers = (count_text(row.count), time_text(row.time_ns), share, bytes_text(row.bytes))
        table.add_row(row.name, *numbers)
    return table


def _sites(totals: Totals) -> Table:
    table = _table("By place", ("function", "called at"), ("calls", "time", "of MPI time"))
    for row in totals.program_sites[:_MOST_SITES]:
        share = percent(row.time_ns / max(1, totals.inside_ns))
        place = escape(totals.site_text(row.site))
        table.add_row(row.function, place, count_text(row.count), time_text(row.time_ns), share)
    return table


def _table(title: str, names: tuple[str, ...], numbers: tuple[str, ...]) -> Table:
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
    loaded = load(profile)
    plan = plan_of(loaded)
    written = write_experiment(loaded, plan, output or profile / "replay")
    for line in plan.deviations:
        print(f"differs from the program: {line}")
    print(f"experiment: {written}; run it with {pasted('halocline', 'run', written)}")


app.command()(workload)
app.command()(report)
app.command()(summary)
app.command()(export)
app.command()(replay)
