"""The records of a samples file, and how its lines are read."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from halocline.base.errors import UserError
from halocline.base.reading import is_json
from halocline.launch.written import Written
from halocline.samples.lines import (
    AnyLine,
    CompletionLine,
    FailureLine,
    PathLine,
    SamplesLine,
    StartLine,
    Status,
    parsed,
)
from halocline.samples.phases import Phase, of_lines

SCHEMA = 1
# First records of a writer: the record before them may be truncated.
_BEGINNINGS = (StartLine, FailureLine)


@dataclass(frozen=True)
class Start:
    """The start of one launch: library, hosts, cores, clock."""

    label: str
    launch: int
    ranks: int
    library_version: str
    standard: str
    abi: str
    library_path: str
    simulated: bool
    clock: str
    clock_cost_s: float
    nodes: int
    hosts: tuple[str, ...]
    cpus: tuple[str, ...]
    compiler: str
    flags: str
    started: str
    machine: str  # as the library names it; empty in older files
    line: int = field(compare=False)


@dataclass(frozen=True)
class Wire:
    """Proof of path: payload between nodes, and the bytes that the nodes' interfaces sent."""

    payload_bytes: int
    wire_bytes: int


@dataclass(frozen=True)
class Fact:
    """A number that a case reports in addition to its times, the same in all launches."""

    name: str
    unit: str
    value: float


@dataclass(frozen=True)
class Loss:
    """Preempted batches, the time they lost, and the time of all batches."""

    preemptions: int
    lost_s: float
    timed_s: float


@dataclass(frozen=True, eq=False)
class Samples:
    """One case in one launch; elapsed_s has a row per timed rank and a column per batch."""

    label: str
    launch: int
    case: str
    status: Status
    reason: str
    repeats: int
    moved_bytes: int
    elapsed_s: NDArray[np.float64]
    preempted: NDArray[np.bool_]
    line_s: tuple[float, ...]  # a cache line between the ranks' cores, before and after
    operations: int  # floating-point operations of one traversal
    late_s: NDArray[np.float64]  # how late the last rank started each batch; empty if not agreed
    late_allowed_s: float
    clock_offset_s: float  # measured offset between the ranks' clocks
    clock_residual_s: float  # its measured error
    clock_error_s: float  # its maximum error
    timed_ranks: tuple[int, ...]  # ranks of the rows
    pairs: tuple[tuple[int, int], ...]  # of communicating ranks, independent of each other
    wire: Wire | None  # None on one node
    facts: tuple[Fact, ...]
    block_batches: int  # batches per block; 0: unknown
    phases: tuple[Phase, ...]  # one traversal is one step; none if a step has no parts
    picture_missing: str  # why the launch could not keep one; empty if it did, or there is none
    line: int

    @cached_property
    def disturbed(self) -> NDArray[np.bool_]:
        """Discarded batches: a rank was preempted or started too late."""
        late = self.late_s > self.late_allowed_s
        return self.preempted | late if late.size else self.preempted

    @cached_property
    def traversal_s(self) -> NDArray[np.float64]:
        """Time of one traversal in each batch: of the slowest rank, per repeat."""
        if self.elapsed_s.size == 0:
            return np.empty(0)
        return cast(NDArray[np.float64], self.elapsed_s.max(axis=0) / self.repeats)

    @cached_property
    def clean_traversal_s(self) -> NDArray[np.float64]:
        """The same without disturbed batches."""
        return self.traversal_s[~self.disturbed]

    @cached_property
    def clean_median_s(self) -> float | None:
        """The median of the clean batches; None without any."""
        clean = self.clean_traversal_s
        return float(np.median(clean)) if clean.size else None

    @cached_property
    def clean_pair_traversal_s(self) -> NDArray[np.float64]:
        """The clean batches of each pair, one row each: the slower of its timed ranks."""
        rows = [
            self.elapsed_s[[rank in pair for rank in self.timed_ranks]].max(axis=0)
            for pair in self.pairs
        ]
        return np.array(rows)[:, ~self.disturbed] / self.repeats

    @cached_property
    def skew_s(self) -> NDArray[np.float64]:
        """How late the last rank started in each clean batch; empty without an agreed start."""
        return self.late_s[~self.disturbed] if self.late_s.size else self.late_s

    @cached_property
    def loss(self) -> Loss:
        """The time lost to other work: how much longer preempted batches took than others."""
        if self.traversal_s.size == 0:
            return Loss(0, 0.0, 0.0)
        longer_s = np.maximum(self.traversal_s[self.preempted] - (self.clean_median_s or 0), 0.0)
        return Loss(
            preemptions=int(self.preempted.sum()),
            lost_s=self.repeats * float(longer_s.sum()),
            timed_s=self.repeats * float(self.traversal_s.sum()),
        )

    @cached_property
    def figure_s(self) -> float | None:
        """The launch's figure: the median of the clean batches, if half of all are clean."""
        few = 2 * self.clean_traversal_s.size < self.preempted.size
        return None if self.status != "measured" or few else self.clean_median_s


@dataclass(frozen=True)
class Completion:
    """A completed launch."""

    label: str
    launch: int
    cases: int
    samples: int
    checksum: str
    line: int


