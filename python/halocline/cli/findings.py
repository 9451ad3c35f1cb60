"""`halocline findings`: the papers' claims, answered."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from halocline.base.errors import RunFailed, UserError
from halocline.cli import measuring
from halocline.cli.here import known
from halocline.cli.options import Budget, Hosts, Mpi
from halocline.findings import measured, text
from halocline.findings.claim import chosen, command
from halocline.findings.text import Found, criterion_text, number_text
from halocline.launch.binding import available_cores
from halocline.specification.experiment import Experiment
from halocline.specification.spec import Option, load


def findings(
    ids: Annotated[list[str] | None, typer.Argument(metavar="[ID]...", show_default=False)] = None,
    run: Annotated[
        bool, typer.Option("--run", help="Measure what the answers need, then answer.")
    ] = False,
    mpi: Mpi = None,
    hosts: Hosts = None,
    budget: Budget = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the answers as JSON.")] = False,
) -> None:
    """Answer the papers' claims: reproduced, differs or cannot be answered, with the numbers.

    Example: halocline findings H5 --run
    """
    claims = chosen(tuple(ids or ()))
    options = [
        Option("experiment.mpi", "--mpi", mpi or None),
        Option("experiment.hosts", "--hosts", hosts),
        Option("measure.budget", "--budget", budget),
    ]
    failed: list[Exception] = []
    if run:
        timed = dict.fromkeys(name for claim in claims for name in claim.experiments)
        profiled = dict.fromkeys(name for claim in claims for name in claim.profiles)
        if hosts and not any(_on_nodes(_load(name, options)) for name in (*timed, *profiled)):
            remedy = "leave it out: the experiments of these claims run on one node"
            raise UserError(f"--hosts {hosts}", remedy=remedy)
        failed = _measure(timed, options, profiled=False)
        failed += _measure(profiled, options, profiled=True)
    elif given := [option.name for option in options if option.value is not None]:
        raise UserError(f"{given[0]!r} without --run", remedy="add --run, or leave it out")
    answers = measured.answers(claims)
    if as_json:
        print(json.dumps(text.to_json(answers), indent=2, allow_nan=False))
    else:
        _show(answers)
    for failure in failed[:-1]:
        print(f"halocline: {failure}", file=sys.stderr)
    if failed:
        raise failed[-1]


def _measure(
    experiments: dict[str, None], options: list[Option], *, profiled: bool
) -> list[Exception]:
    """Measure or profile all, also after one fails; the failures are returned."""
    carry_out = measuring.profile if profiled else measuring.begin
    cores = available_cores()
    failed: list[Exception] = []
    for name in experiments:
        asked = _load(name, options)
        # Calls and bytes do not depend on cores; times of ranks without a core do not count.
        experiment = asked if profiled else measured.within_cores(asked, cores)
        if experiment is None:
            print(f"{asked.title}: left out, needs more than {cores} cores", file=sys.stderr)
            continue
        began = datetime.now().strftime("%Y%m%d-%H%M%S")
        try:
            carry_out(experiment, measured.folder(name) / began)
        except RunFailed as failure:
            failed.append(failure)
        except UserError as failure:  # such as a library that is not installed, for several of them
            if str(failure) not in map(str, failed):
                failed.append(failure)
    return failed


def _load(name: str, options: list[Option]) -> Experiment:
    """An experiment with the options; one without a layout runs on this node, without hosts."""
    file = measured.experiment_file(name)
    here = [option for option in options if option.key != "experiment.hosts"]
    experiment = load(file, known(), here)
    return load(file, known(), options) if _on_nodes(experiment) else experiment


def _on_nodes(experiment: Experiment) -> bool:
    return any("layout" in dict(part.configuration) for part in experiment.all_parts)


def _show(answers: Sequence[Found]) -> None:
    console = Console(highlight=False, soft_wrap=True)
    for claim, answer, runs in answers:
        console.print(f"{claim.id}  {answer.verdict}", style="bold", markup=False)
        console.print(f"    claim    {claim.text} ({claim.paper})", markup=False)
        for criterion in claim.criteria:
            console.print(f"    wanted   {criterion_text(criterion)}", markup=False)
        if claim.specification:
            console.print(f"    given    {claim.specification}", markup=False)
        console.print(f"    because  {answer.because}", markup=False)
        if answer.numbers:
            table = Table("", "here (95 %)", "paper", box=None, padding=(0, 2, 0, 4))
            for number in answer.numbers:
                table.add_row(number.what, number_text(number), number.paper)
            console.print(table)
        if again := command(claim):
            console.print(f"    again    {again}", markup=False)
        for run in runs:
            console.print(f"    run      {run}", markup=False)
