"""A run's measurements: `samples.jsonl` read into an immutable Dataset."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from halocline.base.errors import UserError
from halocline.base.shell import pasted
from halocline.launch.written import Written
from halocline.samples.agreement import Key, completed, damaged, left_out
from halocline.samples.cores import displaced, share_cores, usual_lines_s
from halocline.samples.lines import Status
from halocline.samples.records import (
    Completion,
    Failure,
    Record,
    Samples,
    Start,
    launch_key,
    malformed,
    read,
)
from halocline.samples.under_load import launches_under_load


@dataclass(frozen=True, eq=False)
class Dataset:
    """Everything in a samples file, in order, except samples of launches left out."""

    path: Path
    starts: tuple[Start, ...] = ()
    samples: tuple[Samples, ...] = ()
    completions: tuple[Completion, ...] = ()
    failures: tuple[Failure, ...] = ()
    truncated_lines: int = 0
    left_out: Mapping[Key, str] = field(default_factory=dict)  # launches, and why
    samples_left_out: tuple[Samples, ...] = ()  # from those launches
    damaged: frozenset[Key] = frozenset()  # of them, those that are not as they were written

    @cached_property
    def _by_case(self) -> dict[str, tuple[Samples, ...]]:
        grouped: dict[str, list[Samples]] = defaultdict(list)
        for record in self.samples:
            grouped[record.case].append(record)
        return {case: tuple(records) for case, records in grouped.items()}

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Labels of the launches, in order of appearance."""
        lines = [(r.line, r.label) for r in self.starts] + [
            (r.line, r.label) for r in self.failures
        ]
        return tuple(dict.fromkeys(label for _, label in sorted(lines)))

    def next_launch(self, label: str) -> int:
        """The launch number after the highest that this label has used; numbers begin at 1."""
        used = [r.launch for r in self.starts if r.label == label]
        used += [r.launch for r in self.failures if r.label == label]
        return max(used, default=0) + 1

    def start(self, label: str) -> Start | None:
        """The first start record of a label, preferably of a complete launch: the others agree, but
        for the names of hosts.
        """
        complete = completed(self.completions, self.failures)
        kept = self._kept(label)
        return min(kept, key=lambda start: launch_key(start) not in complete, default=None)

    def hosts(self, label: str) -> tuple[str, ...]:
        """The hosts of all launches of a label that count."""
        return tuple(dict.fromkeys(host for start in self._kept(label) for host in start.hosts))

    def _kept(self, label: str) -> list[Start]:
        return [s for s in self.starts if s.label == label and launch_key(s) not in self.left_out]

    @cached_property
    def cases_left_out(self) -> Mapping[str, str]:
        """The cases of those launches, and why the first of each was left out."""
        reasons: dict[str, str] = {}
        for record in self.samples_left_out:
            reasons.setdefault(record.case, self.left_out[launch_key(record)])
        return reasons

    def launches_completed(self, label: str) -> int:
        """The number of a label's launches that completed, and did not fail afterwards."""
        complete = completed(self.completions, self.failures)
        return sum(of_label == label for of_label, _ in complete)

    def case_samples(self, case: str) -> tuple[Samples, ...]:
        """The records of one case, one per launch."""
        return self._by_case.get(case, ())

    def statuses(self, case: str) -> tuple[Status, ...]:
        """The case's status in each launch."""
        return tuple(record.status for record in self.case_samples(case))

    @cached_property
    def usual_lines_s(self) -> dict[tuple[str, int], float]:
        """The usual time (s) of a cache line between the cores of the first two ranks, by label and
        number of ranks if probed: a launcher may put two ranks on two sockets and four on one.
        """
        probes: dict[tuple[str, int], list[float]] = defaultdict(list)
        for record in self.samples:
            probes[self._kind(record)] += self._probes(record)
        return usual_lines_s(probes)

    def _kind(self, record: Samples) -> tuple[str, int]:
        return record.label, self._ranks.get(launch_key(record), 0)

    @cached_property
    def _ranks(self) -> dict[Key, int]:
        return {launch_key(start): start.ranks for start in self.starts}

    def _probes(self, record: Samples) -> tuple[float, ...]:
        return () if launch_key(record) in self._sharing_cores else record.line_s

    @cached_property
    def _sharing_cores(self) -> frozenset[Key]:
        """Single-node launches whose ranks outnumber its cores: their probes show no distance, and
        their own preemptions look like those by other work.
        """
        return frozenset(
            launch_key(start)
            for start in self.starts
            if start.nodes == 1 and share_cores(start.cpus)
        )

    @cached_property
    def under_load(self) -> dict[Key, float]:
        """The launches disturbed too much by other work, with the share of time it took."""
        return launches_under_load((launch_key(record), record.loss) for record in self.samples)

    def launch_figures(self, case: str) -> NDArray[np.float64]:
        """Median time per traversal (s) over the clean batches of each launch.

        Launches under load, with most batches preempted or with the cores displaced give none.
        """
        return np.array(list(self.figures_by_turn(case).values()), dtype=np.float64)

    def figures_by_turn(self, case: str) -> dict[int, float]:
        """The same by turn, from 1 on. Cases can be compared by turn: one turn launches all of
        them, under any label and on any number of ranks.
        """
        usable = self.usable(case)
        return {self.turns[launch_key(r)]: r.figure_s for r in usable if r.figure_s is not None}

    @cached_property
    def turns(self) -> dict[Key, int]:
        """The turn of each launch, from 1: launch numbers of a label are shared by all its
        numbers of ranks, turns are not.
        """
        begun: dict[tuple[str, int], set[int]] = defaultdict(set)
        for start in self.starts:
            begun[start.label, start.ranks].add(start.launch)
        return {
            (label, launch): turn
            for (label, _), launches in begun.items()
            for turn, launch in enumerate(sorted(launches), start=1)
        }

    def usable(self, case: str) -> tuple[Samples, ...]:
        """The records of the launches that give figures."""
        return tuple(r for r in self._with_figure(case) if launch_key(r) not in self.under_load)

    def _with_figure(self, case: str) -> tuple[Samples, ...]:
        """The same, including launches under load."""
        return tuple(record for record in self._undisplaced(case) if record.figure_s is not None)

    def preempted_share(self, case: str) -> float:
        """Share of the case's batches spoiled by a preempted or late rank: over the launches that
        count, or over all if none does.
        """
        measured = self.measured(case)
        counting = [r for r in measured if launch_key(r) not in self.under_load] or measured
        flags = [record.disturbed for record in counting]
        return float(np.concatenate(flags).mean()) if sum(map(len, flags)) else 0.0

    def shares_cores(self, case: str) -> bool:
        """Whether the case's ranks outnumber the cores of its node: they preempt one another."""
        return any(launch_key(r) in self._sharing_cores for r in self.case_samples(case))

    def own_ranks_preempt(self, case: str) -> bool:
        """Whether they did so in every batch so far, as they do where a step is longer than the
        scheduler's time slice: no further launch would give a figure.
        """
        measured = self.measured(case)
        return bool(measured) and all(
            launch_key(record) in self._sharing_cores and record.preempted.all()
            for record in measured
        )

    def shares_lost(self, case: str) -> list[float]:
        """The share lost in the case's launches that were discarded only because of load."""
        keys = map(launch_key, self._with_figure(case))
        return [self.under_load[key] for key in keys if key in self.under_load]

    def displaced_share(self, case: str) -> float:
        """Share of the case's launches that ran on other cores than usual."""
        measured = len(self.measured(case))
        return 1 - sum(1 for _ in self._undisplaced(case)) / measured if measured else 0.0

    def _undisplaced(self, case: str) -> Iterator[Samples]:
        usual_s = self.usual_lines_s
        return (
            record
            for record in self.measured(case)
            if not displaced(self._probes(record), usual_s.get(self._kind(record)))
        )

    def measured(self, case: str) -> tuple[Samples, ...]:
        """The records of the launches that measured the case, whatever the result."""
        return tuple(record for record in self.case_samples(case) if record.status == "measured")


