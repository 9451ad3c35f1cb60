"""The policy of `run`: libraries in turn, launch by launch, until every case is precise enough."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field

from halocline.base.errors import NoFigures, RunFailed
from halocline.base.files import file_name, replace
from halocline.base.progress import Estimate, Reporter
from halocline.base.quantities import significant
from halocline.base.shell import pasted
from halocline.base.toolchain import Toolchain
from halocline.base.units import counted
from halocline.campaign.costs import Costs
from halocline.campaign.engine import Done, Launch, Policy, Start, Times, carry_out, keep_output
from halocline.campaign.ledger import Ledger
from halocline.campaign.log import Log
from halocline.campaign.lost import Kind, Lost, kind_of, try_again
from halocline.campaign.plan import (
    CASE_MINIMUM_S,
    Left,
    Limits,
    State,
    due,
    first_case_s,
    in_turn,
    lacking,
    lacking_s,
    left,
    next_case_s,
    possible,
    shuffled,
)
from halocline.campaign.queues import Queue, job_of, queues_of
from halocline.hosts import Hosts
from halocline.launch.job import Job, Outcome
from halocline.launch.leftovers import scratch_directory
from halocline.launch.reasons import case_of
from halocline.samples import left_out
from halocline.samples.left_out import LeftOut
from halocline.samples.run_folder import RunFolder, end_last_line, measuring_into
from halocline.specification.expand import expand_parts
from halocline.summary.summary import of_run

_UNTIMED = 1.5  # time of a case relative to its timed batches


@dataclass
class _Work:
    """A queue, the cost of its launches, and why they failed, if so: all, or at these cases."""

    queue: Queue
    costs: Costs
    kind: Kind
    lost: Lost
    failure: Outcome | None = None
    crashed: dict[str, Outcome] = field(default_factory=dict)
    suspects: frozenset[str] = frozenset()  # cases at which a launch failed before the run resumed


@dataclass
class _Library:
    """The queues of one library, which share its budget. Seconds spent: in total, and per case."""

    mpi: str
    limits: Limits
    parts: tuple[tuple[str, ...], ...]  # the ids of its cases
    works: tuple[_Work, ...]
    spent_s: float
    case_s: float

    @property
    def guess_s(self) -> float:
        """Estimated time of a case that has not been measured yet."""
        return _UNTIMED * self.case_s

    def state(self, ledger: Ledger) -> State:
        """The progress, without cases that crashed, and queues that failed or were given up because
        of other work.
        """
        working = [work for work in self.works if not (work.failure or work.lost.given_up)]
        costs_s: dict[str, float] = {}
        for work in working:
            expected_s = work.costs.expected_s()
            costs_s |= {case: expected_s[case] for case in expected_s.keys() - work.crashed.keys()}
        return State(
            parts=tuple(tuple(case for case in part if case in costs_s) for part in self.parts),
            cases={case: ledger.measured(case) for case in costs_s},
            costs_s=costs_s,
            starts_s=sum(work.costs.start_s for work in working),
            spent_s=self.spent_s,
            guessed=frozenset(case for work in working for case in work.costs.guessed),
            guess_s=self.guess_s,
        )


@dataclass(frozen=True)
class _Session:
    folder: RunFolder
    ledger: Ledger
    say: Callable[[str], None]
    libraries: tuple[_Library, ...]

    @property
    def works(self) -> list[_Work]:
        return [work for library in self.libraries for work in library.works]


def measure(
    folder: RunFolder,
    toolchains: Mapping[str, Toolchain],
    start: Start[Job],
    reporter: Reporter,
    hosts: Hosts | None = None,
) -> None:
    """Measure what the run lacks, with the toolchains from `here.toolchains_of`.

    Interrupted if the user stops it; RunFailed if launches or cases failed, or the disk is full:
    the folder keeps what was measured.
    """
    with measuring_into(folder):
        end_last_line(folder)
        log = Log(folder.path)
        policy = precision(folder, toolchains, hosts, log, reporter.say)
        carry_out(policy, start, reporter, log, resume_remedy(folder))


def resume_remedy(folder: RunFolder) -> str:
    """How to resume a run."""
    return f"resume with {pasted('halocline', *folder.resumed_with, '--resume', folder.path)}"


def precision(
    folder: RunFolder,
    toolchains: Mapping[str, Toolchain],
    hosts: Hosts | None,
    log: Log,
    say: Callable[[str], None],
) -> Policy[Job]:
    """Turn after turn, one launch of each queue that still has cases due.

    Ends with RunFailed if launches or cases failed, or gave no figure.
    """
    with scratch_directory() as scratch:
        parts = expand_parts(folder.experiment, folder.catalogue)
        cases = [case for part in parts for case in part]
        queues = queues_of(folder.experiment, cases, toolchains, hosts, scratch)
        ids = {
            mpi: tuple(tuple(case.id for case in part if case.mpi == mpi) for part in parts)
            for mpi in folder.experiment.mpi
        }
        session = _session(folder, ids, queues, log, say)
        for library in session.libraries:
            _say_if_too_short(session, library)
        kinds = [work.lost for work in session.works]
        turn = 0
        while (yield from _turn(session, log.next_turn, turn)) or try_again(kinds):
            turn += 1
        _say_left_out(session)
    _raise_failures(session)


def _session(
    folder: RunFolder,
    ids: Mapping[str, tuple[tuple[str, ...], ...]],
    queues: Sequence[Queue],
    log: Log,
    say: Callable[[str], None],
) -> _Session:
    experiment, ledger = folder.experiment, Ledger(folder.samples)
    lost: dict[Kind, Lost] = {}
    limits = Limits(
        half_width=experiment.half_width,
        launches_minimum=experiment.launches_minimum,
        launches_maximum=experiment.launches_maximum,
        budget_s=experiment.budget_s,
    )
    elapsed_s = ledger.case_elapsed_s()
    libraries = []
    for mpi, parts in ids.items():
        works = tuple(
            _work(queue, elapsed_s, lost, limits, ledger.failures(queue.label))
            for queue in queues
            if queue.toolchain.name == mpi
        )
        spent_s = ledger.spent_s({work.queue.label for work in works}, log.entries)
        library = _Library(mpi, limits, parts, works, spent_s, CASE_MINIMUM_S)
        state = library.state(ledger)
        chosen = possible(state, limits)
        library.case_s = first_case_s(limits, sum(len(state.parts[part]) for part in chosen))
        libraries.append(library)
    return _Session(folder, ledger, say, tuple(libraries))


def _work(
    queue: Queue,
    elapsed_s: Mapping[str, float],
    lost: dict[Kind, Lost],
    limits: Limits,
    failures: Sequence[str],
) -> _Work:
    """A queue's work; `elapsed_s` are the seconds of each case in its last launch, if measured,
    `failures` the reasons why earlier launches failed.
    """
    kind = kind_of(queue)
    costs = Costs({case.id: case.workload for case in queue.cases.values()}, kind.nodes > 1)
    for case in queue.cases:
        if case in elapsed_s:
            costs.assume(case, _UNTIMED * elapsed_s[case])
    suspects = frozenset(filter(None, (_case_of(queue, reason) for reason in failures)))
    of_kind = lost.setdefault(kind, Lost(limits.budget_s))
    return _Work(queue, costs, kind, of_kind, suspects=suspects)


def _case_of(queue: Queue, reason: str) -> str:
    """The id of the case at which a launch failed; "" if the reason names none of the queue's."""
    words = case_of(reason)
    return next(
        (case for case, each in queue.cases.items() if each.driver_line == f"{case} {words}"), ""
    )


