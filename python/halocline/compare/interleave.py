"""Measure sides in turn, launch by launch, each into a run folder of its own."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from time import monotonic

from halocline.cases import Case
from halocline.compare import launches
from halocline.compare.launches import Launched
from halocline.compare.pace import Limits, Pace
from halocline.compare.sides import Side, matched
from halocline.dataset import load
from halocline.errors import Interrupted, RunFailed
from halocline.hosts import Hosts
from halocline.launch.job import Job, Outcome, Progress
from halocline.launch.leftovers import scratch_directory
from halocline.launch.turns import ENDED_WITH_OTHERS, check_place
from halocline.mpi.toolchain import Toolchain
from halocline.plan import shuffled
from halocline.progress import Estimate, Reporter
from halocline.queues import Queue, job_of, queues_of
from halocline.run_folder import RunFolder

# ABBA BAAB: four blocks of 2 ms a side. Of few cases more: a launch takes a second anyway, and what
# is left of the noise within one is noise between launches.
ROUNDS, ROUNDS_MOST = 2, 6
_BLOCK_S = 0.0025  # with waking up
_BLOCKS_S = 0.3  # for all cases of a launch
_FAILURES_MOST = 3
# What a launch is to take at most if others have the processors, in terms of its blocks.
_SLOWER_THAN_PLANNED = 20

TakeTurns = Callable[[Sequence[Job], int, Callable[[Progress], None], int], tuple[Outcome, ...]]


@dataclass(frozen=True)
class SideRun:
    """A side, where its samples go, and what it is launched with."""

    side: Side
    folder: RunFolder
    toolchains: Mapping[str, Toolchain]
    hosts: Hosts | None = None


@dataclass(frozen=True)
class Group:
    """What is launched together: the same cases in the same order, a queue of each side."""

    queues: tuple[Queue, ...]
    cases: Mapping[int, tuple[Case, ...]]  # by their numbers; a case of each side


def interleave(
    runs: Sequence[SideRun], limits: Limits, take_turns: TakeTurns, reporter: Reporter
) -> None:
    """Measure the cases that all sides have, as far as there is time.

    Every launch has all sides alive together. Launches that are in the folders count. Interrupted
    if the user stops it; RunFailed if launches fail again and again. What was measured is in the
    folders in any case.
    """
    parts = [part for part in matched([run.side for run in runs], runs[0].folder.catalogue) if part]
    ends = tuple(accumulate(map(len, parts)))
    cases = tuple(case for part in parts for case in part)
    saved = runs[0].folder.path.parent
    with scratch_directory() as scratch:
        groups = _groups(runs, cases, scratch)
        told = launches.read(saved)
        pace = Pace(limits, ends, len(groups))
        pace.replay(told)
        try:
            _launch_all(runs, groups, pace, _last_number(runs, told), take_turns, reporter)
        except KeyboardInterrupt as stop:
            raise Interrupted(stop, saved=saved, remedy=going_on(saved)) from stop
    if left_out := len(cases) - pace.kept:
        reporter.say(f"{left_out} of {len(cases)} cases left out for time; raise --budget")


def going_on(path: Path) -> str:
    """How to go on with a comparison that was stopped."""
    return (
        f"go on with `halocline compare --resume {path}`, or compare what there is with "
        f"`halocline compare {path}`"
    )


def _last_number(runs: Sequence[SideRun], told: Sequence[Launched]) -> int:
    """The highest number that a launch has had: one that was stopped has used its own too."""
    used = [each.launch for each in told]
    for run in runs:
        if run.folder.samples.exists():
            dataset = load(run.folder.samples)
            used += [start.launch for start in dataset.starts]
            used += [failure.launch for failure in dataset.failures]
    return max(used, default=0)


def _groups(
    runs: Sequence[SideRun], chosen: Sequence[tuple[Case, ...]], scratch: Path
) -> tuple[Group, ...]:
    queues: list[dict[str, Queue]] = []
    for at, run in enumerate(runs):
        folder = scratch / str(at)
        folder.mkdir()
        own = [cases[at] for cases in chosen]
        made = queues_of(run.side.experiment, own, run.toolchains, run.hosts, folder)
        queues.append({case: queue for queue in made for case in queue.cases})
    kinds: dict[tuple[int, ...], dict[int, tuple[Case, ...]]] = {}
    for number, cases in enumerate(chosen):
        kind = tuple(id(queues[at][case.id]) for at, case in enumerate(cases))
        kinds.setdefault(kind, {})[number] = cases
    return tuple(
        Group(
            tuple(queues[at][case.id] for at, case in enumerate(next(iter(found.values())))), found
        )
        for found in kinds.values()
    )


def _launch_all(
    runs: Sequence[SideRun],
    groups: Sequence[Group],
    pace: Pace,
    last: int,
    take_turns: TakeTurns,
    reporter: Reporter,
) -> None:
    """The launches after number `last`."""
    failures = [0] * len(groups)
    rounds = pace.done  # who begins changes with it
    offsets = number_offsets(groups)
    while due := set(pace.due()):
        began_s = monotonic()
        starting_s = 0.0
        whole = True
        for at, group in enumerate(groups):
            if cases := [cases for number, cases in group.cases.items() if number in due]:
                number = last + 1 + offsets[at]
                failed, start_s = _launch(
                    runs, group, cases, number, rounds, pace.left, take_turns, reporter
                )
                starting_s += start_s
                failures[at] = failures[at] + 1 if failed else 0
                if failed and failures[at] == _FAILURES_MOST:
                    raise failed
                whole = whole and not failed
        took_s = monotonic() - began_s
        pace.launched(len(due), took_s, starting_s, whole)
        rounds += 1
        last += 1 + max(offsets)
        done = Launched(last, len(due), took_s, starting_s, whole)
        launches.append(runs[0].folder.path.parent, done)


def number_offsets(groups: Sequence[Group]) -> list[int]:
    """What tells the numbers of groups apart whose labels are the same, as with 2 and 4 ranks."""
    free: dict[tuple[int, str], int] = defaultdict(int)
    offsets = []
    for group in groups:
        labels = [(side, queue.label) for side, queue in enumerate(group.queues)]
        offset = max(free[label] for label in labels)
        offsets.append(offset)
        free.update(dict.fromkeys(labels, offset + 1))
    return offsets


def _launch(
    runs: Sequence[SideRun],
    group: Group,
    cases: Sequence[tuple[Case, ...]],
    launch: int,
    first: int,
    left: Estimate,
    take_turns: TakeTurns,
    reporter: Reporter,
) -> tuple[RunFailed | None, float]:
    """Why it failed, if it did; and the seconds until its first case began."""
    began_s = monotonic()
    cases_begun_s: list[float] = []

    def on_case(progress: Progress) -> None:
        cases_begun_s.append(monotonic())
        reporter.case(progress.case, progress.cases)

    order = shuffled([str(case) for case in range(len(cases))], launch)
    jobs = [
        _job(run, queue, launch, [cases[int(case)][side].id for case in order])
        for side, (run, queue) in enumerate(zip(runs, group.queues, strict=True))
    ]
    for job in jobs:
        check_place(job)
    names = " and ".join(dict.fromkeys(run.side.name for run in runs))
    reporter.launch(names, launch, len(order), left)
    outcomes = take_turns(jobs, rounds_of(len(order), len(jobs)), on_case, first)
    starting_s = cases_begun_s[0] - began_s if cases_begun_s else 0.0
    failed = [(run, each) for run, each in zip(runs, outcomes, strict=True) if not each.ok]
    # Who failed by itself first.
    failed.sort(key=lambda one: one[1].reason == ENDED_WITH_OTHERS)
    for run, outcome in failed:
        reporter.say(f"{run.side.name} launch {launch} failed: {outcome.reason}")
        run.folder.jobs.mkdir(exist_ok=True)
        with (run.folder.jobs / f"{launch}.log").open("a", encoding="utf-8") as log:
            log.write(f"{outcome.reason}\n{outcome.output}\n")
    if not failed:
        return None, starting_s
    run, outcome = failed[0]
    why = RunFailed(
        f"{run.side.name}: {outcome.reason}",
        saved=run.folder.path.parent,
        remedy=f"see {run.folder.jobs}, mend it, and {going_on(run.folder.path.parent)}",
    )
    return why, starting_s


def rounds_of(cases: int, sides: int) -> int:
    """How many rounds of blocks each of so many cases gets in a launch."""
    return max(ROUNDS, min(ROUNDS_MOST, int(_BLOCKS_S / (cases * sides * 2 * _BLOCK_S))))


def _job(run: SideRun, queue: Queue, launch: int, cases: Sequence[str]) -> Job:
    case_s = _SLOWER_THAN_PLANNED * 2 * ROUNDS_MOST * _BLOCK_S
    job = job_of(queue, run.side.experiment, launch, cases, case_s, run.folder.samples)
    return dataclasses.replace(job, delay_share=run.side.delay_share)
