"""`halocline model`: latency, bandwidth and contention fitted to a run, and what they predict."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from halocline.cli.options import Hosts, Machine, Mpi, Output, shared_options
from halocline.errors import UserError
from halocline.experiment import HERE


def model(
    run: Annotated[
        Path | None, typer.Argument(help="The folder of a run.", show_default=False)
    ] = None,
    measure: Annotated[
        bool, typer.Option("--measure", help="Measure first what models need, in two minutes.")
    ] = False,
    mpi: Mpi = None,
    machine: Machine = None,
    hosts: Hosts = None,
    budget: Annotated[
        str | None, typer.Option(help="Measuring time for each MPI library. Default: 100s.")
    ] = None,
    output: Output = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Fit latency, bandwidth and contention to a run; predict what was not used for the fit.

    Hockney's model, LogGP and the max-rate model, for each library, place and protocol, each
    validated on sizes left out. Says how far off they are for halo, alltoall and redistribution,
    and which may not be used, and why. A survey will do, or what --measure measures.

    Example: halocline model runs/survey
    """
    # Loaded only here: scipy and what else a model needs would delay `halocline --help`.
    from halocline.model.model import model as fitted  # noqa: PLC0415
    from halocline.model.to_json import to_json  # noqa: PLC0415
    from halocline.report.model import write_page  # noqa: PLC0415
    from halocline.report.model_words import lines  # noqa: PLC0415
    from halocline.summary import of_run  # noqa: PLC0415

    given = {
        "--mpi": mpi,
        "--machine": machine,
        "--hosts": hosts,
        "--budget": budget,
        "--output": output,
    }
    if measure and run is not None:
        raise UserError(
            f"{str(run)!r} together with --measure",
            remedy="leave one out; --output names the folder of what is measured",
        )
    if measure:
        path = _measured(mpi, machine, hosts, budget, output)
    elif run is None:
        raise UserError(
            "no run to fit a model to",
            allowed="a run's folder or --measure",
            remedy="see `halocline model --help`",
        )
    elif without := next((name for name, value in given.items() if value), None):
        raise UserError(f"{without} without --measure", remedy="add --measure, or leave it out")
    else:
        path = run
    found = fitted(of_run(path))
    if as_json:
        print(json.dumps(to_json(found, str(path)), indent=2, allow_nan=False))
        return
    page = write_page(found, path)
    for line in lines(found):
        print(line)
    print(f"report: {page}")


def _measured(
    mpi: list[str] | None,
    machine: str | None,
    hosts: str | None,
    budget: str | None,
    output: Path | None,
) -> Path:
    """The folder of the run that was measured."""
    from halocline.cli import measuring  # noqa: PLC0415
    from halocline.cli.survey import where_possible  # noqa: PLC0415
    from halocline.here import known  # noqa: PLC0415
    from halocline.model import FILE  # noqa: PLC0415
    from halocline.survey import survey  # noqa: PLC0415

    options = shared_options(mpi, machine, None, budget, None, None, None)
    experiment = survey(known(), options, machine or HERE, hosts, FILE)
    return measuring.begin(where_possible(experiment), output, report=False)
