"""Candidates measured beside the default, in turn, launch by launch, into a run's folder."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from time import monotonic
from typing import Annotated, Protocol, TypedDict

import numpy as np
from msgspec import Meta

from halocline.compare.blocks import block_logs, launch_logs, over_cases
from halocline.compare.folder import CORES
from halocline.compare.interleave import rounds_of
from halocline.dataset import Dataset, load
from halocline.errors import RunFailed
from halocline.hosts import Hosts
from halocline.launch.job import Job, Outcome, Progress
from halocline.launch.reasons import BEFORE_FIRST_CASE
from halocline.launch.turns import ENDED_WITH_OTHERS, check_place
from halocline.mpi.toolchain import Toolchain
from halocline.progress import Estimate, Reporter
from halocline.queues import Queue, job_of, queues_of
from halocline.reading import Count, Seconds, json_lines
from halocline.run_folder import RunFolder, end_last_line_of, replace
from halocline.tune.candidates import Candidate, Space
from halocline.tune.rungs import Standing, spread
from halocline.tune.search import SEATS, JobCosts
from halocline.tune.seats import DEFAULT_SEAT, Row, Table, table_of

DEFAULT_SAMPLES = "default.jsonl"
LAUNCHES = "launches.jsonl"
_ANOTHERS = "another side cannot measure it"  # the driver's reason where a row had no turns
_SLOWER_THAN_PLANNED = 20


class _Launched(TypedDict):
    """A line of LAUNCHES."""

    launch: Count
    rung: Count
    jobs: Annotated[int, Meta(ge=1)]
    cases: Count
    seconds: Seconds
    starting_s: Seconds
    whole: bool
    out: dict[str, str]


class TakeTurns(Protocol):
    """As `launch.turns.take_turns`."""

    def __call__(
        self,
        jobs: Sequence[Job],
        rounds: int,
        on_case: Callable[[Progress], None],
        first: int,
        rows: Sequence[Sequence[int]] | None,
    ) -> tuple[Outcome, ...]: ...


class Bench:
    """Launches into a folder. What is there from before counts."""

    def __init__(
        self,
        space: Space,
        folder: RunFolder,
        toolchains: Mapping[str, Toolchain],
        take_turns: TakeTurns,
        reporter: Reporter,
        scratch: Path,
        hosts: Hosts | None = None,
        rounds_first: int = 1,
    ) -> None:
        self._space, self._folder, self._reporter = space, folder, reporter
        self._take_turns, self._rounds_first = take_turns, rounds_first
        every = (space.default, *space.candidates)
        cases = [case for each in every for case in each.cases]
        made = queues_of(space.experiment, cases, toolchains, hosts, scratch)
        self._queues = {case: queue for queue in made for case in queue.cases}
        self._told = _read(folder.path / LAUNCHES)
        self._datasets: tuple[Dataset, Dataset] | None = None
        self._standings: dict[str, Standing] = {}
        for file in (folder.samples, folder.path / DEFAULT_SAMPLES):
            end_last_line_of(file)

    def launch(self, batch: Sequence[Candidate], rung: int, left_s: float) -> None:
        number = self._next()
        table = table_of(self._space, batch, number)
        jobs = self._jobs(table, number)
        for job in jobs:
            check_place(job)
        what = f"rung {rung}, {len(batch)} candidates,"
        self._reporter.launch(what, number, len(table.rows), Estimate(left_s))
        began_s = monotonic()
        rows_begun_s: list[float] = []

        def on_row(progress: Progress) -> None:
            rows_begun_s.append(monotonic())
            self._reporter.case(progress.case, progress.cases)

        self._datasets, self._standings = None, {}
        outcomes = self._take_turns(
            jobs,
            self._rounds_first if rung == 1 else rounds_of(len(table.rows), len(jobs)),
            on_row,
            number,
            [row.seats for row in table.rows],
        )
        culprits = self._culprits(number, outcomes)
        entry: _Launched = {
            "launch": number,
            "rung": rung,
            "jobs": len(jobs),
            "cases": sum(len(job.cases) for job in jobs),
            "seconds": monotonic() - began_s,
            "starting_s": rows_begun_s[0] - began_s if rows_begun_s else 0.0,
            "whole": not culprits,
            "out": self._out(table, number, jobs, culprits),
        }
        with (self._folder.path / LAUNCHES).open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
        self._told.append(entry)
        if list(culprits) == [DEFAULT_SEAT]:
            log, reason = culprits[DEFAULT_SEAT]
            raise RunFailed(
                f"the default: {reason}",
                saved=self._folder.path,
                remedy=f"see {self._folder.path / log}, mend it, and go on with "
                f"`halocline tune --resume {self._folder.path}`",
            )

    def _next(self) -> int:
        """One that was stopped has used its number too."""
        begun = [start.launch for each in self._read_samples() for start in each.starts]
        return 1 + max([*begun, *(int(each["launch"]) for each in self._told)], default=0)

    def standings(self) -> Mapping[str, Standing]:
        if not self._standings:
            out = {key: reason for each in self._told for key, reason in each["out"].items()}
            every = self._space.candidates
            self._standings = {each.key: self._standing(each, out) for each in every}
        return self._standings

    def within(self) -> float:
        """In the first rung, whichever was reached: what it decided stays so."""
        first = {int(each["launch"]) for each in self._told if each["rung"] == 1}
        residuals: list[float] = []
        usual, _ = self._read_samples()
        problems: dict[tuple[int, int], list[float]] = {}
        problem_of = {
            self._space.row(each, problem): problem
            for each in (self._space.default, *self._space.candidates)
            for problem in range(self._space.problems)
        }
        for record in usual.samples:
            logs = block_logs(record)
            if record.launch in first and logs.size and np.isfinite(logs).any():
                key = record.launch, problem_of.get(record.case, 0)
                problems.setdefault(key, []).append(float(np.nanmean(logs)))
        for found in problems.values():
            residuals += [each - float(np.median(found)) for each in found if len(found) > 2]
        # Of a difference of two such, and of the mean over the problems.
        return spread(residuals) * math.sqrt(2 / self._space.problems)

    def spent_s(self) -> float:
        return sum(float(each["seconds"]) for each in self._told)

    def costs(self) -> JobCosts | None:
        whole = [each for each in self._told if each["whole"]]  # one that failed measured less
        if not whole:
            return None
        last = whole[-1]
        in_cases_s = float(last["seconds"]) - float(last["starting_s"])
        starts_s = [each["starting_s"] / int(each["jobs"]) for each in whole if each["starting_s"]]
        return JobCosts(
            median(starts_s or [JobCosts.start_s]),
            max(in_cases_s, 0.3 * float(last["seconds"])) / max(int(last["cases"]), 1),
        )

    def _jobs(self, table: Table, number: int) -> list[Job]:
        usual = [(row, self._space.default) for row in table.rows]
        seats = [usual, *(table.of_seat(at) for at in range(1, len(table.configurations) + 1))]
        files = [self._folder.path / DEFAULT_SAMPLES] + [self._folder.samples] * len(seats)
        return [
            self._job(measured, number, samples, is_default=seat == DEFAULT_SEAT)
            for seat, (measured, samples) in enumerate(zip(seats, files, strict=False))
        ]

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
        case_s = _SLOWER_THAN_PLANNED * JobCosts.case_s
        job = job_of(
            queue, self._space.experiment, number, [case.id for case in cases], case_s, samples
        )
        if is_default:  # the default's times go by the row that they were measured in
            lines = [case.driver_line.partition(" ")[2] for case in cases]
            named = zip(measured, lines, strict=True)
            job = dataclasses.replace(
                job, cases=tuple(f"{row.name} {line}" for (row, _), line in named)
            )
        # A seat sleeps while others measure, for the whole launch if need be; the default as long
        # as it takes to see that another one hangs.
        patience_s = job.deadlines.progress_s + len(cases) * SEATS * case_s
        patience_s *= 2 if is_default else 1
        return dataclasses.replace(
            job, deadlines=dataclasses.replace(job.deadlines, progress_s=patience_s)
        )

    def _queue(self, candidate: Candidate) -> Queue:
        return self._queues[candidate.key]

    def _culprits(self, number: int, outcomes: Sequence[Outcome]) -> dict[int, tuple[str, str]]:
        """The seats that failed by themselves, with their log and the reason.

        The default is one only if no other is: it waits for all of them.
        """
        failed = {seat: each for seat, each in enumerate(outcomes) if not each.ok}
        # Those that were ended because another one had failed are not to blame.
        own = {seat: each for seat, each in failed.items() if each.reason != ENDED_WITH_OTHERS}
        others = {seat: each for seat, each in own.items() if seat != DEFAULT_SEAT}
        found = {}
        for seat, outcome in (others or own or failed).items():
            log = self._folder.jobs / f"{number}-{seat}.log"
            log.parent.mkdir(exist_ok=True)
            replace(log, f"{outcome.reason}\n{outcome.output}\n")
            found[seat] = (str(log.relative_to(self._folder.path)), outcome.reason)
        return found

    def _out(
        self,
        table: Table,
        number: int,
        jobs: Sequence[Job],
        culprits: Mapping[int, tuple[str, str]],
    ) -> dict[str, str]:
        """The candidates that ended the launch, and why.

        Where a library did not start with a configuration, all that have it.
        """
        out: dict[str, str] = {}
        for seat, (log, reason) in culprits.items():
            if seat == DEFAULT_SEAT:
                continue
            measured = [candidate for _, candidate in table.of_seat(seat)]
            configuration = measured[0].configuration
            to_blame: Sequence[Candidate] = measured
            if BEFORE_FIRST_CASE not in reason:
                done = self._recorded(jobs[seat], number)
                to_blame = measured[done : done + 1] or measured
            elif configuration != self._space.default.configuration:
                every = self._space.candidates
                to_blame = [each for each in every if each.configuration == configuration]
            out.update(
                dict.fromkeys((each.key for each in to_blame), f"failed: {reason}; see {log}")
            )
        return out

    def _recorded(self, job: Job, number: int) -> int:
        _, own = self._read_samples()
        return sum(each.label == job.label and each.launch == number for each in own.samples)

    def _standing(self, candidate: Candidate, out: Mapping[str, str]) -> Standing:
        usual, own = self._read_samples()
        rows: list[dict[int, float]] = []
        seen: set[int] = set()
        same_cores = not CORES & candidate.changes(self._space.default).keys()
        for problem, case in enumerate(candidate.cases):
            for record in own.case_samples(case.id):
                seen.add(record.launch)
                if record.status != "measured" and record.reason != _ANOTHERS:
                    return Standing(reason=f"{record.status}: {record.reason}", launches=len(seen))
            row = self._space.row(candidate, problem)
            found, _ = launch_logs((usual, row), (own, case.id), same_cores)
            rows.append(found)
        return Standing(tuple(over_cases(rows)), len(seen), out.get(candidate.key, ""))

    def _read_samples(self) -> tuple[Dataset, Dataset]:
        """The default's and the candidates'."""
        if self._datasets is None:
            files = self._folder.path / DEFAULT_SAMPLES, self._folder.samples
            usual, own = (load(file) if file.exists() else Dataset(file) for file in files)
            self._datasets = usual, own
        return self._datasets


def _read(path: Path) -> list[_Launched]:
    """The launches that were; a line that its writer did not end is none."""
    if not path.exists():
        return []
    remedy = "delete this line and resume"
    return json_lines(path, _Launched, "a launch of a search", remedy)
