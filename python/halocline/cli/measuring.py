"""Carry out a run and write its report: what `run` and `survey` share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from halocline import here, run_folder
from halocline.configuration import built_name
from halocline.environment import collect
from halocline.errors import Interrupted, RunFailed, UserError
from halocline.expand import check_available
from halocline.experiment import MADE, MADE_NOTE, Experiment
from halocline.hosts import Hosts, find, temporary_hosts
from halocline.launch.job import Job, Outcome, Progress
from halocline.launch.mock import mock_job, parse_mock
from halocline.launch.run_job import run_job
from halocline.mpi.toolchain import Family, Toolchain
from halocline.progress import Reporter, reporting
from halocline.queues import check_places
from halocline.run import Start, measure, resume_remedy
from halocline.slurm.process_manager import check_process_managers


def begin(experiment: Experiment, output: Path | None, *, report: bool = True) -> Path:
    """Measure a new run and write its report, unless more is to come; the run's folder."""
    if experiment.hosts == MADE:
        experiment = replace(experiment, notes=(*experiment.notes, MADE_NOTE))
    with reporting() as reporter, hosts_of(experiment) as hosts:
        toolchains = here.toolchains_of(experiment, reporter.say)
        check_available(experiment, here.catalogues_of(experiment, toolchains))
        environment = collect(_libraries(experiment, toolchains))
        check_places(experiment, hosts)
        check_process_managers(experiment, toolchains.values())
        path = output or run_folder.default_path(experiment.title, datetime.now())
        folder = run_folder.create(
            path,
            experiment,
            {**environment, **recorded(hosts), "catalogue": here.own_catalogue()},
        )
        return _carry_out(folder, toolchains, hosts, reporter, report=report)


def resume(path: Path, *, report: bool = True) -> Path:
    """Measure what a run lacks and write its report, unless more is to come; the run's folder."""
    folder = run_folder.open_run(path)
    with reporting() as reporter, hosts_of(folder.experiment) as hosts:
        toolchains = here.toolchains_of(folder.experiment, reporter.say)
        run_folder.check_same_environment(
            folder, collect(_libraries(folder.experiment, toolchains))
        )
        return _carry_out(folder, toolchains, hosts, reporter, report=report)


def _carry_out(
    folder: run_folder.RunFolder,
    toolchains: Mapping[str, Toolchain],
    hosts: Hosts | None,
    reporter: Reporter,
    *,
    report: bool,
) -> Path:
    experiment = folder.experiment
    start: Start = run_job
    if experiment.mocked:
        start = _mock_start(parse_mock(experiment.machine))
        toolchains = mock_toolchains(experiment)
    try:
        measure(folder, toolchains, start, reporter, hosts)
    except RunFailed:
        if folder.samples.exists():
            try:
                _report(folder, resume_remedy(folder))
            except (RunFailed, UserError, OSError) as problem:
                reporter.say(f"no report yet: {problem}")
        raise
    if report:
        _report(folder, f"write the report with `halocline report {folder.path}`")
    return folder.path


def _report(folder: run_folder.RunFolder, remedy: str) -> None:
    """Write the report; if that fails what was measured is none the less complete."""
    try:
        # Loaded only here: it takes half a second, and a measurement does not wait for it.
        from halocline.report.html import write_report  # noqa: PLC0415

        write_report([folder.path])
    except KeyboardInterrupt as stop:
        raise Interrupted(stop, saved=folder.path, remedy=remedy) from stop
    except OSError as error:
        if error.errno not in run_folder.NO_SPACE:
            raise
        what = f"no space left for the report on the disk of {folder.path}"
        remedy = f"free some space, then {remedy}"
        raise RunFailed(what, saved=folder.path, remedy=remedy) from None


def _libraries(
    experiment: Experiment, toolchains: Mapping[str, Toolchain]
) -> tuple[Toolchain, ...]:
    return tuple(toolchains[name] for name in experiment.mpi if name in toolchains)


@contextmanager
def hosts_of(experiment: Experiment) -> Iterator[Hosts | None]:
    """The hosts of an experiment; those that are made for it are gone after the block."""
    if not experiment.hosts or experiment.mocked:
        yield None
    elif experiment.hosts == MADE:
        with temporary_hosts(experiment.nodes) as hosts:
            yield hosts
    else:
        yield find(experiment.hosts)


def recorded(hosts: Hosts | None) -> Mapping[str, Any]:
    """What a run's environment says of its hosts."""
    return hosts.recorded() if hosts else {}


def _mock_start(traversal_s: float) -> Start:
    def start(job: Job, on_progress: Callable[[Progress], None]) -> Outcome:
        return mock_job(job, traversal_s, on_progress)

    return start


def mock_toolchains(experiment: Experiment) -> dict[str, Toolchain]:
    """What stands for the libraries of an experiment whose times are in the machine's name."""
    return {
        built_name(name, flags): _mock_toolchain(name)
        for name in experiment.mpi
        for flags in (None, *experiment.flags)
    }


def _mock_toolchain(name: str) -> Toolchain:
    nowhere = Path("/nonexistent")
    return Toolchain(name, Family.MPICH, "mock", launcher=nowhere, driver=nowhere)
