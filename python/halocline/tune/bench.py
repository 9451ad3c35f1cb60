"""Candidates measured in turn with the default, launch by launch, into a run folder."""

from __future__ import annotations

import dataclasses
import errno
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np

from halocline.base.errors import RunFailed
from halocline.base.files import NO_SPACE
from halocline.base.progress import Estimate
from halocline.base.shell import pasted
from halocline.base.toolchain import Toolchain
from halocline.base.units import counted
from halocline.campaign.engine import Launch, Policy, Turns, keep_output
from halocline.campaign.log import Log
from halocline.campaign.plan import shuffled
from halocline.campaign.queues import SLOWER_THAN_PLANNED, Queue, job_of, queues_of
from halocline.campaign.turns import rounds_of, while_alive
from halocline.compare.blocks import block_logs, launch_logs, over_cases
from halocline.compare.folder import CORES
from halocline.hosts import Hosts
from halocline.launch.job import Job, Outcome
from halocline.launch.reasons import BEFORE_FIRST_CASE
from halocline.launch.turns import ENDED_WITH_OTHERS, check_place
from halocline.samples.dataset import Dataset, load
from halocline.samples.lines import OTHER_SIDE
from halocline.samples.run_folder import RunFolder, end_last_line_of
from halocline.specification.configuration import Configuration
from halocline.tune.candidates import Candidate, Space, Values
from halocline.tune.rungs import Standing, spread
from halocline.tune.search import SEATS, JobCosts

DEFAULT_SAMPLES = "default.jsonl"
DEFAULT_SEAT = 0


