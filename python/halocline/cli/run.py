"""`halocline run`: an experiment from words or a file, or the rest of an interrupted one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from halocline.base.errors import NoFigures, UserError
from halocline.cli import measuring
from halocline.cli.here import known
from halocline.cli.options import (
    Budget,
    Deadline,
    HalfWidth,
    Hosts,
    Launcher,
    Launches,
    Machine,
    Mpi,
    Output,
    Placement,
    Ranks,
    launches_options,
    refuse_with_resume,
    shared_options,
)
from halocline.specification.experiment import Experiment
from halocline.specification.spec import Option, from_words, load
from halocline.summary.summary import of_run, to_json


def run(
    what: Annotated[
        str | None, typer.Argument(metavar="WORKLOAD|FILE.toml", show_default=False)
    ] = None,
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[axis=value]...", show_default=False)
    ] = None,
    mpi: Mpi = None,
    machine: Machine = None,
    ranks: Ranks = None,
    hosts: Hosts = None,
    launcher: Launcher = None,
    placement: Placement = None,
    half_width: HalfWidth = None,
    launches: Launches = None,
    budget: Budget = None,
    deadline: Deadline = None,
    output: Output = None,
    resume: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Resume an interrupted run.")
    ] = None,
    scaling: Annotated[
        bool,
        typer.Option("--scaling", help="For redistribution: time setup for up to 1,048,576 ranks."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Measure an experiment: WORKLOAD with values for its axes and settings, or a file.

    Example: halocline run pingpong bytes=8,4KiB..1MiB protocol=send_recv --mpi mpich
    """
    options = [
        *shared_options(mpi, machine, half_width, budget, deadline, hosts, launcher),
        *launches_options(launches),
        Option("experiment.ranks", "--ranks", ranks or None),
        Option("configuration.placement", "--placement", placement or None),
    ]
    if resume is not None:
        arguments = [what, *(words or ()), output, "--scaling" if scaling else None]
        refuse_with_resume(arguments, options, "a run resumes with its original settings")
    elif what is None:
        raise UserError(
            "nothing to run",
            allowed="a workload, a FILE.toml or --resume DIR",
            remedy="see `halocline list workloads`",
        )
    # Imported late: figures take 0.2 s to load, which help and completion need not wait for.
    from halocline.cli import scaling as store  # noqa: PLC0415

    try:
        if resume is not None:
            path = measuring.resume(resume)
        elif scaling:
            path = measuring.begin(store.experiment_of(what, words or (), options), output)
        else:
            path = measuring.begin(experiment_of(str(what), words or (), options), output)
    except NoFigures as failed:
        if as_json and failed.saved:  # the JSON includes the reasons
            print(json.dumps(to_json(of_run(failed.saved)), indent=2))
        raise
    if as_json:
        print(json.dumps(to_json(of_run(path)), indent=2))
    else:
        if scaling:
            store.show(of_run(path))
        print(f"report: {path / 'report.html'}")


def experiment_of(what: str, words: Sequence[str], options: Sequence[Option]) -> Experiment:
    """The experiment of a file, or of a workload and the words after it; UserErrors names all."""
    if not what.endswith(".toml"):
        return from_words(what, words, known(), options)
    if words:
        remedy = f"write it into [axes] of {what}"
        raise UserError(f"{words[0]!r} cannot be combined with an experiment file", remedy=remedy)
    return load(Path(what), known(), options)
