"""Measure the sides of a comparison: what `compare`, its gate and `selftest` share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path

from halocline import here, run_folder
from halocline.cli.measuring import hosts_of, mock_toolchains
from halocline.compare.folder import LETTERS, write
from halocline.compare.interleave import SideRun, TakeTurns, interleave
from halocline.compare.pace import Limits
from halocline.compare.sides import Side, check_live
from halocline.environment import collect
from halocline.expand import check_available
from halocline.launch.job import Job, Outcome, Progress
from halocline.launch.mock import mock_job, parse_mock
from halocline.launch.turns import take_turns
from halocline.progress import reporting
from halocline.queues import check_places


def measure_sides(
    sides: Sequence[Side], limits: Limits, resolution: float, output: Path | None
) -> Path:
    """Measure sides in turn into a new folder of a comparison."""
    title = f"compare {' and '.join(dict.fromkeys(side.name for side in sides))}"
    path = output or run_folder.default_path(title, datetime.now())
    run_folder.require_new(path)
    with ExitStack() as open_hosts, reporting() as reporter:
        runs = []
        catalogue = here.own_catalogue()
        hosts = open_hosts.enter_context(hosts_of(sides[0].experiment))
        for side, letter in zip(sides, LETTERS, strict=False):
            experiment = side.experiment
            check_live(experiment)
            toolchains = here.toolchains_of(experiment, reporter.say)
            check_available(experiment, here.catalogues_of(experiment, toolchains))
            check_places(experiment, hosts)
            environment = collect(tuple(toolchains[name] for name in experiment.mpi if toolchains))
            folder = run_folder.create(
                path / letter, experiment, {**environment, "catalogue": catalogue}
            )
            made = mock_toolchains(experiment) if experiment.mocked else toolchains
            runs.append(SideRun(side, folder, made, hosts))
        write(path, sides, resolution)
        interleave(runs, limits, _turns_of(sides), reporter)
    return path


def _turns_of(sides: Sequence[Side]) -> TakeTurns:
    """How the sides take turns: alive together, or, as mocks, one after the other."""
    machines = [side.experiment.machine for side in sides]
    if not any(side.experiment.mocked for side in sides):
        return take_turns
    times_s = [parse_mock(machine) for machine in machines]

    def mocked(
        jobs: Sequence[Job], rounds: int, on_case: Callable[[Progress], None], first: int
    ) -> tuple[Outcome, ...]:
        return tuple(
            mock_job(job, time_s * (1 + job.delay_share), on_case)
            for job, time_s in zip(jobs, times_s, strict=True)
        )

    return mocked