class Bench:
    """Launches into a folder. Existing launches are reused."""

    def __init__(
        self,
        space: Space,
        folder: RunFolder,
        toolchains: Mapping[str, Toolchain],
        log: Log,
        scratch: Path,
        hosts: Hosts | None = None,
        rounds_first: int = 1,
    ) -> None:
        self._space, self._folder, self._log = space, folder, log
        self._rounds_first = rounds_first
        every = (space.default, *space.candidates)
        cases = [case for candidate in every for case in candidate.cases]
        queues = queues_of(space.experiment, cases, toolchains, hosts, scratch)
        self._queues = {case: queue for queue in queues for case in queue.cases}
        self._datasets: tuple[Dataset, Dataset] | None = None
        self._standings: dict[str, Standing] = {}
        for file in (folder.samples, folder.path / DEFAULT_SAMPLES):
            end_last_line_of(file)

    def launch(self, batch: Sequence[Candidate], rung: int, left_s: float) -> Policy[Job]:
        number = self._next()
        table = table_of(self._space, batch, number)
        jobs = self._jobs(table, number)
        for job in jobs:
            check_place(job)
        rounds = self._rounds_first if rung == 1 else rounds_of(len(table.rows), len(jobs))
        self._datasets, self._standings = None, {}
        done = yield Launch(
            f"rung {rung}, {counted(len(batch), 'candidate')},",
            number,
            jobs,
            len(table.rows),
            Estimate(left_s),
            turns=Turns(rounds, number, [row.seats for row in table.rows]),
            turn=self._log.next_turn,
            rung=rung,
            in_jobs=sum(len(job.cases) for job in jobs),
            out=lambda outcomes: self._out(table, number, jobs, _culprits(outcomes)),
        )
        culprits = _culprits(done.outcomes)
        for seat, outcome in culprits.items():
            keep_output(self._folder.path / _output(number, seat), outcome)
        if list(culprits) == [DEFAULT_SEAT]:
            raise RunFailed(
                f"the default failed: {culprits[DEFAULT_SEAT].reason}",
                saved=self._folder.path,
                remedy=f"see {self._folder.path / _output(number, DEFAULT_SEAT)}, fix it and "
                f"resume with {pasted('halocline', 'tune', '--resume', self._folder.path)}",
            )

    def _next(self) -> int:
        """Interrupted launches also use a number."""
        begun = [start.launch for dataset in self._read_samples() for start in dataset.starts]
        return 1 + max([*begun, *(entry.launch for entry in self._log.entries)], default=0)

    def standings(self) -> Mapping[str, Standing]:
        if not self._standings:
            entries = self._log.entries
            out = {key: why for entry in entries for key, why in entry.out.items()}
            rungs = {entry.launch: entry.rung for entry in entries}
            failed = {key: entry.rung for entry in entries for key in entry.out}
            for candidate in self._space.candidates:
                found, launched = self._standing(candidate, out)
                # The log lacks a launch that was interrupted.
                rung = max((rungs.get(launch, 1) for launch in launched), default=0)
                self._standings[candidate.key] = dataclasses.replace(
                    found, rung=max(rung, failed.get(candidate.key, 0))
                )
        return self._standings

    def within(self) -> float:
        """The spread in the first rung, whichever rung was reached: its decision stands."""
        first = {entry.launch for entry in self._log.entries if entry.rung == 1}
        residuals: list[float] = []
        usual, _ = self._read_samples()
        problems: dict[tuple[int, int], list[float]] = {}
        problem_of = {
            self._space.row(candidate, problem): problem
            for candidate in (self._space.default, *self._space.candidates)
            for problem in range(self._space.problems)
        }
        for record in usual.samples:
            logs = block_logs(record)
            if record.launch in first and logs.size and np.isfinite(logs).any():
                key = record.launch, problem_of.get(record.case, 0)
                problems.setdefault(key, []).append(float(np.nanmean(logs)))
        for of_row in problems.values():
            residuals += [value - float(np.median(of_row)) for value in of_row if len(of_row) > 2]
        # For a difference of two such values, and the mean over the problems.
        return spread(residuals) * math.sqrt(2 / self._space.problems)

    def spent_s(self) -> float:
        return self._log.spent_s

    def costs(self) -> JobCosts | None:
        whole = [entry for entry in self._log.entries if entry.whole]  # partial launches took less
        if not whole:
            return None
        last = whole[-1]
        starts_s = [entry.starting_s / entry.jobs for entry in whole if entry.starting_s]
        return JobCosts(
            median(starts_s or [JobCosts.start_s]),
            max(last.took_s - last.starting_s, 0.3 * last.took_s) / max(last.cases, 1),
        )

    def _jobs(self, table: Table, number: int) -> tuple[Job, ...]:
        usual = [(row, self._space.default) for row in table.rows]
        seats = [usual, *(table.of_seat(at) for at in range(1, len(table.configurations) + 1))]
        files = [self._folder.path / DEFAULT_SAMPLES] + [self._folder.samples] * len(seats)
        return tuple(
            self._job(measured, number, samples, is_default=seat == DEFAULT_SEAT)
            for seat, (measured, samples) in enumerate(zip(seats, files, strict=False))
        )

    def _job(
        self,
        measured: Sequence[tuple[Row, Candidate]],
        number: int,
        samples: Path,
        *,
        is_default: bool,
    ) -> Job:
        queue = self._queue(measured[0][1])
        cases = [candidate.cases[row.problem] for row, candidate in measured]
        case_s = SLOWER_THAN_PLANNED * JobCosts.case_s
        job = job_of(
            queue, self._space.experiment, number, [case.id for case in cases], case_s, samples
        )
        if is_default:  # the default's times are recorded under the row they were measured in
            lines = [case.driver_line.partition(" ")[2] for case in cases]
            named = zip(measured, lines, strict=True)
            job = dataclasses.replace(
                job, cases=tuple(f"{row.name} {line}" for (row, _), line in named)
            )
        # A seat sleeps while others measure, possibly for the whole launch; the default as long as
        # it takes to detect that another seat hangs.
        patience_s = job.deadlines.progress_s + len(cases) * SEATS * case_s
        patience_s *= 2 if is_default else 1
        return dataclasses.replace(
            job, deadlines=while_alive(dataclasses.replace(job.deadlines, progress_s=patience_s))
        )

    def _queue(self, candidate: Candidate) -> Queue:
        return self._queues[candidate.key]

    def _out(
        self,
        table: Table,
        number: int,
        jobs: Sequence[Job],
        culprits: Mapping[int, Outcome],
    ) -> dict[str, str]:
        """The candidates that made the launch fail, and why.

        All candidates with a configuration if the library did not start with it. OSError if the
        disk is full, which excludes none.
        """
        out: dict[str, str] = {}
        for seat, outcome in culprits.items():
            if seat == DEFAULT_SEAT:
                continue
            reason = outcome.reason
            full = any(os.strerror(number) in reason for number in NO_SPACE)
            if full and jobs[seat].samples.name in reason:  # not /dev/shm, say
                raise OSError(errno.ENOSPC, reason, str(self._folder.path))
            measured = [candidate for _, candidate in table.of_seat(seat)]
            configuration = measured[0].configuration
            to_blame: Sequence[Candidate] = measured
            if BEFORE_FIRST_CASE not in reason:
                done = self._recorded(jobs[seat], number)
                to_blame = measured[done : done + 1] or measured
            elif configuration != self._space.default.configuration:
                every = self._space.candidates
                to_blame = [
                    candidate for candidate in every if candidate.configuration == configuration
                ]
            out.update(
                dict.fromkeys(
                    (candidate.key for candidate in to_blame),
                    f"failed: {reason}; see {_output(number, seat)}",
                )
            )
        return out

    def _recorded(self, job: Job, number: int) -> int:
        _, own = self._read_samples()
        return sum(record.label == job.label and record.launch == number for record in own.samples)

    def _standing(self, candidate: Candidate, out: Mapping[str, str]) -> tuple[Standing, set[int]]:
        """Its state, and the launches that it was in."""
        usual, own = self._read_samples()
        rows: list[dict[int, float]] = []
        seen: set[int] = set()
        same_cores = not CORES & candidate.changes(self._space.default).keys()
        for problem, case in enumerate(candidate.cases):
            for record in own.case_samples(case.id):
                seen.add(record.launch)
                if record.status != "measured" and record.reason != OTHER_SIDE:
                    reason = f"{record.status}: {record.reason}"
                    return Standing(reason=reason, launches=len(seen)), seen
            row = self._space.row(candidate, problem)
            for record in usual.case_samples(row):
                if record.status != "measured" and record.reason != OTHER_SIDE:
                    reason = f"the default {record.status}: {record.reason}"
                    return Standing(reason=reason, launches=len(seen)), seen
            by_launch, _ = launch_logs((usual, row), (own, case.id), same_cores)
            rows.append(by_launch)
        found = Standing(tuple(over_cases(rows)), len(seen), out.get(candidate.key, ""))
        return found, seen

    @property
    def samples(self) -> Dataset:
        """The candidates' launches."""
        return self._read_samples()[1]

    def _read_samples(self) -> tuple[Dataset, Dataset]:
        """The datasets of the default and of the candidates."""
        if self._datasets is None:
            files = self._folder.path / DEFAULT_SAMPLES, self._folder.samples
            usual, own = (load(file) if file.exists() else Dataset(file) for file in files)
            self._datasets = usual, own
        return self._datasets


