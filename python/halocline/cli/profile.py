"""`halocline profile`: record the MPI calls of any program, unmodified."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from halocline.cli import profile_shown, profile_workload
from halocline.cli.options import help_alone

HELP = """Record the MPI calls of any program, unmodified.

Example: halocline profile -- mpiexec -n 4 ./model"""


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
        int,
        typer.Option(
            "--trace-events", min=1, max=1 << 24, help="Number of last calls kept per thread."
        ),
    ] = 1 << 16,
) -> None:
    """Run a command and record its MPI calls. The word `record` may be left out.

    The command's output and exit code stay the same as without the profiler. However the
    program ends, everything is recorded except calls in flight.

    Example: halocline profile record --output before.profile -- mpiexec -n 4 ./model
    """
    from halocline.profile.run import record as record_command  # noqa: PLC0415
    from halocline.profile.totals import Totals  # noqa: PLC0415

    code, profile = record_command(command, output, trace_events if trace else 0)
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


app.command()(profile_workload.workload)
app.command()(profile_shown.report)
app.command()(profile_shown.summary)
app.command()(profile_shown.export)
app.command()(profile_shown.replay)
