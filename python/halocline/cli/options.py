"""The options that several commands share."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from halocline.base.errors import UserError
from halocline.base.units import TIMES_ALLOWED, duration_s
from halocline.specification.checks import LAUNCHES_MOST
from halocline.specification.spec import Option

Mpi = Annotated[
    list[str] | None, typer.Option(help="MPI library; repeat for several.", show_default=False)
]
Machine = Annotated[
    str | None, typer.Option(help="here, a simulated machine, or mock:1.5us. Default: here.")
]
Budget = Annotated[
    str | None, typer.Option(help="Measuring time for each MPI library. Default: 150s.")
]
Deadline = Annotated[
    str | None,
    typer.Option(help="Kill a launch without progress for this long. Default: 60s."),
]
Hosts = Annotated[
    str | None,
    typer.Option(help="Nodes: a,b, a hostfile, slurm, up (`halocline hosts up`), made."),
]
Ranks = Annotated[
    list[int] | None, typer.Option(help="Number of ranks; repeat for several. Default: 2.")
]
Launcher = Annotated[
    list[str] | None,
    typer.Option(help="mpiexec or srun; repeat to compare.", show_default=False),
]
Placement = Annotated[
    list[str] | None,
    typer.Option(help="smp, wrap, folded or file:PATH; repeat to compare."),
]
Launches = Annotated[str | None, typer.Option(help="Launches per library. Default: 8..100.")]
HalfWidth = Annotated[
    float | None, typer.Option(help="Relative half-width to reach at 95 %. Default: 0.01.")
]
Output = Annotated[
    Path | None, typer.Option(help="The run's folder. Default: runs/DATE-TIME-TITLE.")
]


def help_alone(context: typer.Context) -> None:
    """Print a group's help if no command is named."""
    if context.invoked_subcommand is None:
        print(context.get_help())


def shared_options(
    mpi: list[str] | None,
    machine: str | None,
    half_width: float | None,
    budget: str | None,
    deadline: str | None,
    hosts: str | None,
    launcher: list[str] | None,
) -> list[Option]:
    """The options that every measuring command has."""
    return [
        Option("experiment.mpi", "--mpi", mpi or None),
        Option("experiment.machine", "--machine", machine),
        Option("experiment.hosts", "--hosts", hosts),
        Option("configuration.launcher", "--launcher", launcher or None),
        Option("measure.half_width", "--half-width", half_width),
        Option("measure.budget", "--budget", budget),
        Option("measure.deadline", "--deadline", deadline),
    ]


def launches_options(text: str | None) -> list[Option]:
    """`8` for exactly eight launches of each library, `5..20` for at least five, at most twenty."""
    if text is None:
        return []
    match = re.fullmatch(r"(-?\d{1,9})(?:\.\.(-?\d{1,9}))?", text)
    if match is None:
        raise UserError(
            f"{text!r} is not a number of launches",
            where="--launches",
            allowed=f"1 to {LAUNCHES_MOST}",
            remedy="write 8 or 5..20",
        )
    fewest, most = int(match[1]), int(match[2] or match[1])
    return [
        Option("measure.launches_minimum", "--launches", fewest),
        Option("measure.launches_maximum", "--launches", most),
    ]


def seconds_of(text: str, option: str) -> float:
    """Seconds; UserError for anything but a time of more than none."""
    try:
        seconds = duration_s(text)
        if seconds <= 0:
            raise ValueError(f"{text!r} is no time")
        return seconds
    except ValueError as error:
        remedy = "write for example 30min"
        raise UserError(str(error), where=option, allowed=TIMES_ALLOWED, remedy=remedy) from None


def refuse_with_resume(others: Iterable[object], options: Iterable[Option], remedy: str) -> None:
    """UserError for the first word or option given together with --resume."""
    given = [str(other) for other in others if other is not None]
    given += [option.name for option in options if option.value is not None]
    if given:
        raise UserError(f"{given[0]!r} together with --resume", remedy=f"leave it out: {remedy}")
