"""The runs that answer the claims: one folder per experiment, in the data home."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

from halocline.base.paths import data_home
from halocline.findings.claim import Answer, Claim
from halocline.findings.recorded import Recorded, recorded
from halocline.findings.verdicts import answer
from halocline.hosts.reachable import UP, between
from halocline.profile.workloads import profiles_of
from halocline.samples.dataset import load
from halocline.samples.run_folder import open_run
from halocline.specification.configuration import layout
from halocline.specification.experiment import MADE, Experiment, Part
from halocline.summary.summary import made_rate, of_run


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


def newest(name: str, measured: Callable[[Path], object]) -> Path | None:
    """The last run of an experiment that has measured anything; None without one."""
    runs = sorted(folder(name).glob("*/experiment.toml"), reverse=True)
    return next((file.parent for file in runs if measured(file.parent)), None)


def answers(claims: tuple[Claim, ...]) -> list[tuple[Claim, Answer, tuple[Path, ...]]]:
    """Each claim with its answer and the runs that it rests on."""
    timed = dict.fromkeys(name for claim in claims for name in claim.experiments)
    profiled = dict.fromkeys(name for claim in claims for name in claim.profiles)
    needed = dict.fromkeys(timed, has_samples) | dict.fromkeys(profiled, has_profiles)
    runs = {name: run for name, how in needed.items() if (run := newest(name, how)) is not None}
    summaries = {name: of_run(runs[name]) for name in timed if name in runs}
    profiles = {name: profiles_in(runs[name]) for name in profiled if name in runs}
    return [
        (
            claim,
            answer(claim, summaries, profiles),
            tuple(runs[name] for name in (*claim.experiments, *claim.profiles) if name in runs),
        )
        for claim in claims
    ]


def has_samples(run: Path) -> bool:
    """Whether any case of a timed run was measured, or its payload was wrong."""
    file = run / "samples.jsonl"
    return file.exists() and any(
        sample.status in ("measured", "failed") for sample in load(file).samples
    )


def has_profiles(run: Path) -> bool:
    """Whether any case of a profiled run was recorded."""
    complete = (run / "environment.json").exists()
    return complete and any(profile.recorded for profile in profiles_of(open_run(run)))


def profiles_in(run: Path) -> tuple[Recorded, ...]:
    """The profiles of a run's cases, as far as they were recorded."""
    folder = open_run(run)
    rate = made_rate(folder.experiment, folder.environment)
    words = "" if rate is None else between(rate)
    return tuple(recorded(profile, words) for profile in profiles_of(folder) if profile.recorded)