def _turn(session: _Session, number: int, first: int) -> Generator[Launch[Job], Done, bool]:
    """Launch each queue with cases due, rotating which is first; returns whether there was any."""
    chosen: set[str] = set()
    for library in session.libraries:
        state = library.state(session.ledger)
        library.case_s = next_case_s(state, library.limits, library.case_s)
        chosen |= set(due(state, library.limits))
    works = [(library, work) for library in session.libraries for work in library.works]
    wanted = [
        (library, work, cases)
        for library, work in in_turn(works, first)
        if (cases := [case for case in work.queue.cases if case in chosen])
    ]
    for library, work, cases in wanted:
        yield from _launch(session, library, work, cases, (number, len(wanted)))
    return bool(wanted)


def _launch(
    session: _Session,
    library: _Library,
    work: _Work,
    cases: Sequence[str],
    turn: tuple[int, int],
) -> Policy[Job]:
    name, ledger, folder = work.queue.label, session.ledger, session.folder
    number = ledger.next_launch(name)
    here = left(library.state(ledger), library.limits)
    remaining = [
        left(other.state(ledger), other.limits)
        for other in session.libraries
        if other is not library
    ]
    # What failed before comes last: the others are measured whatever becomes of it.
    order = sorted(shuffled(cases, number), key=work.suspects.__contains__)
    watch = work.costs.watch(order, library.guess_s)

    def estimate(times: Times) -> Estimate | None:
        if (slower := watch.slower(times)) is None:
            return None
        rest_s = slower * watch.rest_s(times)
        ours = here.within_launch(times.cases_s[-1], watch.planned, rest_s, slower)
        return _estimate(ours, *remaining, seen=True)

    job = job_of(work.queue, folder.experiment, number, order, library.case_s, folder.samples)
    done = yield Launch(
        name,
        number,
        (job,),
        len(cases),
        _estimate(here, *remaining),
        turn=turn[0],
        of_turn=turn[1],
        estimate=estimate,
    )
    watch.end(done.times)
    library.spent_s += done.times.took_s
    ledger.update()
    (outcome,) = done.outcomes
    if outcome.ok:
        work.lost.saw(ledger.share_lost(name, number), done.times.took_s)
        work.lost.report(work.kind, f"{name} launch {number}", folder.experiment.mpi, session.say)
    else:
        again = ""
        if (case := _case_of(work.queue, outcome.reason)) in work.suspects:
            work.crashed[case] = outcome
            again = ", as before; continuing without this case"
        else:
            work.failure = outcome
        session.say(f"{name} launch {number} failed: {outcome.reason}{again}")
        keep_output(folder.jobs / f"{file_name(name)}-{number}.log", outcome)


