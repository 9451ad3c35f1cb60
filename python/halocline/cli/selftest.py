"""`halocline selftest`: how far to trust the verdicts of `halocline compare` on this machine."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer

from halocline.campaign.pace import Limits
from halocline.cli import comparing
from halocline.cli.options import Machine, Output
from halocline.cli.run import experiment_of
from halocline.cli.sides import share
from halocline.compare.selftest import of_folder
from halocline.compare.sides import Side
from halocline.specification.experiment import is_simulated
from halocline.specification.spec import Option

_CASES = ("pingpong", "bytes=8,4KiB,64KiB,1MiB", "protocol=send_recv")
_LAUNCHES_FEWEST, _LAUNCHES_MOST = 16, 400


def selftest(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[WORKLOAD [axis=value]...]", show_default=False)
    ] = None,
    mpi: Annotated[str, typer.Option(help="MPI library.")] = "mpich",
    machine: Machine = None,
    delay: Annotated[str, typer.Option(help="Known slowdown added to one side.")] = "1%",
    budget: Annotated[str, typer.Option(help="Measuring time.")] = "2min",
    output: Output = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Compare a library with itself, and with itself slowed down by a known amount.

    Three sides take turns: two identical, and one whose batches are prolonged. Reports how often a
    difference is claimed where none exists, how often the known one is found, and how many
    intervals contain the true value. Exits with 1 if verdicts cannot be trusted here.

    Example: halocline selftest --mpi mpich --budget 2min
    """
    added = share(delay, "--delay")
    asked = tuple(words or _CASES)
    options = [
        Option("experiment.mpi", "--mpi", None if is_simulated(machine or "") else [mpi]),
        Option("experiment.machine", "--machine", machine),
        Option("measure.budget", "--budget", budget),
    ]
    experiment = experiment_of(asked[0], asked[1:], options)
    reference = Side(mpi, experiment)
    sides = (
        reference,
        replace(reference, name=f"{mpi} again"),
        replace(reference, name=f"{mpi} delayed", delay_share=added),
    )
    limits = Limits(_LAUNCHES_FEWEST, _LAUNCHES_MOST, experiment.budget_s)
    path: Path = comparing.measure_sides(sides, limits, 0.03, output)
    result = of_folder(path)
    if as_json:
        print(json.dumps({"schema": 1, **asdict(result)}, indent=1, allow_nan=False))
    else:
        for line in result.lines:
            print(line)
    return 0 if result.trusted else 1
