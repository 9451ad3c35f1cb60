"""Measure the sides of a comparison: what `compare`, its gate and `selftest` share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Any

from halocline import here, run_folder
from halocline.cli.measuring import hosts_of, mock_toolchains, recorded
from halocline.compare.folder import LETTERS, write
from halocline.compare.folder import limits as limits_in
from halocline.compare.folder import sides as sides_in
from halocline.compare.interleave import SideRun, TakeTurns, interleave
from halocline.compare.pace import Limits
from halocline.compare.sides import Side, check_live
from halocline.dataset import load
from halocline.environment import collect
from halocline.errors import UserError
from halocline.expand import check_available
from halocline.hosts import Hosts
from halocline.launch.job import Job, Outcome, Progress
from halocline.launch.mock import mock_job, parse_mock
from halocline.launch.turns import take_turns
from halocline.progress import reporting
from halocline.queues import check_places
from halocline.run_folder import RunFolder


def measure_sides(
    sides: Sequence[Side], limits: Limits, resolution: float, output: Path | None
) -> Path:
    """Measure sides in turn into a new folder of a comparison."""
    title = f"compare {' and '.join(dict.fromkeys(side.name for side in sides))}"
    path = output or run_folder.default_path(title, datetime.now())
    run_folder.require_new(path)

    def created(folder: Path, side: Side, environment: Mapping[str, Any]) -> RunFolder:
        told = {**environment, "catalogue": here.own_catalogue()}
        return run_folder.create(folder, side.experiment, told)

    _measure(sides, limits, path, created, lambda: write(path, sides, resolution, limits))
    return path


def resume_sides(path: Path, limits: Limits | None = None) -> Path:
    """Go on with a comparison that was stopped, as it was begun, or within other limits."""

    def opened(folder: Path, _: Side, environment: Mapping[str, Any]) -> RunFolder:
        found = run_folder.open_run(folder)
        run_folder.check_same_environment(found, environment)
        return found

    _measure(sides_in(path), limits or limits_in(path), path, opened, lambda: None)
    return path


def _measure(
    sides: Sequence[Side],
    limits: Limits,
    path: Path,
    folder_of: Callable[[Path, Side, Mapping[str, Any]], RunFolder],
    on_ready: Callable[[], None],
) -> None:
    with ExitStack() as stack, reporting() as reporter:
        runs = []
        hosts = stack.enter_context(hosts_of(sides[0].experiment))
        for side, letter in zip(sides, LETTERS, strict=False):
            experiment = side.experiment
            check_live(experiment)
            toolchains = here.toolchains_of(experiment, reporter.say)
            check_available(experiment, here.catalogues_of(experiment, toolchains))
            check_places(experiment, hosts)
            found = collect(tuple(toolchains[name] for name in experiment.mpi if toolchains))
            environment = {**found, **recorded(hosts)}
            folder = folder_of(path / letter, side, environment)
            stack.enter_context(run_folder.measuring_into(folder))
            run_folder.end_last_line(folder)
            require_same_nodes(folder, hosts)
            made = mock_toolchains(experiment) if experiment.mocked else toolchains
            runs.append(SideRun(side, folder, made, hosts))
        on_ready()
        interleave(runs, limits, _turns_of(sides), reporter)


def require_same_nodes(folder: RunFolder, hosts: Hosts | None) -> None:
    """UserError if a batch system gives other nodes now than launches from before had.

    New ones would be measured, and then left out as they cannot be pooled. Hosts that the user
    names may be called otherwise by MPI.
    """
    if hosts is None or hosts.made or hosts.agent is None or not folder.samples.exists():
        return
    for start in load(folder.samples).starts:
        before = {_short(host) for host in start.hosts}
        if before != {_short(name) for name in hosts.names[: start.nodes]}:
            raise UserError(
                f"{folder.path}: launch {start.launch} was on {', '.join(sorted(before))}, the "
                f"nodes are now {', '.join(hosts.names)}",
                remedy="resume it where it was begun, or begin a new comparison",
            )


def _short(host: str) -> str:
    return host.partition(".")[0].lower()


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
