"""The runs that answer the claims: one folder an experiment, in the data home."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from halocline.findings.claim import Answer, Claim, answer
from halocline.paths import data_home
from halocline.summary import of_run


def experiment_file(name: str) -> Path:
    """The experiment that measures for a claim."""
    return Path(str(files("halocline.findings") / "experiments" / f"{name}.toml"))


def folder(name: str) -> Path:
    """Where the experiment's runs are kept, a folder each, named by when they began."""
    return data_home() / "findings" / name


def newest(name: str) -> Path | None:
    """The last run of an experiment; None if it was never run."""
    runs = [run for run in folder(name).glob("*") if (run / "experiment.toml").exists()]
    return max(runs, default=None)


def answers(claims: tuple[Claim, ...]) -> list[tuple[Claim, Answer, Path | None]]:
    """Each claim with its answer and the run that it rests on."""
    runs = {claim.experiment: newest(claim.experiment) for claim in claims if claim.experiment}
    summaries = {name: of_run(run) for name, run in runs.items() if run is not None}
    return [
        (claim, answer(claim, summaries.get(claim.experiment)), runs.get(claim.experiment))
        for claim in claims
    ]
