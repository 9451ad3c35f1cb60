"""What a rank sends in one iteration of a workload: counts, sizes and copies."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from halocline.model.messages import Place, place_of
from halocline.specification.configuration import Configuration
from halocline.summary.summary import CaseSummary, Summary

COLLECTIVES = ("alltoall", "alltoallv")
WORKLOADS = ("halo", *COLLECTIVES, "redistribution")
# Collectives are internal to the library; these point-to-point messages are closest.
OF_COLLECTIVES = "isend_irecv"
_WORD_BYTES = 4
_LEFT_OUT = "copies are left out: "
_WHERE = ("layout", "placement")

Copier = tuple[str, Configuration]  # a library and the settings with which its ranks copy


class Untold(Exception):
    """Raised, with the reason, for a case whose messages are unknown to the models."""


@dataclass(frozen=True)
class Demand:
    """Phases one after the other, each the sizes (B) of what a rank sends in it; and copies."""

    phases: tuple[tuple[int, ...], ...]
    protocol: str
    copies_s: float = 0.0
    left_out: str = ""


@dataclass(frozen=True)
class Copies:
    """Copy times measured by the run."""

    halo_s: Mapping[tuple[Copier, int, int], float] = field(default_factory=dict)  # on one rank
    memory_s: Mapping[tuple[Copier, int], Mapping[int, float]] = field(  # by ranks, then size
        default_factory=dict
    )

    def of_memory(self, case: CaseSummary, size: int) -> float | None:
        """Copy time of this many contiguous bytes on all ranks at once; None if not measured."""
        known = self.memory_s.get((_copier(case), case.case.ranks), {})
        if len(known) < 2 or size <= 0:
            return None if size > 0 else 0.0
        sizes = sorted(known)
        if size > sizes[-1]:
            return known[sizes[-1]] * size / sizes[-1]
        at = np.interp(
            math.log(size), np.log(sizes), [math.log(known[known_size]) for known_size in sizes]
        )
        return math.exp(float(at))


def copies(summary: Summary) -> Copies:
    """The run's cases that only copy: halo on one rank, memory_copy of all ranks."""
    halo_s, memory_s = {}, dict[tuple[Copier, int], dict[int, float]]()
    for case in summary.cases:
        time, copier, axes = case.metric("time"), _copier(case), dict(case.case.axes)
        if time is None:
            continue
        if case.case.workload == "halo" and case.case.ranks == 1:
            halo_s[copier, int(axes["words"]), int(axes["width"])] = time.median
        plain = {**axes, "bytes": 0} == {"active": "all", "stores": "plain", "bytes": 0}
        if case.case.workload == "memory_copy" and plain:
            sizes = memory_s.setdefault((copier, case.case.ranks), {})
            sizes[int(axes["bytes"])] = time.median
    return Copies(halo_s, memory_s)


def _copier(case: CaseSummary) -> Copier:
    """Where its ranks are does not count: copies are within a rank."""
    settings = case.case.configuration
    return case.case.mpi, tuple(each for each in settings if each[0] not in _WHERE)


def demand(case: CaseSummary, copied: Copies, off_node: bool = True) -> Demand:
    """The messages of a case; Untold if unknown."""
    if case.case.workload == "halo":
        return _halo(case, copied)
    if case.case.workload == "redistribution":
        return _redistribution(case, copied, off_node)
    return _collective(case, copied)


def predictable(summary: Summary) -> list[tuple[Place | None, CaseSummary]]:
    """The measured cases that models can predict, with the place of their messages."""
    return [
        (place_of(case, summary), case)
        for case in summary.cases
        if case.case.workload in WORKLOADS and case.case.ranks > 1 and case.metric("time")
    ]


def _halo(case: CaseSummary, copied: Copies) -> Demand:
    """Columns along x, then rows with corners along y, to two neighbours each."""
    axes, ranks = dict(case.case.axes), case.case.ranks
    words, width = int(axes["words"]), int(axes["width"])
    along_x, along_y = _grid(ranks, int(axes["grid_y"]))
    columns = (words * width * _WORD_BYTES,) * 2 if along_x > 1 else ()
    rows = ((words + 2 * width) * width * _WORD_BYTES,) * 2 if along_y > 1 else ()
    phases = tuple(filter(None, (columns, rows)))
    protocol = str(axes["protocol"])
    alone = copied.halo_s.get((_copier(case), words, width))
    least = copied.halo_s.get((_copier(case), width, width))
    if alone is None or least is None:
        why = f"{_LEFT_OUT}halo on one rank was not measured at these words and at words={width}"
        return Demand(phases, protocol, left_out=why)
    # On one rank a column is copied once; to another rank it is packed and unpacked.
    packed = max(alone - least, 0.0) if columns else 0.0
    return Demand(phases, protocol, alone + packed)


def _grid(ranks: int, along_y: int) -> tuple[int, int]:
    """The grid of ranks; the most square one if 0 along y."""
    if along_y == 0:
        along_y = max(n for n in range(1, math.isqrt(ranks) + 1) if ranks % n == 0)
    return ranks // along_y, along_y


def _collective(case: CaseSummary, copied: Copies) -> Demand:
    """One message to every other rank, and a copy of the rank's own block."""
    axes, ranks = dict(case.case.axes), case.case.ranks
    if (axes["timing"], axes["structure"]) != ("synchronised", "flat"):
        raise Untold("only timing=synchronised structure=flat is a single exchange")
    size = int(axes["bytes"])
    if case.case.workload == "alltoall":
        sizes, own = (size,) * (ranks - 1), size
    else:
        part, rest = divmod(2 * size, ranks + 1)
        # Message by message as in alltoallv.cpp, for the rank that sends most to others.
        lengths = [
            (place + 1) * part + rest // 2 + rest % 2 * (place >= ranks // 2)
            for place in range(ranks)
        ]
        every = [[lengths[(a + b) % ranks] for b in range(ranks)] for a in range(ranks)]
        rank = min(range(ranks), key=lambda each: every[each][each])
        own = every[rank][rank]
        sizes = tuple(n for to, n in enumerate(every[rank]) if to != rank)
    copy_s = copied.of_memory(case, own)
    if copy_s is None:
        return Demand((sizes,), OF_COLLECTIVES, left_out=_no_copy(ranks))
    return Demand((sizes,), OF_COLLECTIVES, copy_s)


def _no_copy(ranks: int) -> str:
    return f"{_LEFT_OUT}no memory_copy active=all on {ranks} ranks with these settings"


def _redistribution(case: CaseSummary, copied: Copies, off_node: bool) -> Demand:
    """Two ranks swap a part of their blocks: packed, sent, unpacked; the rest is copied."""
    axes = dict(case.case.axes)
    time, rate = case.metric("time"), case.metric("bandwidth")
    if case.case.ranks != 2:
        raise Untold("who sends what to whom is known for two ranks only")
    if (axes["packing"], axes["bundle"]) != ("rank", "whole"):
        raise Untold("only packing=rank bundle=whole is one message to each rank")
    if axes.get("near") == "shared" and not off_node:
        raise Untold("near=shared copies within a node, without messages")
    if time is None or rate is None:
        raise Untold("nothing moves between ranks")
    sent = round(time.median * rate.median / 2)
    points = math.prod(int(extent) for extent in str(axes["grid"]).split("x"))
    block = points * 8 * int(axes["fields"]) // 2
    protocol = str(axes["protocol"])
    copy_s = copied.of_memory(case, block)
    if copy_s is None:
        return Demand(((sent,),), protocol, left_out=_no_copy(case.case.ranks))
    return Demand(((sent,),), protocol, copy_s * (2 * sent + (block - sent)) / block)
