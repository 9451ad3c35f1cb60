"""Runs whose launches are mocks, and what they say."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from halocline.base.progress import Estimate
from halocline.base.toolchain import Family, Toolchain
from halocline.campaign.precision import measure
from halocline.campaign.starters import alone
from halocline.launch.job import Job, Outcome, Progress
from halocline.launch.mock import mock_job
from halocline.samples.run_folder import RunFolder, create
from halocline.specification.experiment import Experiment
from samples_records import jsonl

EXACT_S = 1.5e-6
NOWHERE = Path("/nonexistent")
MOCK = "halocline.campaign.starters.mock_job"

OnProgress = Callable[[Progress], None]
Start = Callable[[Job, OnProgress], Outcome]


class Heard:
    """A reporter that keeps every message."""

    def __init__(self) -> None:
        self.launches: list[str] = []
        self.cases = 0
        self.said: list[str] = []

    def launch(self, name: str, number: int, cases: int, left: Estimate | None) -> None:
        self.launches.append(f"{name} {number}: {cases}")

    def case(self, case: int, cases: int, left: Estimate | None = None) -> None:
        self.cases += 1

    def say(self, line: str) -> None:
        self.said.append(line)


@pytest.fixture
def environment(driver_catalogue: dict[str, Any]) -> dict[str, Any]:
    return {"host": "h", "processor": {"model": "p"}, "mpi": [], "catalogue": driver_catalogue}


@pytest.fixture
def begun(tmp_path: Path, environment: dict[str, Any]) -> Callable[..., RunFolder]:
    """A new run; its experiment's fields can be given."""

    def begin(**fields: Any) -> RunFolder:
        given = {"axes": (("bytes", (8,)),), "launches_minimum": 2, "launches_maximum": 2, **fields}
        workloads = () if "parts" in given else ("pingpong",)
        experiment = Experiment("t", workloads, machine="mock:1.5us", **given)
        return create(tmp_path / "run", experiment, environment)

    return begin


def exact(job: Job, on_progress: OnProgress) -> Outcome:
    return mock_job(job, EXACT_S, on_progress)


def under_load(job: Job, on_progress: OnProgress) -> Outcome:
    """As `exact`, but that other work had three tenths of a second, which is nearly all."""
    before = job.samples.read_text() if job.samples.exists() else ""
    outcome = exact(job, on_progress)
    lines = job.samples.read_text().removeprefix(before).splitlines()
    records = [json.loads(line) for line in lines]
    for record in records:
        if record["type"] == "samples":
            record["elapsed_s"][0][:3] = [0.1] * 3
            record["preempted"][:3] = [1] * 3
    job.samples.write_text(before + jsonl(records))
    return outcome


def carry_out(folder: RunFolder, start: Start = exact, heard: Heard | None = None) -> Heard:
    heard = heard or Heard()
    tools = {
        name: Toolchain(name, Family.MPICH, "mock", NOWHERE, NOWHERE)
        for name in folder.experiment.mpi
    }

    measure(folder, tools, alone(start), heard)
    return heard


def stop_at(monkeypatch: pytest.MonkeyPatch, job_number: int) -> None:
    """Ctrl-C when so many jobs have begun."""
    left = job_number

    def stopping(job: Job, *others: Any) -> Outcome:
        nonlocal left
        left -= 1
        if left == 0:
            raise KeyboardInterrupt
        return mock_job(job, *others)

    monkeypatch.setattr(MOCK, stopping)
