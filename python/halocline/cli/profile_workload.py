"""`halocline profile workload`: the calls of a workload's cases."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from halocline.base.errors import UserError
from halocline.cli.options import (
    Deadline,
    Hosts,
    Launcher,
    Mpi,
    Output,
    Placement,
    Ranks,
    refuse_with_resume,
    shared_options,
)
from halocline.specification.spec import Option


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
    # Imported late: scipy would delay `halocline --help`.
    from halocline.cli import measuring  # noqa: PLC0415
    from halocline.cli.run import experiment_of  # noqa: PLC0415

    if resume is not None:
        profiles = measuring.resume_profile(resume)
    else:
        profiles = measuring.profile(experiment_of(str(what), words or (), options), output)
    for profile in profiles:
        print(f"profile: {profile.folder}")
    folder = shlex.quote(str(profiles[0].folder.parent))
    print(f"report: halocline profile report {folder}/*.profile")
