"""Carry out a run: launches of its libraries in turn, until every case is exact enough."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from halocline import left_out
from halocline.cases import Case
from halocline.configuration import layout_of
from halocline.costs import Costs
from halocline.dataset import load
from halocline.errors import Interrupted, NoFigures, RunFailed
from halocline.expand import expand_parts
from halocline.hosts import Hosts
from halocline.launch.binding import available_cores
from halocline.launch.job import Job, Outcome, Progress
from halocline.launch.leftovers import scratch_directory
from halocline.ledger import Ledger
from halocline.left_out import LeftOut
from halocline.mpi.toolchain import Toolchain
from halocline.plan import (
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
from halocline.progress import Estimate, Reporter, left_text
from halocline.queues import Queue, job_of, queues_of
from halocline.run_folder import (
    NO_SPACE,
    RunFolder,
    end_last_line,
    measuring_into,
    replace,
)
from halocline.summary import of_run
from halocline.under_load import LostInARow
from halocline.units import counted

Start = Callable[[Job, Callable[[Progress], None]], Outcome]

_UNTIMED = 1.5  # what a case takes, in terms of its timed batches
_NO_FILE_NAME = re.compile(r"[^\w.=+-]+")


@dataclass(frozen=True)
class _Kind:
    """What launches have in common that other work on this machine disturbs alike."""

    nodes: int
    crowded: bool  # more ranks than cores: they wait for each other


@dataclass
class _Lost(LostInARow):
    """The launches of a kind that were lost, and whether no more are begun."""

    warned: bool = False
    given_up: bool = False
    tried_again: bool = False


@dataclass
class _Work:
    """A queue, what its launches cost, and why they ended if they failed."""

    queue: Queue
    costs: Costs
    kind: _Kind
    lost: _Lost
    failure: str = ""


@dataclass
class _Library:
    """The queues of one library: they share its budget. Seconds spent, and for each case."""

    mpi: str
    limits: Limits
    parts: tuple[tuple[str, ...], ...]  # the ids of its cases
    works: tuple[_Work, ...]
    spent_s: float
    case_s: float

    @property
    def guess_s(self) -> float:
        """What a case takes that is given its time, as far as one can say before it was seen."""
        return _UNTIMED * self.case_s

    def state(self, ledger: Ledger) -> State:
        """Where it is, without the queues that failed or that other work lets nothing count of."""
        working = [work for work in self.works if not (work.failure or work.lost.given_up)]
        costs_s: dict[str, float] = {}
        for work in working:
            costs_s |= work.costs.expected_s()
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
    start: Start
    reporter: Reporter
    libraries: tuple[_Library, ...]


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
            parts = expand_parts(folder.experiment, folder.catalogue)
            cases = [case for part in parts for case in part]
            queues = queues_of(folder.experiment, cases, toolchains, hosts, scratch)
            session = _session(folder, parts, queues, start, reporter)
            _launch_all(session)
            _tell_left_out(session)
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
    parts: Sequence[Sequence[Case]],
    queues: Sequence[Queue],
    start: Start,
    reporter: Reporter,
) -> _Session:
    experiment, ledger = folder.experiment, Ledger(folder.samples)
    lost: dict[_Kind, _Lost] = {}
    limits = Limits(
        half_width=experiment.half_width,
        launches_minimum=experiment.launches_minimum,
        launches_maximum=experiment.launches_maximum,
        budget_s=experiment.budget_s,
    )
    libraries = []
    for mpi in experiment.mpi:
        works = tuple(
            _work(queue, ledger, lost, limits) for queue in queues if queue.toolchain.name == mpi
        )
        own = tuple(tuple(case.id for case in part if case.mpi == mpi) for part in parts)
        spent_s = ledger.spent_s({work.queue.label for work in works})
        library = _Library(mpi, limits, own, works, spent_s, CASE_MINIMUM_S)
        state = library.state(ledger)
        chosen = possible(state, limits)
        library.case_s = first_case_s(limits, sum(len(state.parts[part]) for part in chosen))
        libraries.append(library)
    return _Session(folder, ledger, start, reporter, tuple(libraries))


def _work(queue: Queue, ledger: Ledger, lost: dict[_Kind, _Lost], limits: Limits) -> _Work:
    nodes = layout_of(queue.configuration, queue.ranks).nodes
    costs = Costs({case.id: case.workload for case in queue.cases.values()}, nodes > 1)
    for case in queue.cases:
        if (elapsed_s := ledger.case_elapsed_s(case)) is not None:
            costs.assume(case, _UNTIMED * elapsed_s)
    on_a_node = Counter(queue.node_of_rank or (0,) * queue.ranks)
    kind = _Kind(nodes, max(on_a_node.values()) > available_cores())
    return _Work(queue, costs, kind, lost.setdefault(kind, _Lost(limits.budget_s)))


def _launch_all(session: _Session) -> None:
    """Turn after turn, one launch of each queue that still has cases due."""
    for library in session.libraries:
        _say_if_too_short(session, library)
    works = [(library, work) for library in session.libraries for work in library.works]
    turn, launched = 0, True
    while launched or _tried_again(session):
        launched = False
        chosen: set[str] = set()
        for library in session.libraries:
            state = library.state(session.ledger)
            library.case_s = next_case_s(state, library.limits, library.case_s)
            chosen |= set(due(state, library.limits))
        for library, work in in_turn(works, turn):
            if cases := [case for case in work.queue.cases if case in chosen]:
                _launch(session, library, work, cases)
                launched = True
        turn += 1


def _tried_again(session: _Session) -> bool:
    """Whether something was given up that the work that disturbed it may meanwhile have left."""
    launched = [work.lost for library in session.libraries for work in library.works]
    if all(lost.given_up for lost in launched):
        return False  # no time has passed since
    waiting = [lost for lost in launched if lost.given_up and not lost.tried_again]
    for lost in waiting:
        lost.given_up, lost.tried_again = False, True
    return bool(waiting)


def _say_if_too_short(session: _Session, library: _Library) -> None:
    """Tell of a budget that its fewest launches exceed; of several parts some are left out."""
    limits, cases = library.limits, sum(map(len, library.parts))
    needed_s = cases * limits.launches_minimum * CASE_MINIMUM_S
    if len(library.parts) == 1 and needed_s > limits.budget_s:
        session.reporter.say(
            f"{library.mpi}: {cases} cases in {limits.launches_minimum} launches take about "
            f"{needed_s:.2f} s, more than the budget of {limits.budget_s:g} s"
        )


def _launch(session: _Session, library: _Library, work: _Work, cases: Sequence[str]) -> None:
    name, ledger = work.queue.label, session.ledger
    launch = ledger.next_launch(name)
    here = left(library.state(ledger), library.limits)
    others = [
        left(other.state(ledger), other.limits)
        for other in session.libraries
        if other is not library
    ]
    session.reporter.launch(name, launch, len(cases), _estimate(here, *others))
    order = shuffled(cases, launch)
    watch = work.costs.watch(order, library.guess_s)

    def on_progress(progress: Progress) -> None:
        watch.case()
        now = None
        # Where a guess is bounded by the budget only, the bound says more than a few cases do.
        if (slower := watch.slower) is not None and (here.sure or not here.guessed):
            rest_s = slower * watch.rest_s
            ours = here.within_launch(watch.elapsed_s, watch.planned_s, rest_s, slower)
            now = _estimate(ours, *others, seen=True)
        session.reporter.case(progress.case, progress.cases, now)

    experiment, samples = session.folder.experiment, session.folder.samples
    job = job_of(work.queue, experiment, launch, order, library.case_s, samples)
    outcome = session.start(job, on_progress)
    took_s = watch.end()
    library.spent_s += took_s
    ledger.update()
    if outcome.ok:
        work.lost.saw(ledger.share_lost(name, launch), took_s)
        _say_if_lost(session, work, f"{name} launch {launch}")
    if not outcome.ok:
        work.failure = outcome.reason
        session.reporter.say(f"{name} launch {launch} failed: {outcome.reason}")
        jobs = session.folder.jobs
        jobs.mkdir(exist_ok=True)
        file = jobs / f"{_NO_FILE_NAME.sub('_', name)}-{launch}.log"
        replace(file, f"{outcome.reason}\n{outcome.output}\n")


def _say_if_lost(session: _Session, work: _Work, launch: str) -> None:
    """Say once what comes of launches that do not count, and once that no more are begun."""
    lost, say = work.lost, session.reporter.say
    if lost.launches and not lost.warned:
        lost.warned = True
        say(f"{launch} does not count: {_lost_to(work)}. {_what_holds(session, work)}")
    if lost.hopeless and not lost.given_up:
        lost.given_up = True
        say(
            f"{lost.launches} launches in a row did not count ({left_text(lost.seconds)}): no more "
            f"are begun {_where(work.kind)}"
        )


def _lost_to(work: _Work) -> str:
    share = f"{100 * work.lost.share:.0f} % of the time"
    if work.kind.crowded:
        return f"more ranks than cores waited for each other {share}"
    return f"other work had {share}"


def _where(kind: _Kind) -> str:
    place = "on one node" if kind.nodes == 1 else f"on {kind.nodes} nodes"
    return f"{place} with more ranks than cores" if kind.crowded else place


def _what_holds(session: _Session, work: _Work) -> str:
    if work.kind.crowded:
        return "Measure as many ranks as there are cores, or fewer"
    libraries = session.folder.experiment.mpi
    sides = " ".join(libraries) if len(libraries) > 1 else "A B"
    return (
        f"As long as that work runs, nothing can be measured {_where(work.kind)}: end it (`top` "
        f"shows it), or run `halocline compare {sides}`, whose sides take turns and share the load"
    )


def _estimate(*every: Left, seen: bool = False) -> Estimate | None:
    """Until the run is done; None as long as nothing bounds it that anybody has seen."""
    seconds = sum(each.seconds for each in every)
    if all(each.sure for each in every):
        guessed = not seen and any(each.guessed for each in every)
        return None if guessed else Estimate(seconds)
    return Estimate(seconds, at_most=True)


def _tell_left_out(session: _Session) -> None:
    """Say what there was no time for, and note it in the run's folder."""
    titles = [part.title for part in session.folder.experiment.all_parts]
    found: list[LeftOut] = []
    for library in session.libraries:
        state, limits = library.state(session.ledger), library.limits
        for number, title in enumerate(titles):
            if cases := lacking(state, limits, number):
                needs_s = lacking_s(state, limits, number)
                found.append(LeftOut(library.mpi, title, cases, needs_s))
    file = session.folder.path / left_out.NAME
    file.unlink(missing_ok=True)
    if found:
        replace(file, left_out.to_text(found))
    for each in found:
        many = counted(len(each.cases), "case")
        session.reporter.say(f"{each.mpi}: {each.reason} for {many}; raise --budget")


