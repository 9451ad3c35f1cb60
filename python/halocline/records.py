"""The records of a samples file, and how its lines are read."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from halocline.errors import UserError

SCHEMA = 1
Status = Literal["measured", "verified", "skipped", "failed"]  # verified: payload only, untimed
STATUSES = ("measured", "verified", "skipped", "failed")


@dataclass(frozen=True)
class Start:
    """How one launch began: library, hosts, cores, clock."""

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
    line: int = field(compare=False)


@dataclass(frozen=True)
class Wire:
    """Proof of path: what had to go from node to node, and what the nodes' interfaces sent."""

    payload_bytes: int
    wire_bytes: int


@dataclass(frozen=True)
class Fact:
    """A number that a case tells beside its times, the same in all launches."""

    name: str
    unit: str
    value: float


@dataclass(frozen=True)
class Loss:
    """Batches that were preempted, the time that it cost, and what all batches took."""

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
    late_s: NDArray[np.float64]  # how late the last rank began each batch; empty if not agreed
    late_allowed_s: float
    clock_offset_s: float  # how far the ranks' clocks are apart, as they were compared
    clock_residual_s: float  # how wrong that was found to be
    clock_error_s: float  # how wrong it can have been
    timed_ranks: tuple[int, ...]  # whose clocks the rows are of
    pairs: tuple[tuple[int, int], ...]  # of ranks that talk, each independent of the others
    wire: Wire | None  # None on one node
    facts: tuple[Fact, ...]
    block_batches: int  # measured in blocks of so many batches; 0: it is not known
    line: int

    @cached_property
    def disturbed(self) -> NDArray[np.bool_]:
        """Batches that count for nothing: a rank was preempted, or began too late."""
        late = self.late_s > self.late_allowed_s
        return self.preempted | late if late.size else self.preempted

    @cached_property
    def traversal_s(self) -> NDArray[np.float64]:
        """Time of one traversal in each batch: the slowest rank's, per repeat."""
        if self.elapsed_s.size == 0:
            return np.empty(0)
        return cast(NDArray[np.float64], self.elapsed_s.max(axis=0) / self.repeats)

    @cached_property
    def clean_traversal_s(self) -> NDArray[np.float64]:
        """The same without the disturbed batches."""
        return self.traversal_s[~self.disturbed]

    @cached_property
    def clean_median_s(self) -> float | None:
        """Their median; None if there is no such batch."""
        clean = self.clean_traversal_s
        return float(np.median(clean)) if clean.size else None

    @cached_property
    def clean_pair_traversal_s(self) -> NDArray[np.float64]:
        """The clean batches for each pair, a row each: the slower one of its timed ranks."""
        rows = [
            self.elapsed_s[[rank in pair for rank in self.timed_ranks]].max(axis=0)
            for pair in self.pairs
        ]
        return np.array(rows)[:, ~self.disturbed] / self.repeats

    @cached_property
    def skew_s(self) -> NDArray[np.float64]:
        """How late the last rank began in each clean batch; empty if no moment was agreed."""
        return self.late_s[~self.disturbed] if self.late_s.size else self.late_s

    @cached_property
    def loss(self) -> Loss:
        """What other work took: by how much preempted batches took longer than others do."""
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
    """A launch that ended as it should."""

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


def read(path: Path, content: bytes) -> tuple[list[Record], int]:
    """The records of a file's content, and how many were cut off by the end of their writer."""
    *lines, last = content.split(b"\n")
    if _parse(last) is not None:
        lines, last = [*lines, last], b""
    records: list[Record] = []
    cut_off: list[int] = []
    for number, line in enumerate(lines, start=1):
        record = _parse(line)
        if cut_off and cut_off[-1] == number - 1 and not _begins(record):
            raise malformed(path, cut_off[-1], "not a JSON record")
        if record is not None:
            records.append(_record(path, record, number))
        elif line.startswith(b"{"):
            cut_off.append(number)
        else:
            raise malformed(path, number, "not a JSON record")
    return records, len(cut_off) + bool(last)


def _begins(record: dict[str, Any] | None) -> bool:
    """Whether a record is the first of its writer: then the one before may have been cut off."""
    return record is not None and record.get("type") in ("start", "failure")


