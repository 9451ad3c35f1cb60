"""`halocline detect`: find what changes along message sizes or pairs, and how sure that is."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from halocline.base.errors import UserError
from halocline.cli import detecting
from halocline.cli.here import known
from halocline.cli.options import (
    Deadline,
    Hosts,
    Launcher,
    Machine,
    Mpi,
    Output,
    launches_options,
    refuse_with_resume,
    seconds_of,
    shared_options,
)
from halocline.detect import in_summary
from halocline.detect.curves import NotFound
from halocline.detect.in_summary import Place
from halocline.report import detected
from halocline.report.detected import place_text
from halocline.specification.experiment import Experiment
from halocline.specification.spec import Option, from_words
from halocline.summary.summary import Summary, of_run

SCHEMA = 1
_BUDGET = "60s"
_HALF_WIDTH = 0.02


class What(StrEnum):
    """The features that can be detected."""

    EAGER_LIMIT = "eager-limit"
    PACKETS = "packets"
    HALF_BANDWIDTH = "half-bandwidth"
    ALGORITHM = "algorithm"
    SATURATION = "saturation"


_WORKLOADS = {
    What.EAGER_LIMIT: "eager_probe",
    What.PACKETS: "pingpong",
    What.HALF_BANDWIDTH: "pingpong",
    What.SATURATION: "pairs",
}

_DEFAULTS = {
    What.PACKETS: {"protocol": "send_recv"},
    What.HALF_BANDWIDTH: {"protocol": "send_recv"},
    What.SATURATION: {"protocol": "send_recv", "bytes": "8,1MiB"},
}
_SEARCHES: dict[What, Callable[[Experiment], detecting.Search]] = {
    What.EAGER_LIMIT: detecting.eager_limit,
    What.PACKETS: detecting.packets,
    What.HALF_BANDWIDTH: detecting.half_bandwidth,
    What.ALGORITHM: detecting.algorithm,
    What.SATURATION: detecting.saturation,
}


def detect(
    what: Annotated[What, typer.Argument(show_default=False)],
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[axis=value]...", show_default=False)
    ] = None,
    mpi: Mpi = None,
    machine: Machine = None,
    ranks: Annotated[int | None, typer.Option(help="Number of ranks. Default: 2.")] = None,
    hosts: Hosts = None,
    launcher: Launcher = None,
    launches: Annotated[
        str | None,
        typer.Option(help="Launches per library in each round. Default: 12; eager-limit: 1."),
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option(help=f"Measuring time per MPI library in each round. Default: {_BUDGET}."),
    ] = None,
    half_width: Annotated[
        float | None,
        typer.Option(help=f"Relative half-width to reach at 95 %. Default: {_HALF_WIDTH}."),
    ] = None,
    deadline: Deadline = None,
    output: Output = None,
    recorded: Annotated[
        Path | None, typer.Option("--in", help="Search this run; measure nothing.")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Continue an interrupted search.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Find where message times change abruptly, or where adding pairs no longer helps.

    Measures coarsely first, then refines around each candidate, all in one run. `algorithm`
    takes a collective operation first, as in `halocline detect algorithm allreduce`.

    Example: halocline detect eager-limit --mpi openmpi env.OMPI_MCA_btl_sm_eager_limit=1024,8192
    """
    asked = shared_options(mpi, machine, half_width, budget, deadline, hosts, launcher)
    asked.append(Option("experiment.ranks", "--ranks", None if ranks is None else [ranks]))
    asked.append(Option("measure.launches_minimum", "--launches", launches))
    asked.append(Option("output", "--output", output))
    if recorded is not None:
        _only_recorded(words or (), [*asked, Option("resume", "--resume", resume)])
        runs: Iterable[Path] = [recorded]
    elif resume is not None:
        own = [option for option in asked if option.name != "--budget"]  # that of further rounds
        begun = "a search resumes with its original settings, except --budget"
        refuse_with_resume(words or (), own, begun)
        round_s = seconds_of(budget or _BUDGET, "--budget")
        runs = [detecting.resume(what, _SEARCHES[what], resume, round_s)]
    else:
        options = [
            *shared_options(
                mpi,
                machine,
                _HALF_WIDTH if half_width is None else half_width,
                _BUDGET if budget is None else budget,
                deadline,
                hosts,
                launcher,
            ),
            *launches_options(launches or _launches(what)),
            Option("experiment.ranks", "--ranks", None if ranks is None else [ranks]),
        ]
        runs = _measure(what, words or (), options, output)
    results: dict[Path, Results] = {}
    for run in runs:
        places = results[run] = _found(what, of_run(run))
        if as_json:
            continue
        for name, (texts, _) in places.items():
            for text in texts:
                print(f"{name}: {text}")
        if not places:
            few = "too few measured cases that this search can use"
            print(f"{run}: {few}: see `halocline summary {run}`")
        if recorded is None:
            print(f"report: {run / 'report.html'}", flush=True)
    if as_json:
        print(json.dumps(_json(what, results), indent=2))


