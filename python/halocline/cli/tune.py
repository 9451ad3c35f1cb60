"""`halocline tune`: the best protocol, packing, placement and library settings for a workload."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from halocline.base.errors import UserError
from halocline.cli import tuning
from halocline.cli.here import known
from halocline.cli.options import Hosts, Machine, Output, refuse_with_resume, seconds_of
from halocline.cli.run import experiment_of
from halocline.cli.sides import RESOLUTION, share
from halocline.mpi import registry
from halocline.specification.experiment import Experiment, is_simulated
from halocline.specification.spec import Option
from halocline.summary.ratios import percent_text
from halocline.tune import settings
from halocline.tune.candidates import experiment_of as with_candidates
from halocline.tune.plan_file import Asked
from halocline.tune.result import to_json
from halocline.tune.settings import Setting, from_words

if TYPE_CHECKING:
    from halocline.tune.result import Result


BUDGET = "5min"
_FILE_WIDTH = 160
_MOST = 12  # dropped candidates that are listed


def tune(
    workload: Annotated[str | None, typer.Argument(metavar="WORKLOAD", show_default=False)] = None,
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[axis=value]...", show_default=False)
    ] = None,
    mpi: Annotated[str | None, typer.Option(help="MPI library. Default: mpich.")] = None,
    machine: Machine = None,
    ranks: Annotated[int | None, typer.Option(help="Number of ranks. Default: 2.")] = None,
    hosts: Hosts = None,
    budget: Annotated[str | None, typer.Option(help=f"Total time. Default: {BUDGET}.")] = None,
    settings: Annotated[
        str | None,
        typer.Option(help="File of library settings; none tries none. Default: built-in list."),
    ] = None,
    tries: Annotated[
        list[str] | None,
        typer.Option("--try", metavar="env.NAME=VALUE,...", help="Additional settings to try."),
    ] = None,
    default: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="What you use now, as in protocol=send_recv."),
    ] = None,
    resolution: Annotated[
        str | None,
        typer.Option(
            help=f"Call two alike once a larger difference is ruled out. Default: {RESOLUTION}."
        ),
    ] = None,
    output: Output = None,
    resume: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Resume an interrupted search.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Find the best protocol and settings for a workload here, with evidence.

    Candidates (protocol, packing and so on) take turns with the default, under each setting
    of the library; the better ones advance rung by rung, and the finalists get a full comparison.
    Restrict what is measured with words such as words=64,4096 protocol=send_recv,persistent.

    Example: halocline tune halo words=1024 --budget 2min
    """
    library = mpi or "mpich"
    if resume is not None:
        given = [workload, *(words or ()), output, *(tries or ()), *(default or ()), settings]
        given += ["--resolution"] if resolution else []
        begun = "a search resumes with its original settings, except --budget"
        refuse_with_resume(given, _options(mpi, machine, ranks, hosts), begun)
        result = tuning.resume(resume, None if budget is None else seconds_of(budget, "--budget"))
    elif workload is None:
        remedy = "name one, such as `halocline tune halo`"
        raise UserError("nothing to tune", allowed="a workload, or --resume DIR", remedy=remedy)
    else:
        options = _options(mpi if is_simulated(machine or "") else library, machine, ranks, hosts)
        options.append(Option("measure.budget", "--budget", budget or BUDGET))
        asked = experiment_of(workload, words or (), options)
        own = [*_settings(settings, library), *from_words(tries or ())]
        limit = resolution or RESOLUTION
        result = tuning.begin(*_made(asked, own, _pairs(default or ()), limit), output)
    if as_json:
        print(json.dumps(to_json(result), indent=1, allow_nan=False))
    else:
        show(result)


def _options(
    mpi: str | None, machine: str | None, ranks: int | None, hosts: str | None
) -> list[Option]:
    return [
        Option("experiment.mpi", "--mpi", None if mpi is None else [mpi]),
        Option("experiment.machine", "--machine", machine),
        Option("experiment.ranks", "--ranks", None if ranks is None else [ranks]),
        Option("experiment.hosts", "--hosts", hosts),
    ]


def _made(
    experiment: Experiment,
    settings: Sequence[Setting],
    usual: Mapping[str, str],
    resolution: str,
) -> tuple[Experiment, Asked]:
    limit = share(resolution, "--resolution")
    whole, default = with_candidates(experiment, known().catalogue, settings, usual)
    workload = whole.parts[0].workloads[0]
    asked = Asked(workload, default, experiment.budget_s, limit)
    return replace(whole, title=f"tune {workload}"), asked


def _settings(named: str | None, mpi: str) -> tuple[Setting, ...]:
    if named == settings.NONE:
        return ()
    candidates = settings.read(Path(named) if named else settings.FILE)
    here = next((entry.toolchain for entry in registry.known() if entry.name == mpi), None)
    return settings.of_family(candidates, here.family if here else mpi)


def _pairs(words: Sequence[str]) -> dict[str, str]:
    pairs = [word.partition("=") for word in words]
    for key, _, value in pairs:
        if not key or not value:
            remedy = "write --default KEY=VALUE, as in protocol=send_recv"
            raise UserError(f"--default {key!r}", remedy=remedy)
    return {key: value for key, _, value in pairs}


def show(result: Result) -> None:
    """Print the evidence, the files and the sentence."""
    console = Console()
    if not console.is_terminal:
        console.width = _FILE_WIDTH
    case = result.space.default.cases[0]
    ways = dict(result.space.default.ways)
    for default_case in result.space.default.cases:
        problem = " ".join(
            f"{name}={value}" for name, value in default_case.axes if name not in ways
        )
        print(f"{case.workload} {problem} on {case.ranks} ranks, {case.mpi}")
    console.print(_finalists(result))
    if len(result.ranked) > len(result.verdict.finalists):
        console.print(_others(result))
    for reason, count in Counter(result.left_out.values()).most_common():
        console.print(f"left out: {count}, {reason}", markup=False, highlight=False)
    for name, path in result.files.items():
        print(f"{name}: {path}")
    console.print(result.sentence, markup=False, highlight=False, soft_wrap=True)


def _finalists(result: Result) -> Table:
    table = Table(
        title="finalists against the default, in new launches",
        title_justify="left",
        box=SIMPLE_HEAD,
    )
    table.add_column("candidate", overflow="fold", min_width=30)
    for head in ("launches", "time"):
        table.add_column(head, justify="right", no_wrap=True)
    table.add_column("against the default", overflow="fold")
    table.add_column("against the best", overflow="fold")
    verdict = result.verdict
    for candidate, ratio, other in zip(
        verdict.finalists, verdict.against_default, verdict.against_best, strict=True
    ):
        table.add_row(
            escape(candidate.name(result.space.default)),
            str(ratio.launches),
            percent_text(ratio.ratio - 1) if ratio.low is not None else "",
            ratio.text,
            other.text if other else "the best",
        )
    return table


def _others(result: Result) -> Table:
    finalists = set(result.verdict.finalists)
    dropped = [candidate for candidate in result.ranked if candidate not in finalists]
    more = len(dropped) - _MOST
    title = "dropped candidates, best first" + (f", and {more} more in result.json" * (more > 0))
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD)
    table.add_column("candidate", overflow="fold", min_width=30)
    for head in ("dropped after", "launches", "time in them"):
        table.add_column(head, justify="right", no_wrap=True)
    for candidate in dropped[:_MOST]:
        standing = result.standings[candidate.key]
        table.add_row(
            escape(candidate.name(result.space.default)),
            f"rung {result.found.rung_of.get(candidate.key, 0)}",
            str(len(standing.logs)),
            percent_text(math.expm1(standing.score)),
        )
    return table
