"""`halocline selftest`: how far to trust the verdicts of `halocline compare` on this machine."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer

from halocline.base.errors import UserError
from halocline.campaign.pace import Limits
from halocline.cli import comparing
from halocline.cli.options import Machine, Output, refuse_with_resume
from halocline.cli.run import experiment_of
from halocline.cli.sides import share
from halocline.compare.selftest import is_selftest, of_folder
from halocline.compare.sides import Side
from halocline.specification.experiment import is_simulated
from halocline.specification.spec import Option

_CASES = ("pingpong", "bytes=8,4KiB,64KiB,1MiB", "protocol=send_recv")
_LAUNCHES_FEWEST, _LAUNCHES_MOST = 16, 400
_MPI, _DELAY, _BUDGET = "mpich", "1%", "2min"


def selftest(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[WORKLOAD [axis=value]...]", show_default=False)
    ] = None,
    mpi: Annotated[
        str | None, typer.Option(help=f"MPI library. Default: {_MPI}.", show_default=False)
    ] = None,
    machine: Machine = None,
    delay: Annotated[
        str | None, typer.Option(help=f"Known slowdown added to one side. Default: {_DELAY}.")
    ] = None,
    budget: Annotated[str | None, typer.Option(help=f"Measuring time. Default: {_BUDGET}.")] = None,
    output: Output = None,
    resume: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Resume an interrupted self-test.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Compare a library with itself, and with itself slowed down by a known amount.

    Three sides take turns: two identical, and one whose batches are prolonged. Reports how often a
    difference is claimed where none exists, how often the known one is found, and how many
    intervals contain the true value. Exits with 1 if verdicts cannot be trusted here.

    Example: halocline selftest --mpi mpich --budget 2min
    """
    if resume is not None:
        begun = "a self-test resumes with its original settings"
        refuse_with_resume([*(words or ()), mpi, machine, delay, budget, output], (), begun)
        if not is_selftest(resume):
            remedy = "name a folder written by `halocline selftest`"
            raise UserError(f"{resume} is not a self-test", remedy=remedy)
        path = comparing.resume_sides(resume)
    else:
        path = _measured(words or _CASES, mpi or _MPI, machine, delay or _DELAY, budget, output)
    result = of_folder(path)
    if as_json:
        print(json.dumps({"schema": 1, **asdict(result)}, indent=1, allow_nan=False))
    else:
        for line in result.lines:
            print(line)
    return 0 if result.trusted else 1


def _measured(
    words: Sequence[str],
    mpi: str,
    machine: str | None,
    delay: str,
    budget: str | None,
    output: Path | None,
) -> Path:
    """Measure a library, the same again, and delayed; returns the comparison's folder."""
    added = share(delay, "--delay")
    options = [
        Option("experiment.mpi", "--mpi", None if is_simulated(machine or "") else [mpi]),
        Option("experiment.machine", "--machine", machine),
        Option("measure.budget", "--budget", budget or _BUDGET),
    ]
    experiment = experiment_of(words[0], words[1:], options)
    reference = Side(mpi, experiment)
    sides = (
        reference,
        replace(reference, name=f"{mpi} again"),
        replace(reference, name=f"{mpi} delayed", delay_share=added),
    )
    limits = Limits(_LAUNCHES_FEWEST, _LAUNCHES_MOST, experiment.budget_s)
    return comparing.measure_sides(sides, limits, 0.03, output)
