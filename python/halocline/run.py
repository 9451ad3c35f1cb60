"""Carry out a run: launches of its libraries in turn, until every case is exact enough."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from halocline.dataset import load
from halocline.errors import Interrupted, RunFailed
from halocline.expand import expand
from halocline.hosts import Hosts
from halocline.launch.job import Job, Outcome, Progress
from halocline.launch.leftovers import scratch_directory
from halocline.ledger import Ledger
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
from halocline.queues import Queue, job_of, queues_of
from halocline.run_folder import (
    NO_SPACE,
    RunFolder,
    end_last_line,
    measuring_into,
    replace,
)

Start = Callable[[Job, Callable[[Progress], None]], Outcome]

_NO_FILE_NAME = re.compile(r"[^\w.=+-]+")


@dataclass
class _Work:
    """A queue and how far it is: seconds that its cases took and may take each."""

    queue: Queue
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
    works: tuple[_Work, ...]


def measure(
    folder: RunFolder,
    toolchains: Mapping[str, Toolchain],
    start: Start,
    reporter: Reporter,
    hosts: Hosts | None = None,
) -> None:
    """Measure what the run lacks, with the toolchains that `here.toolchains_of` gave.

    Interrupted if the user stops it; RunFailed if launches or cases failed, or the disk is full:
    what was measured is in the folder in any case.
    """
    with measuring_into(folder), scratch_directory() as scratch:
        try:
            end_last_line(folder)
            if folder.samples.exists():
                load(folder.samples)  # refuses a file that is damaged
            cases = expand(folder.experiment, folder.catalogue)
            queues = queues_of(folder.experiment, cases, toolchains, hosts, scratch)
            session = _session(folder, queues, start, reporter)
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
    folder: RunFolder, queues: Sequence[Queue], start: Start, reporter: Reporter
) -> _Session:
    experiment, ledger = folder.experiment, Ledger(folder.samples)
    of_library = Counter(queue.toolchain.name for queue in queues)
    of_label = Counter(queue.label for queue in queues)
    works = []
    for queue in queues:
        limits = Limits(
            half_width=experiment.half_width,
            launches_minimum=experiment.launches_minimum,
            launches_maximum=experiment.launches_maximum,
            budget_s=experiment.budget_s / of_library[queue.toolchain.name],
        )
        spent_s = ledger.elapsed_s(queue.label) / of_label[queue.label]
        works.append(_Work(queue, limits, spent_s, first_case_s(limits, len(queue.cases))))
    return _Session(folder, ledger, start, reporter, tuple(works))


def _launch_all(session: _Session) -> None:
    """Turn after turn, one launch of each library that still has cases due."""
    for work in session.works:
        _say_if_too_short(session, work)
    turn, launched = 0, True
    while launched:
        launched = False
        for work in in_turn(session.works, turn):
            cases = (
                ()
                if work.failure
                else due(_measured(session, work), work.limits, work.spent_s, work.case_s)
            )
            if cases:
                _launch(session, work, cases)
                launched = True
        turn += 1


def _say_if_too_short(session: _Session, work: _Work) -> None:
    needed_s = len(work.queue.cases) * work.limits.launches_minimum * CASE_MINIMUM_S
    if needed_s > work.limits.budget_s:
        session.reporter.say(
            f"{work.queue.label}: {len(work.queue.cases)} cases in {work.limits.launches_minimum} "
            f"launches take about {needed_s:.2f} s, more than the budget of "
            f"{work.limits.budget_s:g} s"
        )


def _launch(session: _Session, work: _Work, cases: Sequence[str]) -> None:
    name, ledger = work.queue.label, session.ledger
    experiment = session.folder.experiment
    launch = ledger.next_launch(name)
    session.reporter.launch(name, launch, len(cases), _left_s(session))
    began_s = time.monotonic()
    outcome = session.start(
        job_of(
            work.queue,
            experiment,
            launch,
            shuffled(cases, launch),
            work.case_s,
            session.folder.samples,
        ),
        lambda progress: session.reporter.case(progress.case, progress.cases),
    )
    work.spent_s += time.monotonic() - began_s
    ledger.update()
    measured = _measured(session, work)
    work.case_s = next_case_s(measured, work.limits, work.spent_s, work.case_s)
    if not outcome.ok:
        work.failure = outcome.reason
        session.reporter.say(f"{name} launch {launch} failed: {outcome.reason}")
        jobs = session.folder.jobs
        jobs.mkdir(exist_ok=True)
        file = jobs / f"{_NO_FILE_NAME.sub('_', name)}-{launch}.log"
        replace(file, f"{outcome.reason}\n{outcome.output}\n")


def _measured(session: _Session, work: _Work) -> dict[str, Measured]:
    return {case: session.ledger.measured(case) for case in work.queue.cases}


def _left_s(session: _Session) -> float:
    return sum(
        time_left_s(_measured(session, work), work.limits, work.spent_s, work.case_s)
        for work in session.works
        if not work.failure
    )


def _raise_failures(session: _Session) -> None:
    folder = session.folder
    stopped = [f"{work.queue.label}: {work.failure}" for work in session.works if work.failure]
    if stopped:
        remedy = f"see {folder.jobs}, mend it, and {resume_remedy(folder)}"
        raise RunFailed("; ".join(stopped), saved=folder.path, remedy=remedy)
    failed = session.ledger.failed_cases
    if failed:
        case, reason = next(iter(failed.items()))
        what = f"{len(failed)} of the cases failed, the first ({case}) because {reason}"
        remedy = f"see them with `halocline summary {folder.path}`"
        raise RunFailed(what, saved=folder.path, remedy=remedy)
