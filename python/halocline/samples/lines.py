"""The lines of a samples file, as a driver or the front end writes them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from halocline.base.reading import Count, Elapsed, Number, Seconds, is_json, problem

Status = Literal["measured", "verified", "skipped", "failed"]  # verified: payload only, untimed
OTHER_SIDE = "another side cannot measure it"  # why the driver skips what the other sides cannot do
_Ranks = Annotated[int, Meta(ge=1, le=2**31)]
_Flag = Annotated[int, Meta(ge=0, le=1)]
_Launch = Annotated[int, Meta(ge=0, le=2**31)]


class Mpi(Struct):
    """The library's version string."""

    library_version: str
    standard: str
    abi: str
    library_path: str


class Line(Struct, tag_field="type"):
    """Fields of every line."""

    label: str
    launch: _Launch


class StartLine(Line, tag="start"):
    """The start of a launch."""

    schema: int
    ranks: _Ranks
    mpi: Mpi
    simulated: bool
    clock: str
    clock_cost_s: Seconds
    nodes: _Ranks
    hosts: list[str]
    cpus: list[str]
    compiler: str
    flags: str
    started: str
    machine: str = ""

    def __post_init__(self) -> None:
        try:
            datetime.fromisoformat(self.started).timestamp()
        except (ValueError, OverflowError):
            raise ValueError(f"started: {self.started!r} is not a time") from None


class FactLine(Struct):
    """A number in addition to the times."""

    name: str
    unit: str
    value: Number


class PhaseLine(Struct):
    """What each rank did in a part of an iteration, and how long it took in each batch."""

    name: Annotated[str, Meta(min_length=1)]
    operations: list[Count]
    memory_bytes: list[Count]
    sent_bytes: list[Count]
    elapsed_s: list[list[Seconds]]
    resident_bytes: list[Count] = []


class PathLine(Struct):
    """Traffic between nodes."""

    nodes: Count
    payload_bytes: Count = 0
    wire_bytes: Count = 0


class SamplesLine(Line, tag="samples"):
    """A case in a launch."""

    case: str
    status: Status
    reason: str
    repeats: Count
    moved_bytes: Count
    elapsed_s: list[list[Elapsed]]
    preempted: list[_Flag]
    line_s: list[Seconds]
    operations: Count = 0
    late_s: list[Number] = []
    late_allowed_s: Number = 0.0
    clock_offset_s: Number = 0.0
    clock_residual_s: Number = 0.0
    clock_error_s: Number = 0.0
    timed_ranks: list[Count] = []
    pairs: list[tuple[Count, Count]] = []
    path: PathLine | None = None
    facts: list[FactLine] = []
    block_batches: Count = 0
    phases: list[PhaseLine] = []
    picture_missing: str = ""


class CompletionLine(Line, tag="complete"):
    """A completed launch."""

    cases: Count
    samples: Count
    checksum: str


class FailureLine(Line, tag="failure"):
    """A failed launch."""

    reason: str


AnyLine = StartLine | SamplesLine | CompletionLine | FailureLine

_DECODER: msgspec.json.Decoder[AnyLine] = msgspec.json.Decoder(AnyLine)


def parsed(line: bytes) -> AnyLine | None:
    """The line's record; None if incomplete. ValueError for an invalid record."""
    try:
        return _DECODER.decode(line)
    except (ValueError, RecursionError) as error:
        if line.startswith(b"{") and not is_json(line):
            return None
        raise ValueError(problem(error)) from None