def _say_if_too_short(session: _Session, library: _Library) -> None:
    """Warn if the minimum launches exceed the budget; with several parts, some are left out."""
    limits, cases = library.limits, sum(map(len, library.parts))
    needed_s = cases * limits.launches_minimum * CASE_MINIMUM_S
    if len(library.parts) == 1 and needed_s > limits.budget_s:
        session.say(
            f"{library.mpi}: measuring {counted(cases, 'case')} in "
            f"{counted(limits.launches_minimum, 'launch')} takes about "
            f"{significant(needed_s, 2)} s, more than the budget of {limits.budget_s:g} s"
        )


def _estimate(*every: Left, seen: bool = False) -> Estimate | None:
    """Time until the run is done; None while it cannot be bounded."""
    seconds = sum(remaining.seconds for remaining in every)
    guessed = not seen and any(remaining.guessed for remaining in every)
    if all(remaining.sure or (remaining.bounded and not guessed) for remaining in every):
        return None if guessed else Estimate(seconds)
    return Estimate(seconds, at_most=True)


def _say_left_out(session: _Session) -> None:
    """Report what was left out for time, and record it in the run folder."""
    titles = [part.title for part in session.folder.experiment.all_parts]
    missing: list[LeftOut] = []
    for library in session.libraries:
        state, limits = library.state(session.ledger), library.limits
        for number, title in enumerate(titles):
            if cases := lacking(state, limits, number):
                needs_s = lacking_s(state, limits, number)
                begun = any(state.cases[case].launches for case in state.parts[number])
                guessed = not begun and state.guessed.issuperset(cases)
                missing.append(LeftOut(library.mpi, title, cases, needs_s, guessed))
    file = session.folder.path / left_out.NAME
    file.unlink(missing_ok=True)
    if missing:
        replace(file, left_out.to_text(missing))
    for entry in missing:
        many = counted(len(entry.cases), "case")
        sooner = ", or put it before longer parts" if entry.guessed else ""
        session.say(f"{entry.mpi}: {entry.reason} for {many}; raise --budget{sooner}")


def _raise_failures(session: _Session) -> None:
    folder = session.folder
    stopped = [
        (work.queue.label, outcome)
        for work in session.works
        for outcome in (*work.crashed.values(), *([work.failure] if work.failure else []))
    ]
    if stopped:
        long = any(outcome.out_of_time for _, outcome in stopped)
        slow = "if the case is just slow, start a new run with a longer --deadline, otherwise "
        fix = f"{slow if long else ''}fix the cause, and {resume_remedy(folder)}"
        remedy = f"see {folder.jobs}, {fix}"
        labels: dict[str, list[str]] = {}
        for label, outcome in stopped:
            labels.setdefault(outcome.reason, []).append(label)
        problem = "; ".join(f"{', '.join(of)}: {reason}" for reason, of in labels.items())
        raise RunFailed(problem, saved=folder.path, remedy=remedy)
    failed = session.ledger.failed_cases
    if failed:
        case, reason = next(iter(failed.items()))
        problem = f"{counted(len(failed), 'case')} failed; the first is {case}: {reason}"
        remedy = f"see them with {pasted('halocline', 'summary', folder.path)}"
        raise RunFailed(problem, saved=folder.path, remedy=remedy)
    _raise_if_lost(session)
    _raise_if_nothing(session)


def _raise_if_lost(session: _Session) -> None:
    """NoFigures if cases lack figures because of other work."""
    lost = [work for work in session.works if work.lost.given_up and not work.kind.crowded]
    without = [
        case for w in lost for case in w.queue.cases if not session.ledger.measured(case).figures
    ]
    if without:
        cases = counted(sum(len(work.queue.cases) for work in session.works), "case")
        problem = f"no figure for {len(without)} of {cases}: {lost[0].lost.to(lost[0].kind)}"
        remedy = f"end that work and {resume_remedy(session.folder)}"
        raise NoFigures(problem, saved=session.folder.path, remedy=remedy)


def _raise_if_nothing(session: _Session) -> None:
    """NoFigures if no case has any."""
    folder, measured = session.folder, session.ledger.measured
    if any(measured(case).figures for work in session.works for case in work.queue.cases):
        return
    cases = of_run(folder.path).cases
    reasons = Counter(f"{case.status}: {case.reason}" for case in cases)
    why = f" ({reasons.most_common(1)[0][0]})" if reasons else ""
    problem = f"no figure for any of {counted(len(cases), 'case')}{why}"
    remedy = f"see {pasted('halocline', 'summary', folder.path)}"
    raise NoFigures(problem, saved=folder.path, remedy=remedy)
