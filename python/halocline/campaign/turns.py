"""The policy of `compare`, its gate and `selftest`: concurrent sides that measure in turn."""

from __future__ import annotations

import dataclasses
import math
from collections import defaultdict
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from halocline.base.errors import RunFailed
from halocline.base.progress import Estimate, Reporter
from halocline.base.shell import pasted
from halocline.base.toolchain import Toolchain
from halocline.base.units import enumerated
from halocline.campaign.engine import Done, Launch, Policy, Start, Turns, carry_out, keep_output
from halocline.campaign.log import Launched, Log, of_turns
from halocline.campaign.pace import Limits, Pace
from halocline.campaign.plan import shuffled
from halocline.campaign.queues import SLOWER_THAN_PLANNED, Queue, job_of, queues_of
from halocline.hosts import Hosts
from halocline.launch.job import Deadlines, Job
from halocline.launch.leftovers import scratch_directory
from halocline.launch.turns import ENDED_WITH_OTHERS, check_place
from halocline.samples.dataset import load
from halocline.samples.run_folder import RunFolder
from halocline.specification.cases import Case

# ABBA BAAB: four blocks of 2 ms per side, more for few cases: a launch takes a second anyway, and
# the noise remaining within a launch adds to the noise between launches.
ROUNDS, ROUNDS_MOST = 2, 6
_BLOCK_S = 0.0025  # including wake-up
_BLOCKS_S = 0.3  # for all cases of a launch
_FAILURES_MOST = 3


@dataclass(frozen=True)
class SideRun:
    """A side, where its samples go, and what it is launched with."""

    name: str
    folder: RunFolder
    toolchains: Mapping[str, Toolchain]
    hosts: Hosts | None = None
    delay_share: float = 0.0  # added to its times, to check that it is detected


@dataclass(frozen=True)
class Group:
    """A joint launch: the same cases in the same order, one queue per side."""

    queues: tuple[Queue, ...]
    cases: Mapping[int, tuple[Case, ...]]  # by number; one case per side


def measure(
    runs: Sequence[SideRun],
    parts: Sequence[Sequence[tuple[Case, ...]]],
    limits: Limits,
    start: Start[Job],
    reporter: Reporter,
) -> None:
    """Measure the cases that all sides have, one tuple per case, as far as time allows.

    Existing launches are reused. Interrupted if the user stops it; RunFailed if launches
    keep failing. The folders keep what was measured.
    """
    saved = runs[0].folder.path.parent
    log = Log(saved)
    policy = in_turns(runs, parts, limits, log, reporter.say)
    carry_out(policy, start, reporter, log, _going_on(runs, saved))


def going_on(path: Path) -> str:
    """How to resume an interrupted comparison."""
    compared = pasted("halocline", "compare", path)
    return f"{resuming(path)}, or compare what was measured with {compared}"


def resuming(path: Path, *, is_selftest: bool = False) -> str:
    """The command that resumes it, or an interrupted self-test: one with a delayed side."""
    command = "selftest" if is_selftest else "compare"
    return f"resume with {pasted('halocline', command, '--resume', path)}"


def _going_on(runs: Sequence[SideRun], saved: Path) -> str:
    is_selftest = any(run.delay_share for run in runs)
    return resuming(saved, is_selftest=True) if is_selftest else going_on(saved)


def in_turns(
    runs: Sequence[SideRun],
    parts: Sequence[Sequence[tuple[Case, ...]]],
    limits: Limits,
    log: Log,
    say: Callable[[str], None],
) -> Policy[Job]:
    """Turn after turn, each group of cases once: as many cases and turns as time allows."""
    ends = tuple(accumulate(len(part) for part in parts if part))
    cases = tuple(case for part in parts for case in part)
    with scratch_directory() as scratch:
        groups = _groups(runs, cases, scratch)
        pace = Pace(limits, ends, len(groups))
        before = _launched(runs, cases, range(len(cases)))
        pace.replay(of_turns(log.entries), {at: number for at, number in before.items() if number})
        failures = [0] * len(groups)
        last = _last_number(runs, log.entries)
        offsets = number_offsets(groups)
        first = pace.done  # rotates which side begins
        seen = _mark_unable(before, pace)
        while due := set(pace.due()) - pace.unable:
            wanted = {
                at: chosen
                for at, group in enumerate(groups)
                if (chosen := [row for number, row in group.cases.items() if number in due])
            }
            turn = log.next_turn, len(wanted)
            for at, chosen in wanted.items():
                number = last + 1 + offsets[at]
                failed = yield from _launch(
                    runs, groups[at], chosen, number, first, pace.left, turn, say
                )
                failures[at] = failures[at] + 1 if failed else 0
                if failed and failures[at] == _FAILURES_MOST:
                    raise failed
            seen |= _mark_unable(_launched(runs, cases, due - seen), pace)
            (taken,) = of_turns(log.entries[-len(wanted) :])
            pace.launched(taken)
            first += 1
            last += 1 + max(offsets)
    if left_out := len(cases) - pace.kept:
        say(f"{left_out} of {len(cases)} cases left out for time; raise --budget")


