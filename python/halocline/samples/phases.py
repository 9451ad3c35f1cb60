"""The parts of a step: what every rank did in each, and how long that took."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from halocline.samples.lines import PhaseLine

_LEAST_S = 1e-12  # no clock resolves less


@dataclass(frozen=True, eq=False)
class Phase:
    """A part of a step: elapsed_s has a row for every rank, timed or not, and a column per batch.

    The other arrays have one number per rank, for one step. Of resident_bytes, all that a rank
    passes over again and again while in the phase, 0 means that the memory_bytes come from memory.
    """

    name: str
    operations: NDArray[np.int64]
    memory_bytes: NDArray[np.int64]
    sent_bytes: NDArray[np.int64]
    elapsed_s: NDArray[np.float64]
    resident_bytes: NDArray[np.int64]

    def of_ranks(self, chosen: NDArray[np.bool_]) -> Phase:
        """The same of some of its ranks."""
        columns = ("operations", "memory_bytes", "sent_bytes", "elapsed_s", "resident_bytes")
        return replace(self, **{name: getattr(self, name)[chosen] for name in columns})

    @cached_property
    def mean_s(self) -> NDArray[np.float64]:
        """The mean over the ranks in each batch: such means add up to the step, maxima do not."""
        return np.asarray(self.elapsed_s.mean(axis=0))

    @cached_property
    def slowest_s(self) -> NDArray[np.float64]:
        """The slowest rank in each batch."""
        return np.asarray(self.elapsed_s.max(axis=0))


def of_lines(lines: Sequence[PhaseLine], batches: int) -> tuple[Phase, ...]:
    """The phases of a samples record; ValueError if their lists do not fit each other."""
    if len({line.name for line in lines}) < len(lines):
        raise ValueError("phases: a name is listed twice")
    ranks = len(lines[0].elapsed_s) if lines else 0
    return tuple(_phase(line, ranks, batches) for line in lines)


def _phase(line: PhaseLine, ranks: int, batches: int) -> Phase:
    resident_bytes = line.resident_bytes or [0] * ranks  # older runs have none
    work = (line.operations, line.memory_bytes, line.sent_bytes, resident_bytes)
    if not ranks or any(len(numbers) != ranks for numbers in (*work, line.elapsed_s)):
        raise ValueError(f"phase {line.name!r} needs one entry per rank in each of its lists")
    if any(len(row) != batches for row in line.elapsed_s):
        raise ValueError(f"phase {line.name!r} needs rows of elapsed_s as long as preempted")
    elapsed_s = np.array(line.elapsed_s, dtype=np.float64).reshape(ranks, batches)
    elapsed_s[elapsed_s < _LEAST_S] = 0.0
    elapsed_s.flags.writeable = False
    operations, memory_bytes, sent_bytes, resident = map(_counts, work)
    return Phase(line.name, operations, memory_bytes, sent_bytes, elapsed_s, resident)


def _counts(numbers: Sequence[int]) -> NDArray[np.int64]:
    counts = np.array(numbers, dtype=np.int64)
    counts.flags.writeable = False
    return counts
