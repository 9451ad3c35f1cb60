"""Carry out a run and write its report, for `run` and `survey`; or record its profiles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from halocline.base.errors import Interrupted, RunFailed, UserError
from halocline.base.files import NO_SPACE
from halocline.base.progress import Reporter, reporting
from halocline.base.shell import pasted
from halocline.base.toolchain import Toolchain
from halocline.campaign import log
from halocline.campaign.precision import measure, resume_remedy
from halocline.campaign.queues import check_places
from halocline.campaign.starters import mock_toolchains, starter
from halocline.cli import here
from halocline.environment import collect
from halocline.hosts import Hosts, find, temporary_hosts
from halocline.profile.run import check_linker
from halocline.profile.workloads import CaseProfile, record_cases
from halocline.samples import run_folder
from halocline.slurm.process_manager import check_process_managers
from halocline.specification.expand import check_available
from halocline.specification.experiment import MADE, MADE_NOTE, Experiment
from halocline.summary.summary import of_run


def begin(
    experiment: Experiment,
    output: Path | None,
    *,
    report: bool = True,
    title: str | None = None,
    resumed_with: tuple[str, ...] = ("run",),
) -> Path:
    """Measure a new run, write its report unless more follows; returns the run folder.

    Without `output`, the folder is named after the title, or the experiment's own. `resumed_with`:
    the command that an interruption names.
    """
    with _new(experiment, output, title) as session:
        return _carry_out(session.named(resumed_with), report=report)


def resume(path: Path, *, report: bool = True, resumed_with: tuple[str, ...] = ("run",)) -> Path:
    """Measure what a run lacks, write its report unless more follows; returns the run folder."""
    with _open(path) as opened:
        session = opened.named(resumed_with)
        launched = len(log.read(path))
        carried_out = _carry_out(session, report=report)
        if report and len(log.read(path)) == launched and not of_run(path).complete:
            session.reporter.say(
                "nothing is left to launch within this run's launches and budget: start a new run "
                "with more --launches or a larger --budget"
            )
        return carried_out


def profile(experiment: Experiment, output: Path | None) -> tuple[CaseProfile, ...]:
    """Record the profiles of an experiment's cases in a new folder."""
    check_linker()
    if experiment.mocked or experiment.simulated:
        raise UserError(
            f"machine {experiment.machine}: a profile needs ranks that run here",
            remedy="leave out the machine",
        )
    with _new(experiment, output) as session:
        return record_cases(session.folder, session.toolchains, session.reporter, session.hosts)


def resume_profile(path: Path) -> tuple[CaseProfile, ...]:
    """Record the profiles that a folder lacks."""
    check_linker()
    with _open(path) as session:
        return record_cases(session.folder, session.toolchains, session.reporter, session.hosts)


@dataclass(frozen=True)
class _Made:
    """A run folder, and what measuring into it needs."""

    folder: run_folder.RunFolder
    toolchains: Mapping[str, Toolchain]
    hosts: Hosts | None
    reporter: Reporter

    def named(self, resumed_with: tuple[str, ...]) -> _Made:
        """The same, continued by this command."""
        return replace(self, folder=replace(self.folder, resumed_with=resumed_with))


@contextmanager
def _new(experiment: Experiment, output: Path | None, title: str | None = None) -> Iterator[_Made]:
    """A new folder for an experiment that can be measured here; its default name has the title."""
    if experiment.hosts == MADE:
        experiment = replace(experiment, notes=(*experiment.notes, MADE_NOTE))
    with reporting() as reporter, hosts_of(experiment) as hosts:
        toolchains = here.toolchains_of(experiment, reporter.say)
        check_available(experiment, here.catalogues_of(experiment, toolchains))
        environment = collect(_libraries(experiment, toolchains))
        check_places(experiment, hosts)
        check_process_managers(experiment, toolchains.values())
        path = output or run_folder.reserved(title or experiment.title, datetime.now())
        folder = run_folder.create(
            path,
            experiment,
            {**environment, **recorded(hosts), "catalogue": here.own_catalogue()},
        )
        yield _Made(folder, toolchains, hosts, reporter)


@contextmanager
def _open(path: Path) -> Iterator[_Made]:
    """A folder that is measured into again, with the same libraries."""
    _refuse_planned(path)
    folder = run_folder.open_run(path)
    with reporting() as reporter, hosts_of(folder.experiment) as hosts:
        toolchains = here.toolchains_of(folder.experiment, reporter.say)
        run_folder.check_same_environment(
            folder, collect(_libraries(folder.experiment, toolchains)), here.catalogue()
        )
        check_places(folder.experiment, hosts)
        yield _Made(folder, toolchains, hosts, reporter)


def _refuse_planned(path: Path) -> None:
    """UserError for the folder of a search or of a comparison's side: launches that these did not
    plan would count as theirs."""
    # Imported late: only what is resumed needs them.
    from halocline.compare import folder as comparison  # noqa: PLC0415
    from halocline.tune import plan_file  # noqa: PLC0415

    above = path.resolve().parent
    is_side = (above / comparison.NAME).is_file()
    for search in (path, above.parent) if is_side else (path,):
        if (search / plan_file.NAME).is_file():
            problem = f"{path} was written by `halocline tune`"
            raise UserError(problem, remedy=plan_file.resume_remedy(search))
    if is_side:
        raise UserError(f"{path} is a side of a comparison", remedy=comparison.resume_remedy(above))


def _carry_out(made: _Made, *, report: bool) -> Path:
    folder, toolchains = made.folder, made.toolchains
    experiment = folder.experiment
    if experiment.mocked:
        toolchains = mock_toolchains(experiment)
    try:
        measure(folder, toolchains, starter(experiment), made.reporter, made.hosts)
    except RunFailed:
        if folder.samples.exists():
            try:
                _report(folder, resume_remedy(folder))
            except (RunFailed, UserError, OSError) as problem:
                made.reporter.say(f"no report yet: {problem}")
        raise
    if report:
        _report(folder, f"write the report with {pasted('halocline', 'report', folder.path)}")
    return folder.path


def _report(folder: run_folder.RunFolder, remedy: str) -> None:
    with keeping(folder.path, remedy):
        # Imported late: it takes half a second, which must not delay the measurement.
        from halocline.report.html import write_report  # noqa: PLC0415

        write_report([folder.path])


@contextmanager
def keeping(path: Path, remedy: str) -> Iterator[None]:
    """Writing a report: a failure leaves what is measured complete, and says so."""
    try:
        yield
    except KeyboardInterrupt as stop:
        raise Interrupted(stop, saved=path, remedy=remedy) from stop
    except OSError as error:
        if error.errno not in NO_SPACE:
            raise
        problem = f"no space left for the report on the disk of {error.filename or path}"
        raise RunFailed(problem, saved=path, remedy=f"free some space, then {remedy}") from None


def _libraries(
    experiment: Experiment, toolchains: Mapping[str, Toolchain]
) -> tuple[Toolchain, ...]:
    return tuple(toolchains[name] for name in experiment.mpi if name in toolchains)


@contextmanager
def hosts_of(experiment: Experiment) -> Iterator[Hosts | None]:
    """The hosts of an experiment; temporary ones are stopped after the block."""
    if not experiment.hosts or experiment.mocked:
        yield None
    elif experiment.hosts == MADE:
        with temporary_hosts(experiment.nodes) as hosts:
            yield hosts
    else:
        yield find(experiment.hosts)


def recorded(hosts: Hosts | None) -> Mapping[str, Any]:
    """The hosts as recorded in a run's environment."""
    return hosts.recorded() if hosts else {}