def _parse(line: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
    except ValueError:  # not JSON, or not UTF-8
        return None
    return record if isinstance(record, dict) else None


def malformed(path: Path, number: int, what: str) -> UserError:
    """The error for a line that is not as a driver or the front end writes it."""
    return UserError(
        f"malformed record: {what}",
        where=f"{path}:{number}",
        remedy="restore the file from a copy, or delete this line and resume the run",
    )


def _start(record: dict[str, Any], line: int) -> Start:
    if record["schema"] != SCHEMA:
        raise ValueError(f"schema {record['schema']!r}, but this version reads {SCHEMA}")
    mpi = record["mpi"]
    return Start(
        label=str(record["label"]),
        launch=int(record["launch"]),
        ranks=int(record["ranks"]),
        library_version=str(mpi["library_version"]),
        standard=str(mpi["standard"]),
        abi=str(mpi["abi"]),
        library_path=str(mpi["library_path"]),
        simulated=bool(record["simulated"]),
        clock=str(record["clock"]),
        clock_cost_s=float(record["clock_cost_s"]),
        nodes=int(record["nodes"]),
        hosts=tuple(map(str, record["hosts"])),
        cpus=tuple(map(str, record["cpus"])),
        compiler=str(record["compiler"]),
        flags=str(record["flags"]),
        started=str(record["started"]),
        line=line,
    )


def _samples(record: dict[str, Any], line: int) -> Samples:
    status = record["status"]
    if status not in STATUSES:
        raise ValueError(f"status {status!r} is none of {', '.join(STATUSES)}")
    late_s = np.array(record.get("late_s", ()), dtype=np.float64)
    # Copies that nobody can write to: a Dataset never changes.
    elapsed_s = np.array(record["elapsed_s"], dtype=np.float64)
    elapsed_s = elapsed_s if elapsed_s.size else np.empty((0, 0))
    preempted = np.array(record["preempted"], dtype=np.bool_)
    if elapsed_s.ndim != 2 or elapsed_s.shape[1] != preempted.size:
        raise ValueError("elapsed_s needs one row per timed rank, as long as preempted")
    if not bool(np.all(np.isfinite(elapsed_s) & (elapsed_s > 0))):
        raise ValueError("elapsed_s has a time that is not positive and finite")
    if late_s.size not in (0, preempted.size):
        raise ValueError("late_s needs to be empty or as long as preempted")
    repeats = int(record["repeats"])
    if int(record.get("block_batches", 0)) < 0:
        raise ValueError("block_batches is negative")
    if elapsed_s.size and repeats < 1:
        raise ValueError(f"repeats {repeats} with batches measured")
    timed_ranks = tuple(map(int, record.get("timed_ranks", ())))
    pairs = tuple((int(first), int(second)) for first, second in record.get("pairs", ()))
    if timed_ranks and len(timed_ranks) != len(elapsed_s):
        raise ValueError("timed_ranks needs one rank per row of elapsed_s")
    if not all(set(pair) & set(timed_ranks) for pair in pairs):
        raise ValueError("pairs has one without a timed rank")
    elapsed_s.flags.writeable = preempted.flags.writeable = late_s.flags.writeable = False
    return Samples(
        label=str(record["label"]),
        launch=int(record["launch"]),
        case=str(record["case"]),
        status=cast(Status, status),
        reason=str(record["reason"]),
        repeats=repeats,
        moved_bytes=int(record["moved_bytes"]),
        elapsed_s=elapsed_s,
        preempted=preempted,
        line_s=tuple(map(float, record["line_s"])),
        operations=int(record.get("operations", 0)),
        late_s=late_s,
        late_allowed_s=float(record.get("late_allowed_s", 0.0)),
        clock_offset_s=float(record.get("clock_offset_s", 0.0)),
        clock_residual_s=float(record.get("clock_residual_s", 0.0)),
        clock_error_s=float(record.get("clock_error_s", 0.0)),
        timed_ranks=timed_ranks,
        pairs=pairs,
        wire=_wire(record.get("path")),
        facts=tuple(
            Fact(str(fact["name"]), str(fact["unit"]), float(fact["value"]))
            for fact in record.get("facts", ())
        ),
        block_batches=int(record.get("block_batches", 0)),
        line=line,
    )


def _wire(path: dict[str, Any] | None) -> Wire | None:
    if path is None or int(path["nodes"]) < 2:
        return None
    return Wire(int(path["payload_bytes"]), int(path["wire_bytes"]))


def _completion(record: dict[str, Any], line: int) -> Completion:
    return Completion(
        label=str(record["label"]),
        launch=int(record["launch"]),
        cases=int(record["cases"]),
        samples=int(record["samples"]),
        checksum=str(record["checksum"]),
        line=line,
    )


def _failure(record: dict[str, Any], line: int) -> Failure:
    return Failure(str(record["label"]), int(record["launch"]), str(record["reason"]), line)


_READERS: dict[str, Callable[[dict[str, Any], int], Record]] = {
    "start": _start,
    "samples": _samples,
    "complete": _completion,
    "failure": _failure,
}


def _record(path: Path, record: dict[str, Any], number: int) -> Record:
    kind = str(record.get("type"))
    if kind not in _READERS:
        raise malformed(path, number, f"unknown record type {kind!r}")
    try:
        return _READERS[kind](record, number)
    except KeyError as error:
        raise malformed(path, number, f"{kind} record without {error}") from None
    except (TypeError, ValueError, AttributeError) as error:
        raise malformed(path, number, f"{kind} record: {error}") from None
