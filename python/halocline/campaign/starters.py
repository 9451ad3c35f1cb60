"""How the jobs of a launch are started: with MPI, or on a mock whose times are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import cycle
from pathlib import Path

from halocline.base.toolchain import Family, Toolchain
from halocline.campaign.engine import Launch, OnCase, Start
from halocline.launch.job import Job, Outcome
from halocline.launch.mock import mock_job, parse_mock
from halocline.launch.run_job import run_job
from halocline.launch.turns import take_turns
from halocline.specification.configuration import built_name
from halocline.specification.experiment import Experiment


def starter(*experiments: Experiment) -> Start[Job]:
    """How jobs are started, one for each experiment or all of one."""
    if not any(experiment.mocked for experiment in experiments):
        return live
    return mocked([parse_mock(experiment.machine) for experiment in experiments])


def live(launch: Launch[Job], on_case: OnCase) -> Sequence[Outcome]:
    """A single job, or concurrent jobs that take turns."""
    if (turns := launch.turns) is None:
        return alone(run_job)(launch, on_case)
    return take_turns(launch.jobs, turns.rounds, on_case, turns.first, turns.rows)


def alone(run: Callable[[Job, OnCase], Outcome]) -> Start[Job]:
    """One job at a time, each started by this function."""

    def start(launch: Launch[Job], on_case: OnCase) -> Sequence[Outcome]:
        return [run(job, on_case) for job in launch.jobs]

    return start


def mocked(times_s: Sequence[float]) -> Start[Job]:
    """One after the other, each with the next of these times."""

    def start(launch: Launch[Job], on_case: OnCase) -> Sequence[Outcome]:
        return [
            mock_job(job, time_s * (1 + job.delay_share), on_case)
            for job, time_s in zip(launch.jobs, cycle(times_s), strict=False)
        ]

    return start


def mock_toolchains(experiment: Experiment) -> dict[str, Toolchain]:
    """The libraries of an experiment on a mock machine, whose name gives the times."""
    return {
        built_name(name, flags): _mock_toolchain(name)
        for name in experiment.mpi
        for flags in (None, *experiment.flags)
    }


def _mock_toolchain(name: str) -> Toolchain:
    nowhere = Path("/nonexistent")
    return Toolchain(name, Family.MPICH, "mock", launcher=nowhere, driver=nowhere)