def load(samples_path: Path) -> Dataset:
    """Read a samples file; a truncated record is left out and counted.

    UserError names file, line and remedy for anything else that is not a record.
    """
    try:
        content = samples_path.read_bytes()
    except FileNotFoundError:
        remedy = f"measure with {pasted('halocline', 'run', '--resume', samples_path.parent)}"
        raise UserError(f"{samples_path} does not exist", remedy=remedy) from None
    except OSError as error:
        raise UserError(
            f"{samples_path} cannot be read: {error.strerror}", remedy="check its permissions"
        ) from None
    written: dict[Key, Written] = {}
    records, truncated_lines = read(samples_path, content, written=written)
    dataset = _of(samples_path, records, written, truncated_lines)
    _check_launches(dataset)
    return dataset


class Growing:
    """A samples file while launches append to it; the first reading checks it as `load` does."""

    def __init__(self, samples_path: Path) -> None:
        self._path = samples_path
        self._offset = self._lines = 0
        self._records: list[Record] = []
        self._written: dict[Key, Written] = {}
        _check_launches(self.dataset())

    def dataset(self) -> Dataset:
        """Its current content; an incomplete last line is ignored."""
        if self._path.exists():
            with self._path.open("rb") as file:
                file.seek(self._offset)
                content = file.read()
            whole = content[: content.rfind(b"\n") + 1]
            self._records += read(self._path, whole, self._lines, self._written)[0]
            self._offset += len(whole)
            self._lines += whole.count(b"\n")
        return _of(self._path, self._records, self._written, 0)


