"""Verify combinations of workload and protocol on a library: payload checked, nothing timed."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Literal

from halocline.base.progress import Estimate, Reporter
from halocline.base.toolchain import Family, Toolchain
from halocline.campaign.engine import Done, Launch, OnCase, carry_out
from halocline.campaign.starters import alone
from halocline.launch.job import Deadlines, Job, Outcome, Simulation
from halocline.launch.leftovers import scratch_directory
from halocline.launch.machine import machine, simulation
from halocline.samples.lines import Status as CaseStatus
from halocline.samples.records import Samples, read
from halocline.samples.records import Start as Begun
from halocline.specification.cases import AxisValue
from halocline.specification.catalogue import Axis, Catalogue, Workload

Status = Literal["verified", "skipped", "failed"]
Start = Callable[[Job, OnCase], Outcome]

# Empty, one byte, one word, a fraction of a word, beyond the eager limit, and beyond caches.
SIZES_BYTES = (0, 1, 8, 1009, 2**16 + 1, 2**20)
# Above this many ranks, which usually exceeds the cores, every axis takes one value.
MOST_RANKS_AT_ALL_POINTS = 4
ONE_SIZE_BYTES = 2**16 + 8  # beyond the eager limit, and whole words
_UNITS_BYTES = {"B": 1, "words": 8}
SIMULATED_ON = "two-nodes"
_CASE_AND_RANK_S = 0.01  # rough, only to estimate the time left
NO_PROTOCOL = "(no protocol)"
MARKS = {"verified": "✓", "skipped": "–", "failed": "✗"}


@dataclass(frozen=True)
class Selection:
    """What to verify: workloads, and given values of axes."""

    workloads: tuple[str, ...]
    axes: Mapping[str, tuple[AxisValue, ...]]


@dataclass(frozen=True)
class Combination:
    """A workload over a protocol ("" if it has none) on a library at a number of ranks.

    `cases` of its sizes and patterns were verified. `reason` says why it did not run, or why some
    of its cases did not.
    """

    mpi: str
    ranks: int
    workload: str
    protocol: str
    status: Status
    reason: str = ""
    cases: int = 0


@dataclass(frozen=True)
class _Case:
    """One line for the driver, and its result."""

    workload: str
    protocol: str
    line: str
    status: CaseStatus | None = None  # None: not run yet
    reason: str = ""

    @property
    def combination(self) -> tuple[str, str]:
        return self.workload, self.protocol


def verify(
    toolchain: Toolchain,
    catalogue: Catalogue,
    ranks: int,
    selection: Selection,
    start: Start,
    reporter: Reporter,
    deadline_s: float,
) -> tuple[Combination, ...]:
    """The result of every combination of a library's catalogue on this many ranks.

    All cases share a launch. A case that crashes or hangs it has failed, with the reason; the rest
    continue in another launch without its combination.
    """
    workloads = [w for name in selection.workloads if (w := catalogue.workload(name))]
    asked = [
        case
        for workload in workloads
        if workload.runs_on(ranks)
        for case in _cases(workload, catalogue, selection.axes, ranks)
    ]
    with scratch_directory() as scratch:
        job = Job(
            toolchain,
            ranks,
            launch=1,
            cases=(),
            samples=scratch / "samples.jsonl",
            deadlines=Deadlines(deadline_s, deadline_s, math.inf),
            simulation=_simulation(toolchain, ranks, scratch),
            verify_only=True,
        )
        gone = carry_out(_all_gone(job, asked, reporter.say), alone(start), reporter)
    return tuple(
        _combination(toolchain.name, ranks, workload, protocol, gone)
        for workload in workloads
        for protocol in _protocols(workload, catalogue, selection.axes)
    )


def _cases(
    workload: Workload, catalogue: Catalogue, given: Mapping[str, tuple[AxisValue, ...]], ranks: int
) -> list[_Case]:
    usual = _one_value if ranks > MOST_RANKS_AT_ALL_POINTS else _values
    further = [axis for axis in workload.axes if axis.kind != "protocol"]
    points = list(product(*(given.get(axis.name) or usual(axis) for axis in further)))
    cases = []
    for protocol in _protocols(workload, catalogue, given):
        over = [f"protocol={protocol}"] if protocol else []
        for point in points:
            at = [f"{axis.name}={value}" for axis, value in zip(further, point, strict=True)]
            cases.append(_Case(workload.name, protocol, " ".join([workload.name, *over, *at])))
    return cases


def _protocols(
    workload: Workload, catalogue: Catalogue, given: Mapping[str, tuple[AxisValue, ...]]
) -> tuple[str, ...]:
    axis = next((axis for axis in workload.axes if axis.kind == "protocol"), None)
    if axis is None:
        return ("",)
    return tuple(str(name) for name in given.get(axis.name) or catalogue.defaults(axis))


def _values(axis: Axis) -> tuple[AxisValue, ...]:
    """The values of an axis here: those it names, a few sizes if it sweeps, otherwise its default.

    Neither bytes nor words: the cost may be any power of the value, so take the two smallest.
    """
    if axis.verified:
        return axis.verified
    if axis.kind != "integer" or len(axis.default) < 2:
        return axis.default
    unit_bytes = _UNITS_BYTES.get(axis.unit)
    if unit_bytes is None:
        return tuple(dict.fromkeys((axis.low, min(map(int, axis.default)))))
    sizes = [min(max(size // unit_bytes, axis.low), axis.high) for size in SIZES_BYTES]
    return tuple(dict.fromkeys(sizes))


def _one_value(axis: Axis) -> tuple[AxisValue, ...]:
    """The one value of an axis on many ranks, or the few that each verification needs."""
    if axis.verified:
        return axis.verified
    unit_bytes = _UNITS_BYTES.get(axis.unit)
    if axis.kind == "integer" and len(axis.default) > 1 and unit_bytes:
        return (min(max(ONE_SIZE_BYTES // unit_bytes, axis.low), axis.high),)
    return _values(axis)[:1]


def _simulation(toolchain: Toolchain, ranks: int, scratch: Path) -> Simulation | None:
    if toolchain.family is not Family.SIMGRID:
        return None
    return simulation(machine(SIMULATED_ON), ranks, scratch)


def _all_gone(
    job: Job, asked: Sequence[_Case], say: Callable[[str], None]
) -> Generator[Launch[Job], Done, list[_Case]]:
    """All cases with their results, in as many launches as needed."""
    where = f"{job.label} on {job.ranks} ranks"
    gone: list[_Case] = []
    left = list(asked)
    while left:
        lines = tuple(f"{number} {case.line}" for number, case in enumerate(left))
        estimate = Estimate(len(left) * job.ranks * _CASE_AND_RANK_S)
        done = yield Launch(where, job.launch, (replace(job, cases=lines),), len(left), estimate)
        (outcome,) = done.outcomes
        started, checked = _outcome(job)
        gone += [
            replace(case, status=record.status, reason=record.reason)
            for case, record in zip(left, checked, strict=False)
        ]
        if outcome.ok:
            break
        if not started:
            return gone + [replace(case, status="failed", reason=outcome.reason) for case in left]
        # A launch that fails after its last case says nothing about the others.
        culprit = left[min(len(checked), len(left) - 1)]
        say(f"{where}: {culprit.line}: {outcome.reason}; continuing without it")
        gone.append(replace(culprit, status="failed", reason=outcome.reason))
        left = [case for case in left[len(checked) :] if case.combination != culprit.combination]
        job = replace(job, launch=job.launch + 1)
    return gone


def _outcome(job: Job) -> tuple[bool, list[Samples]]:
    """Whether this launch started, and its records of cases."""
    if not job.samples.exists():
        return False, []
    content = job.samples.read_bytes()
    records, _ = read(job.samples, content[: content.rfind(b"\n") + 1])
    own = [record for record in records if record.launch == job.launch]
    began = any(isinstance(record, Begun) for record in own)
    return began, [record for record in own if isinstance(record, Samples)]


def _combination(
    mpi: str, ranks: int, workload: Workload, protocol: str, gone: Sequence[_Case]
) -> Combination:
    if not workload.runs_on(ranks):
        reason = f"takes {workload.ranks_text}"
        return Combination(mpi, ranks, workload.name, protocol, "skipped", reason)
    own = [case for case in gone if case.combination == (workload.name, protocol)]
    verified = sum(case.status == "verified" for case in own)
    wrong = [case for case in own if case.status == "failed"]
    skipped = [case for case in own if case.status == "skipped"]
    status: Status = "failed" if wrong else "verified" if verified else "skipped"
    reason = ""
    if wrong:
        at = wrong[0].line.removeprefix(f"{workload.name} ").removeprefix(f"protocol={protocol} ")
        reason = f"{at}: {wrong[0].reason}"
    elif skipped:
        reason = "; ".join(dict.fromkeys(case.reason for case in skipped))
    return Combination(mpi, ranks, workload.name, protocol, status, reason, verified)


@dataclass(frozen=True)
class Grid:
    """The table of one library: cells by (protocol, workload), and the notes they refer to."""

    mpi: str
    protocols: tuple[str, ...]
    workloads: tuple[str, ...]
    cells: Mapping[tuple[str, str], str]
    notes: tuple[str, ...]  # the first is number 1


def grids(combinations: Sequence[Combination]) -> tuple[Grid, ...]:
    """A grid for each library, in order of appearance."""
    libraries = dict.fromkeys(combination.mpi for combination in combinations)
    return tuple(_grid(mpi, [c for c in combinations if c.mpi == mpi]) for mpi in libraries)


def _grid(mpi: str, combinations: Sequence[Combination]) -> Grid:
    notes: dict[str, int] = {}
    by_place: dict[tuple[str, str], list[Combination]] = {}
    for combination in combinations:
        place = (combination.protocol or NO_PROTOCOL, combination.workload)
        by_place.setdefault(place, []).append(combination)
    ranks = {combination.ranks for combination in combinations}
    cells = {place: _cell(at_place, notes, ranks) for place, at_place in by_place.items()}
    return Grid(
        mpi=mpi,
        protocols=tuple(dict.fromkeys(protocol for protocol, _ in cells)),
        workloads=tuple(dict.fromkeys(workload for _, workload in cells)),
        cells=cells,
        notes=tuple(notes),
    )


def _cell(combinations: Sequence[Combination], notes: dict[str, int], all_ranks: Set[int]) -> str:
    """`✓` if it ran on all numbers of ranks, otherwise the result by ranks: `✓ 2; – 4, 8 [1]`."""
    ranks_of: dict[tuple[str, str], list[int]] = {}
    for combination in combinations:
        note = (
            f" [{notes.setdefault(combination.reason, len(notes) + 1)}]"
            if combination.reason
            else ""
        )
        ranks_of.setdefault((MARKS[combination.status], note), []).append(combination.ranks)
    if len(ranks_of) == 1 and {combination.ranks for combination in combinations} == all_ranks:
        return "".join(next(iter(ranks_of)))
    return "; ".join(
        f"{mark} {', '.join(map(str, ranks))}{note}" for (mark, note), ranks in ranks_of.items()
    )
