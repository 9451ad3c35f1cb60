"""The lines of a samples file, as a driver or the front end writes them."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from halocline.reading import Count, Elapsed, Number, Seconds, is_json, problem

Status = Literal["measured", "verified", "skipped", "failed"]  # verified: payload only, untimed
_Ranks = Annotated[int, Meta(ge=1, le=2**31)]
_Flag = Annotated[int, Meta(ge=0, le=1)]
_Launch = Annotated[int, Meta(ge=0, le=2**31)]


class Mpi(Struct):
    """The library, as it calls itself."""

    library_version: str
    standard: str
    abi: str
    library_path: str


class Line(Struct, tag_field="type"):
    """What every line has."""

    label: str
    launch: _Launch


class StartLine(Line, tag="start"):
    """How a launch began."""

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


class FactLine(Struct):
    """A number beside the times."""

    name: str
    unit: str
    value: Number


class PathLine(Struct):
    """What went from node to node."""

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


class CompletionLine(Line, tag="complete"):
    """A launch that ended as it should."""

    cases: Count
    samples: Count
    checksum: str


class FailureLine(Line, tag="failure"):
    """A launch that did not."""

    reason: str


AnyLine = StartLine | SamplesLine | CompletionLine | FailureLine

_DECODER: msgspec.json.Decoder[AnyLine] = msgspec.json.Decoder(AnyLine)


def parsed(line: bytes) -> AnyLine | None:
    """The line's record; None if its writer did not end it. ValueError for what is no record."""
    try:
        return _DECODER.decode(line)
    except (ValueError, RecursionError) as error:
        if line.startswith(b"{") and not is_json(line):
            return None
        raise ValueError(problem(error)) from None