def _of(
    path: Path,
    records: Sequence[Record],
    written: Mapping[Key, Written],
    truncated_lines: int,
) -> Dataset:
    starts = tuple(r for r in records if isinstance(r, Start))
    completions = tuple(r for r in records if isinstance(r, Completion))
    failures = tuple(r for r in records if isinstance(r, Failure))
    samples = [r for r in records if isinstance(r, Samples)]
    lost = damaged(completions, failures, written)
    whole = [start for start in starts if launch_key(start) not in lost]
    without = {**left_out(whole, completions, failures), **lost}
    return Dataset(
        path=path,
        starts=starts,
        samples=tuple(r for r in samples if launch_key(r) not in without),
        completions=tuple(c for c in completions if launch_key(c) not in without),
        failures=failures,
        truncated_lines=truncated_lines,
        left_out=without,
        samples_left_out=tuple(r for r in samples if launch_key(r) in without),
        damaged=frozenset(lost),
    )


def _check_launches(dataset: Dataset) -> None:
    """Each launch starts once, unless it failed, and each record belongs to a launch."""
    started: dict[Key, int] = {}
    ranks: dict[Key, int] = {}
    failed = set(map(launch_key, dataset.failures))
    for start in dataset.starts:
        key = launch_key(start)
        if key in started and key not in failed:
            raise malformed(
                dataset.path,
                start.line,
                f"launch {start.launch} of {start.label} already started at line {started[key]}",
            )
        started[key] = start.line
        ranks[key] = start.ranks
    seen: set[tuple[str, int, str]] = set()
    for record in dataset.samples:
        name = f"launch {record.launch} of {record.label}"
        if (record.label, record.launch) not in started:
            raise malformed(dataset.path, record.line, f"{name} has no start record")
        if (record.label, record.launch, record.case) in seen:
            raise malformed(dataset.path, record.line, f"{name} has case {record.case} twice")
        seen.add((record.label, record.launch, record.case))
        wrong = {len(phase.elapsed_s) for phase in record.phases} - {ranks[launch_key(record)]}
        if wrong:
            problem = (
                f"{name} has phases of {wrong.pop()} ranks, but {ranks[launch_key(record)]} ranks"
            )
            raise malformed(dataset.path, record.line, problem)
