"""Carry out a run: launches of its libraries in turn, until every case is exact enough."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from halocline.cases import Case
from halocline.dataset import load
from halocline.errors import Interrupted, RunFailed
from halocline.expand import expand
from halocline.launch.job import Deadlines, Job, Outcome, Progress, Simulation
from halocline.launch.leftovers import scratch_directory
from halocline.ledger import Ledger
from halocline.machine import machine, simulation
from halocline.mpi.toolchain import Toolchain
from halocline.plan import (
    CASE_MINIMUM_S,
    Limits,
    Measured,
    due,
    first_case_s,
    in_turn,
    next_case_s,
    shuffled,
    time_left_s,
)
from halocline.progress import Reporter
from halocline.run_folder import (
    NO_SPACE,
    RunFolder,
    end_last_line,
    measuring_into,
    replace,
)
from halocline.spec import Experiment

Start = Callable[[Job, Callable[[Progress], None]], Outcome]

_TOTAL_MINIMUM_S = 600.0
_DEADLINES_IN_TOTAL = 10
_SLOWER_THAN_PLANNED = 20  # a launch that takes so many times its cases' time hangs


@dataclass
class _Queue:
    """The cases of one library on one number of ranks; seconds that they took and may take each."""

    toolchain: Toolchain
    ranks: int
    cases: Mapping[str, Case]
    limits: Limits
    spent_s: float
    case_s: float
    failure: str = ""


@dataclass(frozen=True)
class _Session:
    folder: RunFolder
    ledger: Ledger
    start: Start
    reporter: Reporter
    queues: tuple[_Queue, ...]
    simulations: Mapping[int, Simulation] = field(default_factory=dict)  # by ranks


def measure(
    folder: RunFolder, toolchains: Mapping[str, Toolchain], start: Start, reporter: Reporter
) -> None:
    """Measure what the run lacks, with one toolchain for each of its libraries.

    Interrupted if the user stops it; RunFailed if launches or cases failed, or the disk is full:
    what was measured is in the folder in any case.
    """
    with measuring_into(folder), _simulations(folder.experiment) as simulations:
        try:
            end_last_line(folder)
            if folder.samples.exists():
                load(folder.samples)  # refuses a file that is damaged
            session = _session(folder, toolchains, start, reporter, simulations)
            _launch_all(session)
        except KeyboardInterrupt as stop:
            raise Interrupted(stop, saved=folder.path, remedy=resume_remedy(folder)) from stop
        except OSError as error:
            if error.errno not in NO_SPACE:
                raise
            what = f"no space left on the disk of {error.filename or folder.samples}"
            remedy = f"free some space, then {resume_remedy(folder)}"
            raise RunFailed(what, saved=folder.path, remedy=remedy) from None
    _raise_failures(session)


def resume_remedy(folder: RunFolder) -> str:
    """How to go on with a run."""
    return f"go on with `halocline run --resume {folder.path}`"


def _session(
    folder: RunFolder,
    toolchains: Mapping[str, Toolchain],
    start: Start,
    reporter: Reporter,
    simulations: Mapping[int, Simulation],
) -> _Session:
    experiment, ledger = folder.experiment, Ledger(folder.samples)
    cases = expand(experiment, folder.catalogue)
    queues = []
    for mpi in experiment.mpi:
        for ranks in experiment.ranks:
            own = {case.id: case for case in cases if (case.mpi, case.ranks) == (mpi, ranks)}
            limits = Limits(
                half_width=experiment.half_width,
                launches_minimum=experiment.launches_minimum,
                launches_maximum=experiment.launches_maximum,
                budget_s=experiment.budget_s / len(experiment.ranks),
            )
            spent_s = ledger.elapsed_s(mpi) / len(experiment.ranks)
            case_s = first_case_s(limits, len(own))
            queues.append(_Queue(toolchains[mpi], ranks, own, limits, spent_s, case_s))
    return _Session(folder, ledger, start, reporter, tuple(queues), simulations)


@contextmanager
def _simulations(experiment: Experiment) -> Iterator[Mapping[int, Simulation]]:
    if not experiment.simulated:
        yield {}
        return
    simulated = machine(experiment.machine)
    with scratch_directory() as scratch:
        yield {ranks: simulation(simulated, ranks, scratch) for ranks in experiment.ranks}


def _launch_all(session: _Session) -> None:
    """Turn after turn, one launch of each library that still has cases due."""
    for queue in session.queues:
        _say_if_too_short(session, queue)
    turn, launched = 0, True
    while launched:
        launched = False
        for queue in in_turn(session.queues, turn):
            cases = (
                ()
                if queue.failure
                else due(_measured(session, queue), queue.limits, queue.spent_s, queue.case_s)
            )
            if cases:
                _launch(session, queue, cases)
                launched = True
        turn += 1


def _say_if_too_short(session: _Session, queue: _Queue) -> None:
    needed_s = len(queue.cases) * queue.limits.launches_minimum * CASE_MINIMUM_S
    if needed_s > queue.limits.budget_s:
        session.reporter.say(
            f"{queue.toolchain.name}: {len(queue.cases)} cases in {queue.limits.launches_minimum} "
            f"launches take about {needed_s:.2f} s, more than the budget of "
            f"{queue.limits.budget_s:g} s"
        )


def _launch(session: _Session, queue: _Queue, cases: Sequence[str]) -> None:
    name, ledger = queue.toolchain.name, session.ledger
    launch = ledger.next_launch(name)
    session.reporter.launch(name, launch, len(cases), _left_s(session))
    began_s = time.monotonic()
    outcome = session.start(
        _job(session, queue, launch, shuffled(cases, launch)),
        lambda progress: session.reporter.case(progress.case, progress.cases),
    )
    queue.spent_s += time.monotonic() - began_s
    ledger.update()
    measured = _measured(session, queue)
    queue.case_s = next_case_s(measured, queue.limits, queue.spent_s, queue.case_s)
    if not outcome.ok:
        queue.failure = outcome.reason
        session.reporter.say(f"{name} launch {launch} failed: {outcome.reason}")
        jobs = session.folder.jobs
        jobs.mkdir(exist_ok=True)
        replace(jobs / f"{name}-{launch}.log", f"{outcome.reason}\n{outcome.output}\n")


def _job(session: _Session, queue: _Queue, launch: int, cases: Sequence[str]) -> Job:
    planned_s = len(cases) * queue.case_s
    deadline_s = session.folder.experiment.deadline_s
    return Job(
        toolchain=queue.toolchain,
        ranks=queue.ranks,
        launch=launch,
        cases=tuple(queue.cases[case].driver_line for case in cases),
        samples=session.folder.samples,
        # Half of what is asked for over the launches: the noise that is left within a launch then
        # hardly widens the interval.
        half_width=queue.limits.half_width / 2,
        case_s=queue.case_s,
        deadlines=Deadlines(
            start_s=deadline_s,
            progress_s=deadline_s,
            total_s=max(
                _TOTAL_MINIMUM_S,
                _DEADLINES_IN_TOTAL * deadline_s,
                _SLOWER_THAN_PLANNED * planned_s,
            ),
        ),
        simulation=session.simulations.get(queue.ranks),
    )


def _measured(session: _Session, queue: _Queue) -> dict[str, Measured]:
    return {case: session.ledger.measured(case) for case in queue.cases}


def _left_s(session: _Session) -> float:
    return sum(
        time_left_s(_measured(session, queue), queue.limits, queue.spent_s, queue.case_s)
        for queue in session.queues
        if not queue.failure
    )


def _raise_failures(session: _Session) -> None:
    folder = session.folder
    stopped = [f"{q.toolchain.name}: {q.failure}" for q in session.queues if q.failure]
    if stopped:
        remedy = f"see {folder.jobs}, mend it, and {resume_remedy(folder)}"
        raise RunFailed("; ".join(stopped), saved=folder.path, remedy=remedy)
    failed = session.ledger.failed_cases
    if failed:
        case, reason = next(iter(failed.items()))
        what = f"{len(failed)} of the cases failed, the first ({case}) because {reason}"
        remedy = f"see them with `halocline summary {folder.path}`"
        raise RunFailed(what, saved=folder.path, remedy=remedy)