def _raise_failures(session: _Session) -> None:
    folder = session.folder
    stopped = [
        f"{work.queue.label}: {work.failure}"
        for library in session.libraries
        for work in library.works
        if work.failure
    ]
    if stopped:
        remedy = f"see {folder.jobs}, mend it, and {resume_remedy(folder)}"
        raise RunFailed("; ".join(stopped), saved=folder.path, remedy=remedy)
    failed = session.ledger.failed_cases
    if failed:
        case, reason = next(iter(failed.items()))
        what = f"{len(failed)} of the cases failed, the first ({case}) because {reason}"
        remedy = f"see them with `halocline summary {folder.path}`"
        raise RunFailed(what, saved=folder.path, remedy=remedy)
    _raise_if_lost(session)
    _raise_if_nothing(session)


def _raise_if_lost(session: _Session) -> None:
    """NoFigures if cases have none because of other work."""
    works = [work for library in session.libraries for work in library.works]
    lost = [w for w in works if w.lost.given_up and not w.kind.crowded]
    without = [
        case for w in lost for case in w.queue.cases if not session.ledger.measured(case).figures
    ]
    if without:
        cases = counted(sum(len(work.queue.cases) for work in works), "case")
        what = f"no figure for {len(without)} of {cases}: {_lost_to(lost[0])}"
        remedy = f"end that work and {resume_remedy(session.folder)}"
        raise NoFigures(what, saved=session.folder.path, remedy=remedy)


def _raise_if_nothing(session: _Session) -> None:
    """NoFigures if no case has any."""
    folder, measured = session.folder, session.ledger.measured
    works = [work for library in session.libraries for work in library.works]
    if any(measured(case).figures for work in works for case in work.queue.cases):
        return
    cases = of_run(folder.path).cases
    reasons = Counter(f"{case.status}: {case.reason}" for case in cases)
    why = f" ({reasons.most_common(1)[0][0]})" if reasons else ""
    what = f"no figure for any of {counted(len(cases), 'case')}{why}"
    remedy = f"see `halocline summary {folder.path}`"
    raise NoFigures(what, saved=folder.path, remedy=remedy)