def _only_recorded(words: Sequence[str], options: Iterable[Option]) -> None:
    """UserError for what would be measured: a recorded run has what it has."""
    given = [*words, *(option.name for option in options if option.value is not None)]
    if given:
        raise UserError(
            f"{', '.join(given)} with --in",
            remedy="leave it out: --in searches all that the run has, and measures nothing",
        )


def _launches(what: What) -> str:
    """The eager-limit probe is conclusive in one launch; times need many."""
    return "1" if what is What.EAGER_LIMIT else "12"


def _measure(
    what: What, words: Sequence[str], options: Sequence[Option], output: Path | None
) -> Iterator[Path]:
    """The run of each library, as soon as it is measured."""
    workload = _WORKLOADS.get(what, "")
    words = list(words)
    if what is What.ALGORITHM:
        if not words or "=" in words[0]:
            remedy = "name it first, as in `halocline detect algorithm allreduce`"
            raise UserError("no collective operation named", remedy=remedy)
        workload = words.pop(0)
        _require_sizes(workload)
    for axis, value in _DEFAULTS.get(what, {}).items():
        if not any(word.startswith(f"{axis}=") for word in words):
            words.append(f"{axis}={value}")
    asked = replace(from_words(workload, words, known(), options), title=detecting.title_of(what))
    for name in asked.mpi:
        several = len(asked.mpi) > 1
        experiment = replace(asked, mpi=(name,), title=f"{asked.title} of {name}")
        folder = output / name if output and several else output
        yield detecting.carry_out(what, _SEARCHES[what](experiment), folder)


def _require_sizes(operation: str) -> None:
    """UserError for anything but a collective operation with message sizes."""
    workload = known().catalogue.workload(operation)
    if workload is None:
        return  # refused with all names, when the words are read
    if workload.axis("structure") is None:
        problem = f"{operation} is not a collective operation"
    elif workload.axis("bytes") is None:
        problem = f"{operation} has no sizes to search"
    else:
        return
    raise UserError(
        problem,
        remedy=f"name a collective operation with sizes, or use `halocline run {operation}`",
    )


Texts = Callable[[Any], tuple[str, ...]]
Results = dict[str, tuple[tuple[str, ...], dict[str, Any]]]


def _found(what: What, summary: Summary) -> Results:
    """For each curve its identity, its result in words, and the same as JSON."""
    looks: dict[What, tuple[Callable[[Summary], Mapping[Place, Any]], Texts]] = {
        What.EAGER_LIMIT: (in_summary.eager_limits, detected.eager_texts),
        What.PACKETS: (in_summary.packet_steps, lambda f: (detected.packets_text(f),)),
        What.HALF_BANDWIDTH: (in_summary.half_bandwidths, lambda f: (detected.half_text(f),)),
        What.ALGORITHM: (in_summary.algorithm_changes, detected.changes_texts),
        What.SATURATION: (in_summary.saturations, lambda f: (detected.saturation_text(f),)),
    }
    look, texts = looks[what]
    return _results(summary, look(summary), texts)


def _results(summary: Summary, places: Mapping[Place, Any], texts: Texts) -> Results:
    """By the name of the place."""
    return {
        place_text(place, summary): (
            texts(features),
            {
                "mpi": place.mpi,
                "configuration": dict(place.configuration),
                "ranks": place.ranks,
                "workload": place.workload,
                "axes": dict(place.fixed),
                "found": _plain(features),
            },
        )
        for place, features in places.items()
    }


def _plain(feature: Any) -> Any:
    """A dataclass, several of them, or the absence of a result, as JSON values."""
    if isinstance(feature, tuple):
        return [asdict(item) for item in feature]
    return None if feature is None or isinstance(feature, NotFound) else asdict(feature)


def _json(what: What, results_of: Mapping[Path, Results]) -> dict[str, Any]:
    detections = [
        {**facts, "texts": list(texts), "run": str(run)}
        for run, results in results_of.items()
        for texts, facts in results.values()
    ]
    return {"schema": SCHEMA, "what": what.value, "detections": detections}
