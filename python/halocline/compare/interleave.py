"""Measure sides in turn, launch by launch, each into a run folder of its own."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from halocline.cases import Case
from halocline.compare.sides import Side, matched
from halocline.errors import Interrupted, RunFailed
from halocline.hosts import Hosts
from halocline.launch.job import Job, Outcome, Progress
from halocline.launch.leftovers import scratch_directory
from halocline.mpi.toolchain import Toolchain
from halocline.plan import shuffled
from halocline.progress import Reporter
from halocline.queues import Queue, job_of, queues_of
from halocline.run_folder import RunFolder, replace

# ABBA BAAB: four blocks of 2 ms a side. Of few cases more: a launch takes a second anyway, and what
# is left of the noise within one is noise between launches.
ROUNDS, ROUNDS_MOST = 2, 6
_BLOCK_S = 0.0025  # with waking up
_BLOCKS_S = 0.3  # for all cases of a launch
_CASE_S = 0.06  # what a case of two sides takes, before one was seen
_LAUNCH_S = 1.5
_FAILURES_MOST = 3
# What a launch is to take at most if others have the processors, in terms of its blocks.
_SLOWER_THAN_PLANNED = 20

TakeTurns = Callable[[Sequence[Job], int, Callable[[Progress], None], int], tuple[Outcome, ...]]


@dataclass(frozen=True)
class Limits:
    """How many launches, and in how much time. How many is never decided by what was measured."""

    launches_minimum: int = 8
    launches_maximum: int = 20
    budget_s: float = 300.0

    def launches(self, cost_s: float, spent_s: float, done: int) -> int:
        """The launches that there is time for, if another takes so long."""
        left = int((self.budget_s - spent_s) / max(cost_s, 1e-9))
        return max(self.launches_minimum, min(self.launches_maximum, done + left))


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
    cases: tuple[tuple[Case, ...], ...]  # a case of each side


@dataclass
class _Spent:
    """Seconds of all launches, and of the last of each group."""

    began_s: float
    of_launch_s: dict[int, float]
    failures: int = 0

    @property
    def all_s(self) -> float:
        return monotonic() - self.began_s


def interleave(
    runs: Sequence[SideRun], limits: Limits, take_turns: TakeTurns, reporter: Reporter
) -> tuple[tuple[Case, ...], ...]:
    """Measure the cases that all sides have, as far as there is time; which these were.

    Every launch has all sides alive together. Interrupted if the user stops it; RunFailed if
    launches fail again and again. What was measured is in the folders in any case.
    """
    parts = matched([run.side for run in runs], runs[0].folder.catalogue)
    chosen = _chosen(parts, limits)
    left_out = sum(map(len, parts)) - len(chosen)
    if left_out:
        reporter.say(f"{left_out} cases left out for time; raise --budget")
    saved = runs[0].folder.path.parent
    with scratch_directory() as scratch:
        groups = _groups(runs, chosen, scratch)
        try:
            _launch_all(runs, groups, limits, take_turns, reporter)
        except KeyboardInterrupt as stop:
            remedy = f"compare what there is with `halocline compare {saved}`"
            raise Interrupted(stop, saved=saved, remedy=remedy) from stop
    return chosen


def _chosen(
    parts: Sequence[Sequence[tuple[Case, ...]]], limits: Limits
) -> tuple[tuple[Case, ...], ...]:
    """The first parts whose fewest launches there is time for; the first one in any case."""
    chosen: list[tuple[Case, ...]] = []
    for part in parts:
        cases = [*chosen, *part]
        kinds = len({(case[0].ranks, case[0].configuration) for case in cases})
        needed_s = limits.launches_minimum * (kinds * _LAUNCH_S + _CASE_S * len(cases))
        if chosen and needed_s > limits.budget_s:
            break
        chosen = cases
    return tuple(chosen)


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
    kinds: dict[tuple[int, ...], list[tuple[Case, ...]]] = {}
    for cases in chosen:
        kind = tuple(id(queues[at][case.id]) for at, case in enumerate(cases))
        kinds.setdefault(kind, []).append(cases)
    return tuple(
        Group(tuple(queues[at][case.id] for at, case in enumerate(found[0])), tuple(found))
        for found in kinds.values()
    )


def _launch_all(
    runs: Sequence[SideRun],
    groups: Sequence[Group],
    limits: Limits,
    take_turns: TakeTurns,
    reporter: Reporter,
) -> None:
    spent = _Spent(monotonic(), {})
    launch, last = 1, limits.launches_maximum
    while launch <= last:
        for at, group in enumerate(groups):
            _launch(runs, at, group, launch, last, take_turns, reporter, spent)
        if launch >= 2:  # the first one also fills the disk's caches
            last = limits.launches(sum(spent.of_launch_s.values()), spent.all_s, launch)
        launch += 1


def _launch(
    runs: Sequence[SideRun],
    at: int,
    group: Group,
    launch: int,
    last: int,
    take_turns: TakeTurns,
    reporter: Reporter,
    spent: _Spent,
) -> None:
    order = shuffled([str(case) for case in range(len(group.cases))], launch)
    jobs = [
        _job(run, queue, launch, [group.cases[int(case)][side].id for case in order])
        for side, (run, queue) in enumerate(zip(runs, group.queues, strict=True))
    ]
    left_s = (last - launch + 1) * sum(spent.of_launch_s.values())
    names = " and ".join(dict.fromkeys(run.side.name for run in runs))
    reporter.launch(names, launch, len(order), left_s)
    began_s = monotonic()
    outcomes = take_turns(
        jobs,
        rounds_of(len(order), len(jobs)),
        lambda progress: reporter.case(progress.case, progress.cases),
        launch,
    )
    spent.of_launch_s[at] = monotonic() - began_s
    failed = [(run, each) for run, each in zip(runs, outcomes, strict=True) if not each.ok]
    if not failed:
        return
    spent.failures += 1
    for run, outcome in failed:
        reporter.say(f"{run.side.name} launch {launch} failed: {outcome.reason}")
        run.folder.jobs.mkdir(exist_ok=True)
        replace(run.folder.jobs / f"{launch}.log", f"{outcome.reason}\n{outcome.output}\n")
    if spent.failures == _FAILURES_MOST:
        run, outcome = failed[0]
        raise RunFailed(
            f"{run.side.name}: {outcome.reason}",
            saved=run.folder.path.parent,
            remedy=f"see {run.folder.jobs}, mend it, and compare again",
        )


def rounds_of(cases: int, sides: int) -> int:
    """How many rounds of blocks each of so many cases gets in a launch."""
    return max(ROUNDS, min(ROUNDS_MOST, int(_BLOCKS_S / (cases * sides * 2 * _BLOCK_S))))


def _job(run: SideRun, queue: Queue, launch: int, cases: Sequence[str]) -> Job:
    case_s = _SLOWER_THAN_PLANNED * 2 * ROUNDS_MOST * _BLOCK_S
    job = job_of(queue, run.side.experiment, launch, cases, case_s, run.folder.samples)
    return dataclasses.replace(job, delay_share=run.side.delay_share)
