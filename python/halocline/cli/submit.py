"""`halocline submit`: an experiment as a batch job of Slurm."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from itertools import product
from pathlib import Path
from typing import Annotated

import typer

from halocline.base.errors import UserError
from halocline.base.progress import left_text, reporting
from halocline.campaign.queues import OPENBLAS_VARIABLE, node_of_rank
from halocline.cli import here
from halocline.cli.options import (
    Budget,
    Deadline,
    HalfWidth,
    Launcher,
    Launches,
    Mpi,
    Output,
    Placement,
    launches_options,
    seconds_of,
    shared_options,
)
from halocline.cli.run import experiment_of
from halocline.samples.run_folder import default_path
from halocline.slurm import batch, submission
from halocline.slurm.process_manager import check_process_managers
from halocline.specification.configuration import SRUN, layout
from halocline.specification.expand import check_available
from halocline.specification.experiment import Experiment, Settings
from halocline.specification.spec import Option

SCHEMA = 1
# Environment variables that locate libraries and drivers.
_HANDED_ON = ("HALOCLINE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", OPENBLAS_VARIABLE)


def submit(
    what: Annotated[str, typer.Argument(metavar="WORKLOAD|FILE.toml", show_default=False)],
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[axis=value]...", show_default=False)
    ] = None,
    *,
    nodes: Annotated[int, typer.Option(min=1, help="Number of nodes.", show_default=False)],
    time: Annotated[str, typer.Option(help="Time limit of the job, as in 30min, 2h.")],
    partition: Annotated[str | None, typer.Option(help="Slurm's partition.")] = None,
    account: Annotated[str | None, typer.Option(help="Slurm account to charge.")] = None,
    sbatch_option: Annotated[
        list[str] | None,
        typer.Option(help="Any option of sbatch, as in --constraint=ib; repeat for several."),
    ] = None,
    mpi: Mpi = None,
    launcher: Launcher = None,
    placement: Placement = None,
    half_width: HalfWidth = None,
    launches: Launches = None,
    budget: Budget = None,
    deadline: Deadline = None,
    output: Output = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the script; write and submit nothing.")
    ] = False,
    wait: Annotated[bool, typer.Option("--wait", help="Wait for the job to end.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the submission as JSON.")] = (
        False
    ),
) -> None:
    """Submit an experiment as a Slurm batch job.

    The job script is in the run folder: submit it again to resume an unfinished run.

    Example: halocline submit pingpong layout=2N1P bytes=8,1MiB --nodes 2 --time 30min
    """
    options = [
        *shared_options(mpi, None, half_width, budget, deadline, "slurm", launcher),
        *launches_options(launches),
        Option("configuration.placement", "--placement", placement or None),
    ]
    experiment = _launched_by_srun(experiment_of(what, words or (), options))
    _check_nodes(experiment, nodes)
    asked = batch.Batch(
        title=experiment.title,
        run=Path.cwd() / (output or _default_path(experiment)),
        command=Path(sys.argv[0]).absolute(),
        directory=Path.cwd(),
        nodes=nodes,
        time_s=_seconds(time),
        partition=partition,
        account=account,
        options=tuple(sbatch_option or ()),
        variables=tuple((name, os.environ[name]) for name in _HANDED_ON if name in os.environ),
    )
    _check_words(asked)
    if dry_run:
        _refuse_with_dry_run({"--json": as_json, "--wait": wait})
        print(batch.script(asked), end="")
        return
    _make_ready(experiment)
    submitted = submission.submit(asked, experiment.toml(), wait=wait)
    _print(submitted, experiment, as_json=as_json)
    if wait:
        submission.wait_for_end(submitted)


def _refuse_with_dry_run(given: Mapping[str, bool]) -> None:
    """UserError for options of a submission."""
    for option, is_given in given.items():
        if is_given:
            remedy = "leave one of them out: --dry-run prints the script, and submits nothing"
            raise UserError(f"{option} with --dry-run", remedy=remedy)


def _launched_by_srun(experiment: Experiment) -> Experiment:
    """The experiment with srun as the default launcher for layouts on nodes."""
    if experiment.swept("launcher"):
        return experiment
    parts = tuple(
        replace(part, configuration=_with_srun(part.configuration)) for part in experiment.parts
    )
    return replace(experiment, configuration=_with_srun(experiment.configuration), parts=parts)


def _with_srun(settings: Settings) -> Settings:
    laid_out = "layout" in dict(settings)
    return tuple(sorted([*settings, ("launcher", (SRUN,))])) if laid_out else settings


def _check_nodes(experiment: Experiment, nodes: int) -> None:
    for text in experiment.swept("layout"):
        if (needed := layout(text)) and needed.nodes > nodes:
            raise UserError(
                f"layout {text} needs {needed.nodes} nodes",
                where=f"--nodes {nodes}",
                remedy=f"ask for --nodes {needed.nodes}",
            )
    for part in experiment.all_parts:
        settings = dict(part.configuration)
        for text, placement in product(settings.get("layout", ()), settings.get("placement", ())):
            if (shape := layout(text)) and shape.nodes > 1:
                node_of_rank(placement, shape)  # reads its file: not only in the job


def _check_words(asked: batch.Batch) -> None:
    """UserError for line breaks: the shell would run them as lines of the script."""
    words = [
        *(("--partition", asked.partition), ("--account", asked.account)),
        *(("--sbatch-option", option) for option in asked.options),
        *(("--output", str(asked.run)), ("the current folder", str(asked.directory))),
        *(("the path of halocline", str(asked.command)), ("title", asked.title)),
    ]
    for name, word in words:
        if word and word.splitlines() != [word]:
            problem = f"{name} {word!r} has a line break"
            raise UserError(problem, remedy="write it in one line")


def _default_path(experiment: Experiment) -> Path:
    return default_path(experiment.title, datetime.now())


def _seconds(text: str) -> float:
    time_s = seconds_of(text, "--time")
    if time_s <= batch.WARNING_S:
        problem = (
            f"{text} leaves no time: Slurm signals the job {batch.WARNING_S} s before its limit"
        )
        raise UserError(problem, where="--time", remedy="write for example 30min")
    return time_s


def _make_ready(experiment: Experiment) -> None:
    """Build the drivers here: the job's nodes may have neither compiler nor network."""
    with reporting() as reporter:
        toolchains = here.toolchains_of(experiment, reporter.say)
        check_available(experiment, here.catalogues_of(experiment, toolchains))
    check_process_managers(experiment, toolchains.values())


def _print(submitted: submission.Submitted, experiment: Experiment, *, as_json: bool) -> None:
    asked, job = submitted.batch, submitted.job
    needed_s = experiment.budget_s * len(experiment.mpi)
    note = ""
    if needed_s > asked.time_s - batch.WARNING_S:
        note = (
            f"the budget, {left_text(needed_s)}, exceeds the job's time limit: "
            "submit it again to continue"
        )
    if as_json:
        facts = {
            "schema": SCHEMA,
            "job": job,
            "run": str(asked.run),
            "script": str(asked.script),
            "output": str(asked.output(job)),
            "note": note,
        }
        print(json.dumps(facts, indent=2), flush=True)
        return
    number = "1 node" if asked.nodes == 1 else f"{asked.nodes} nodes"
    print(f"job {job}: {number} for {left_text(asked.time_s)}")
    print(f"run:    {asked.run}")
    print(f"watch:  squeue --jobs {job}; tail -F {shlex.quote(str(asked.output(job)))}")
    print(f"resume: sbatch {shlex.quote(str(asked.script))}", flush=True)
    if note:
        print(f"note:   {note}", flush=True)
