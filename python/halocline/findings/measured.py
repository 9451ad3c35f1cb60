"""The runs that answer the claims: one folder per experiment, in the data home."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import TypeVar

from halocline.base.paths import data_home
from halocline.findings.claim import Answer, Claim
from halocline.findings.evidence import is_wrong
from halocline.findings.recorded import Profiles, Recorded, recorded
from halocline.findings.verdicts import answer
from halocline.hosts.reachable import UP, between
from halocline.profile.workloads import profiles_of
from halocline.samples.run_folder import open_run
from halocline.specification.configuration import layout
from halocline.specification.experiment import MADE, Experiment, Part
from halocline.summary.summary import CaseSummary, Summary, made_rate, of_run

Read = TypeVar("Read")


def experiment_file(name: str) -> Path:
    """The experiment that measures for a claim."""
    return Path(str(files("halocline.findings") / "experiments" / f"{name}.toml"))


def folder(name: str) -> Path:
    """The folder of the experiment's runs, each named by its start time."""
    return data_home() / "findings" / name


def within_cores(experiment: Experiment, cores: int) -> Experiment | None:
    """The experiment without ranks that exceed this machine's cores; None if nothing is left.

    Real hosts have their own cores; those that are up are namespaces on this machine.
    """
    if experiment.hosts not in ("", MADE, UP):
        return experiment
    if experiment.parts:
        parts = tuple(filter(None, (_part(part, cores) for part in experiment.parts)))
        return replace(experiment, parts=parts) if parts else None
    whole = _part(experiment.all_parts[0], cores)
    if whole is None:
        return None
    return replace(experiment, ranks=whole.ranks, configuration=whole.configuration)


def _part(part: Part, cores: int) -> Part | None:
    settings = dict(part.configuration)
    if "layout" in settings:
        shapes = {text: layout(text) for text in settings["layout"]}
        fit = tuple(text for text, at in shapes.items() if at and at.ranks <= cores)
        settings["layout"] = fit
        return replace(part, configuration=tuple(settings.items())) if fit else None
    ranks = tuple(count for count in part.ranks if count <= cores)
    return replace(part, ranks=ranks) if ranks else None


def newest(name: str, read: Callable[[Path], Read | None]) -> tuple[Path, Read] | None:
    """The last run of an experiment that has measured anything, and what was read from it."""
    for file in sorted(folder(name).glob("*/experiment.toml"), reverse=True):
        if (found := read(file.parent)) is not None:
            return file.parent, found
    return None


def answers(claims: tuple[Claim, ...]) -> list[tuple[Claim, Answer, tuple[Path, ...]]]:
    """Each claim with its answer and the runs that it rests on."""
    timed = {name for claim in claims for name in claim.experiments}
    profiled = {name for claim in claims for name in claim.profiles}
    runs: dict[str, Path] = {}
    summaries: dict[str, Summary] = {}
    profiles: dict[str, Profiles] = {}
    for name in timed:
        if summed := newest(name, summary_in) or newest(name, refused_in):
            runs[name], summaries[name] = summed
    for name in profiled:
        if recordings := newest(name, profiles_in):
            runs[name], profiles[name] = recordings
    return [
        (
            claim,
            answer(claim, summaries, profiles),
            tuple(runs[name] for name in (*claim.experiments, *claim.profiles) if name in runs),
        )
        for claim in claims
    ]


def summary_in(run: Path) -> Summary | None:
    """The figures of a timed run; None if no case has one, nor had a wrong payload."""
    return _summary_with(run, lambda each: each.status == "measured" or is_wrong(each))


def refused_in(run: Path) -> Summary | None:
    """A timed run with refused cases, which say why it has no figures; None if it has none."""
    return _summary_with(run, lambda each: each.status == "refused")


def _summary_with(run: Path, wanted: Callable[[CaseSummary], bool]) -> Summary | None:
    if not (run / "samples.jsonl").exists():
        return None
    summary = of_run(run)
    return summary if any(map(wanted, summary.cases)) else None


def profiles_in(run: Path) -> tuple[Recorded, ...] | None:
    """The profiles of a run's cases, as far as they were recorded; None without any."""
    if not (run / "environment.json").exists():
        return None
    folder = open_run(run)
    rate = made_rate(folder.experiment, folder.environment)
    words = "" if rate is None else between(rate)
    recordings = (recorded(profile, words) for profile in profiles_of(folder) if profile.recorded)
    return tuple(recordings) or None