def _culprits(outcomes: Sequence[Outcome]) -> dict[int, Outcome]:
    """The seats that failed by themselves; the default, which waits for all, only if alone."""
    failed = {seat: outcome for seat, outcome in enumerate(outcomes) if not outcome.ok}
    # Seats killed because another one failed are not to blame.
    own = {seat: outcome for seat, outcome in failed.items() if outcome.reason != ENDED_WITH_OTHERS}
    candidates = {seat: outcome for seat, outcome in own.items() if seat != DEFAULT_SEAT}
    return candidates or own or failed


def _output(number: int, seat: int) -> str:
    """Where in the folder the output of a seat is kept."""
    return f"jobs/{number}-{seat}.log"


@dataclass(frozen=True)
class Row:
    """The seats that measure in turn, with each one's candidate except the default's."""

    problem: int
    name: str  # label of the default's records
    candidates: Mapping[int, Candidate]  # by seat

    @property
    def seats(self) -> tuple[int, ...]:
        return (DEFAULT_SEAT, *sorted(self.candidates))


@dataclass(frozen=True)
class Table:
    """A launch: the configurations of the other seats, and its rows in order."""

    configurations: tuple[Configuration, ...]
    rows: tuple[Row, ...]

    def of_seat(self, seat: int) -> list[tuple[Row, Candidate]]:
        """The cases of a seat, in order."""
        return [(row, row.candidates[seat]) for row in self.rows if seat in row.candidates]


def table_of(space: Space, batch: Sequence[Candidate], launch: int) -> Table:
    """A row for each candidate and problem, in an order randomised per launch."""
    configurations = tuple(dict.fromkeys(candidate.configuration for candidate in batch))
    seat_of = {configuration: seat for seat, configuration in enumerate(configurations, start=1)}
    of_ways: dict[Values, dict[int, Candidate]] = {}
    for candidate in batch:
        of_ways.setdefault(candidate.ways, {})[seat_of[candidate.configuration]] = candidate
    rows = {}
    for cases in of_ways.values():
        for problem in range(space.problems):
            name = space.row(next(iter(cases.values())), problem)
            rows[name] = Row(problem, name, cases)
    return Table(configurations, tuple(rows[name] for name in shuffled(list(rows), launch)))