def _launched(
    runs: Sequence[SideRun], cases: Sequence[tuple[Case, ...]], numbers: Collection[int]
) -> dict[int, int]:
    """Of these cases, those that were launched: in which launch a side first skipped one or got it
    wrong, 0 if none did.
    """
    if not numbers or not all(run.folder.samples.exists() for run in runs):
        return {}
    sides = [load(run.folder.samples) for run in runs]
    records = {
        number: [
            record
            for side, case in zip(sides, cases[number], strict=True)
            for record in side.case_samples(case.id)
        ]
        for number in numbers
    }
    return {
        number: min((r.launch for r in of_case if r.status != "measured"), default=0)
        for number, of_case in records.items()
        if of_case
    }


def _mark_unable(launched: Mapping[int, int], pace: Pace) -> set[int]:
    """The cases that were launched; what a side skipped or got wrong is not launched again."""
    pace.unable |= {number for number, launch in launched.items() if launch}
    return set(launched)


def _last_number(runs: Sequence[SideRun], log: Sequence[Launched]) -> int:
    """The highest launch number used, including interrupted launches."""
    used = [entry.launch for entry in log]
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
        run_queues = queues_of(run.folder.experiment, own, run.toolchains, run.hosts, folder)
        queues.append({case: queue for queue in run_queues for case in queue.cases})
    kinds: dict[tuple[int, ...], dict[int, tuple[Case, ...]]] = {}
    for number, cases in enumerate(chosen):
        kind = tuple(id(queues[at][case.id]) for at, case in enumerate(cases))
        kinds.setdefault(kind, {})[number] = cases
    return tuple(
        Group(
            tuple(queues[at][case.id] for at, case in enumerate(next(iter(group.values())))), group
        )
        for group in kinds.values()
    )


def number_offsets(groups: Sequence[Group]) -> list[int]:
    """Offsets that keep launch numbers of groups with the same labels apart (2 and 4 ranks)."""
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
    number: int,
    first: int,
    left: Estimate,
    turn: tuple[int, int],
    say: Callable[[str], None],
) -> Generator[Launch[Job], Done, RunFailed | None]:
    """Launch a group once; returns why it failed, if it did."""
    order = shuffled([str(case) for case in range(len(cases))], number)
    jobs = tuple(
        _job(run, queue, number, [cases[int(case)][side].id for case in order])
        for side, (run, queue) in enumerate(zip(runs, group.queues, strict=True))
    )
    for job in jobs:
        check_place(job)
    done = yield Launch(
        enumerated(list(dict.fromkeys(run.name for run in runs))),
        number,
        jobs,
        len(order),
        left,
        turns=Turns(rounds_of(len(order), len(jobs)), first),
        turn=turn[0],
        of_turn=turn[1],
    )
    failed = [
        (run, result) for run, result in zip(runs, done.outcomes, strict=True) if not result.ok
    ]
    # The side that failed on its own comes first.
    failed.sort(key=lambda one: one[1].reason == ENDED_WITH_OTHERS)
    for run, outcome in failed:
        say(f"{run.name} launch {number} failed: {outcome.reason}")
        keep_output(run.folder.jobs / f"{number}.log", outcome)
    if not failed:
        return None
    run, outcome = failed[0]
    saved = run.folder.path.parent
    remedy = f"see {run.folder.jobs}, fix the cause, and {_going_on(runs, saved)}"
    return RunFailed(f"{run.name}: {outcome.reason}", saved=saved, remedy=remedy)


def rounds_of(cases: int, sides: int) -> int:
    """The rounds of blocks per case in a launch of this many cases."""
    return max(ROUNDS, min(ROUNDS_MOST, int(_BLOCKS_S / (cases * sides * 2 * _BLOCK_S))))


def _job(run: SideRun, queue: Queue, number: int, cases: Sequence[str]) -> Job:
    case_s = SLOWER_THAN_PLANNED * 2 * ROUNDS_MOST * _BLOCK_S
    job = job_of(queue, run.folder.experiment, number, cases, case_s, run.folder.samples)
    return dataclasses.replace(
        job, delay_share=run.delay_share, deadlines=while_alive(job.deadlines)
    )


def while_alive(deadlines: Deadlines) -> Deadlines:
    """Without a limit on the whole launch: a step may take minutes, and a side shows that it lives
    while another measures.
    """
    return dataclasses.replace(deadlines, total_s=math.inf)
