"""`halocline model`: fit latency, bandwidth and contention to a run, and predict with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from halocline.base.errors import UserError
from halocline.cli import measuring
from halocline.cli.here import known
from halocline.cli.options import Hosts, Machine, Mpi, shared_options
from halocline.cli.survey import where_possible
from halocline.model import FILE, components
from halocline.model.components import in_words
from halocline.model.model import model as fitted
from halocline.model.to_json import to_json
from halocline.report import model_words
from halocline.report.model import write_page
from halocline.specification.experiment import HERE
from halocline.specification.survey import survey
from halocline.summary.summary import of_run


def model(
    run: Annotated[
        Path | None, typer.Argument(help="The folder of a run.", show_default=False)
    ] = None,
    measure: Annotated[
        bool, typer.Option("--measure", help="First measure what the models need (two minutes).")
    ] = False,
    components: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="RANKS",
            help="Propose how to divide this many ranks among a coupled model's components.",
        ),
    ] = None,
    mpi: Mpi = None,
    machine: Machine = None,
    hosts: Hosts = None,
    budget: Annotated[
        str | None, typer.Option(help="Measuring time for each MPI library. Default: 100s.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(help="With --measure: the run's folder; else the report's file."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Fit latency, bandwidth and contention to a run; predict cases left out of the fit.

    Hockney, LogGP and max-rate models for each library, place and protocol, each
    validated on held-out sizes. Reports their error for halo, alltoall and redistribution,
    and which models not to use, and why. Takes a survey, or measures with --measure.
    With --components, takes a run of `coupled` in one or more arrangements instead.

    Example: halocline model runs/survey
    """
    given = {
        "--mpi": mpi,
        "--machine": machine,
        "--hosts": hosts,
        "--budget": budget,
        "--output": output,
    }
    if components is not None:
        if measure or run is None or any(given.values()):
            raise UserError(
                "--components without a run of its own",
                allowed="a run's folder, and --json",
                remedy="measure `halocline run coupled arrangement=sequential,mixed` first",
            )
        _show_advice(run, components, as_json=as_json)
        return
    if measure and run is not None:
        raise UserError(
            f"{str(run)!r} together with --measure",
            remedy="leave one out; --output names the folder of the new run",
        )
    if measure:
        path = _measured(mpi, machine, hosts, budget, output)
    elif run is None:
        raise UserError(
            "no run to fit",
            allowed="a run's folder or --measure",
            remedy="see `halocline model --help`",
        )
    elif without := next(
        (name for name, value in given.items() if value and name != "--output"), None
    ):
        raise UserError(f"{without} without --measure", remedy="add --measure, or leave it out")
    elif as_json and output is not None:
        raise UserError("--output with --json", remedy="leave one out: --json writes no page")
    else:
        path = run
    models = fitted(of_run(path))
    if as_json:
        print(json.dumps(to_json(models, str(path)), indent=2, allow_nan=False))
        return
    for line in model_words.lines(models):
        print(line)
    print(f"report: {write_page(models, path, None if measure else output)}")


def _show_advice(run: Path, ranks: int, *, as_json: bool) -> None:
    advice = components.advise(of_run(run), ranks)
    if as_json:
        print(json.dumps(components.to_json(advice, str(run)), indent=2, allow_nan=False))
        return
    for line in in_words(advice):
        print(line)


def _measured(
    mpi: list[str] | None,
    machine: str | None,
    hosts: str | None,
    budget: str | None,
    output: Path | None,
) -> Path:
    """Measure; returns the run folder."""
    options = shared_options(mpi, machine, None, budget, None, None, None)
    experiment = survey(known(), options, machine or HERE, hosts, FILE)
    return measuring.begin(where_possible(experiment), output, report=False)