@dataclass(frozen=True)
class Failure:
    """A launch that did not complete, and why."""

    label: str
    launch: int
    reason: str
    line: int


Record = Start | Samples | Completion | Failure


def launch_key(record: Record) -> tuple[str, int]:
    """The label and launch that a record belongs to."""
    return record.label, record.launch


def read(
    path: Path,
    content: bytes,
    lines_before: int = 0,
    written: dict[tuple[str, int], Written] | None = None,
) -> tuple[list[Record], int]:
    """The records of a file's content, and how many were truncated.

    Adds the lines of each launch to `written`.
    """
    *lines, last = content.split(b"\n")
    if is_json(last):
        lines, last = [*lines, last], b""
    records: list[Record] = []
    cut_off: list[int] = []
    for number, line in enumerate(lines, start=1 + lines_before):
        try:
            parsed_line = parsed(line)
            if cut_off and cut_off[-1] == number - 1 and not isinstance(parsed_line, _BEGINNINGS):
                raise malformed(path, cut_off[-1], "not a JSON record")
            if parsed_line is None:
                cut_off.append(number)
                continue
            record = _record(parsed_line, number)
            records.append(record)
            if written is not None and isinstance(record, Start | Samples):
                batches = len(record.preempted) if isinstance(record, Samples) else None
                written.setdefault(launch_key(record), Written()).add(line, batches)
        except ValueError as error:
            raise malformed(path, number, str(error)) from None
    return records, len(cut_off) + bool(last)


def malformed(path: Path, number: int, what: str) -> UserError:
    """The error for a line that neither a driver nor the front end would write."""
    return UserError(
        f"malformed record: {what}",
        where=f"{path}:{number}",
        remedy="restore the file from a copy, or delete this launch's lines and resume the run",
    )


def _start(content: StartLine, line: int) -> Start:
    if content.schema != SCHEMA:
        raise ValueError(f"schema {content.schema!r}, but this version reads {SCHEMA}")
    return Start(
        label=content.label,
        launch=content.launch,
        ranks=content.ranks,
        library_version=content.mpi.library_version,
        standard=content.mpi.standard,
        abi=content.mpi.abi,
        library_path=content.mpi.library_path,
        simulated=content.simulated,
        clock=content.clock,
        clock_cost_s=content.clock_cost_s,
        nodes=content.nodes,
        hosts=tuple(content.hosts),
        cpus=tuple(content.cpus),
        compiler=content.compiler,
        flags=content.flags,
        started=content.started,
        machine=content.machine,
        line=line,
    )


def _samples(content: SamplesLine, line: int) -> Samples:
    if any(len(row) != len(content.preempted) for row in content.elapsed_s):
        raise ValueError("elapsed_s needs one row per timed rank, as long as preempted")
    if len(content.late_s) not in (0, len(content.preempted)):
        raise ValueError("late_s needs to be empty or as long as preempted")
    # Read-only copies: a Dataset never changes.
    elapsed_s = np.array(content.elapsed_s, dtype=np.float64)
    elapsed_s = elapsed_s if elapsed_s.size else np.empty((0, 0))
    if elapsed_s.size and content.repeats < 1:
        raise ValueError(f"repeats {content.repeats} with batches measured")
    if bool(content.preempted) > bool(elapsed_s.size):
        raise ValueError("preempted has batches missing in elapsed_s")
    late_s = np.array(content.late_s, dtype=np.float64)
    preempted = np.array(content.preempted, dtype=np.bool_)
    if content.timed_ranks and len(content.timed_ranks) != len(elapsed_s):
        raise ValueError("timed_ranks needs one rank per row of elapsed_s")
    if not all(set(pair) & set(content.timed_ranks) for pair in content.pairs):
        raise ValueError("a pair has no timed rank")
    elapsed_s.flags.writeable = preempted.flags.writeable = late_s.flags.writeable = False
    return Samples(
        label=content.label,
        launch=content.launch,
        case=content.case,
        status=content.status,
        reason=content.reason,
        repeats=content.repeats,
        moved_bytes=content.moved_bytes,
        elapsed_s=elapsed_s,
        preempted=preempted,
        line_s=tuple(content.line_s),
        operations=content.operations,
        late_s=late_s,
        late_allowed_s=content.late_allowed_s,
        clock_offset_s=content.clock_offset_s,
        clock_residual_s=content.clock_residual_s,
        clock_error_s=content.clock_error_s,
        timed_ranks=tuple(content.timed_ranks),
        pairs=tuple(content.pairs),
        wire=_wire(content.path),
        facts=tuple(Fact(fact.name, fact.unit, fact.value) for fact in content.facts),
        block_batches=content.block_batches,
        phases=of_lines(content.phases, len(content.preempted)),
        picture_missing=content.picture_missing,
        line=line,
    )


def _wire(path: PathLine | None) -> Wire | None:
    return Wire(path.payload_bytes, path.wire_bytes) if path and path.nodes > 1 else None


def _record(content: AnyLine, line: int) -> Record:
    match content:
        case StartLine():
            return _start(content, line)
        case SamplesLine():
            return _samples(content, line)
        case CompletionLine():
            return Completion(
                content.label,
                content.launch,
                content.cases,
                content.samples,
                content.checksum,
                line,
            )
    return Failure(content.label, content.launch, content.reason, line)
