"""The upper bounds of this machine, from the kernels of the same run: memory and arithmetic."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from halocline.base.quantities import size_label
from halocline.base.units import counted, size_text
from halocline.specification.cases import Case
from halocline.specification.configuration import Configuration
from halocline.summary.metrics import Metric

COPY, TRIAD, DGEMM = "memory_copy", "stream_triad", "dgemm"
MULTIPLY_ADD = "multiply_add"
_ARRAYS = 3  # that a triad passes over
_BEYOND_CACHE = 2  # times the largest cache; smaller arrays would measure the cache
_NEAR = 1.5  # a triad bounds what passes over as much, up to this factor
_MIB = 1024**2
_USUAL_BYTES = 64 * _MIB
_SMALLEST_BYTES = 8  # of an array

Measured = Sequence[tuple[Case, Sequence[Metric]]]
_Place = tuple[str, str, int, Configuration]


@dataclass(frozen=True)
class Work:
    """An amount in one step: over all ranks, and of the rank that has most."""

    total: int
    largest: int


FROM_MEMORY = Work(0, 0)


@dataclass(frozen=True)
class Bound:
    """What one rank reaches when all of them compute: a rate, and the case that measured it."""

    name: str
    rate: Metric


class Bounds:
    """The bounds that the kernels of a run measured, by ranks and settings."""

    def __init__(self, measured: Measured, environment: Mapping[str, Any]) -> None:
        self._kernels: dict[_Place, list[tuple[Case, Sequence[Metric]]]] = {}
        for case, metrics in measured:
            if case.workload in (TRIAD, DGEMM) and case.axis("active") == "all":
                self._kernels.setdefault(_place(case, case.workload), []).append((case, metrics))
        self._cache_bytes = largest_cache_bytes(environment) or 0

    def memory(self, case: Case, resident_bytes: Work = FROM_MEMORY) -> Bound | None:
        """The triad that passes over about as much as a rank does; beyond the caches, the largest.

        `resident_bytes`: what ranks pass over again and again; 0 if all comes from memory.
        """
        triads = [
            (int(kernel.axis("bytes")), metric.median, _name(kernel), metric)
            for kernel, metric in self._measured(case, TRIAD, "bandwidth")
        ]
        if self._stay_in_cache(resident_bytes):
            wanted = resident_bytes.largest / _ARRAYS
            off = [(abs(math.log(each[0] / wanted)), each[2], each[3]) for each in triads]
            near = [each for each in off if each[0] <= math.log(_NEAR)]
            return Bound(*min(near, key=lambda each: each[0])[1:]) if near else None
        least = self.triad_bytes(case.ranks)
        beyond = [each for each in triads if each[0] >= least]
        return Bound(*max(beyond, key=lambda each: each[:2])[2:]) if beyond else None

    def arithmetic(self, case: Case) -> Bound | None:
        """The fastest product of matrices."""
        fitting = [
            (metric.median, _name(kernel), metric)
            for kernel, metric in self._measured(case, DGEMM, "rate")
        ]
        return Bound(*max(fitting, key=lambda each: each[0])[1:]) if fitting else None

    def missing(
        self, case: Case, resident_bytes: Iterable[Work] = (FROM_MEMORY,)
    ) -> tuple[str, ...]:
        """What to measure, in the same run, for bounds that are not known."""
        ranks = counted(case.ranks, "rank")
        sizes = {
            self._wanted_bytes(case, each)
            for each in resident_bytes
            if self.memory(case, each) is None
        }
        memory = [
            f"shares of the memory bandwidth: {TRIAD} active=all bytes={size_text(size)} on {ranks}"
            for size in sorted(sizes)
        ]
        arithmetic = f"shares of the arithmetic: {DGEMM} active=all on {ranks}"
        return (*memory, *([] if self.arithmetic(case) else [arithmetic]))

    def triad_bytes(self, ranks: int) -> int:
        """The shortest arrays that exceed the caches, in whole MiB."""
        return -(-_BEYOND_CACHE * self._cache_bytes // (_ARRAYS * ranks * _MIB)) * _MIB

    def _stay_in_cache(self, resident_bytes: Work) -> bool:
        return 0 < resident_bytes.total <= self._cache_bytes

    def _wanted_bytes(self, case: Case, resident_bytes: Work) -> int:
        """A usual size of arrays for the triad that bounds what passes over such data."""
        if not self._stay_in_cache(resident_bytes):
            return max(_USUAL_BYTES, self.triad_bytes(case.ranks))
        nearest = 2 ** round(math.log2(resident_bytes.largest / _ARRAYS))
        return max(_SMALLEST_BYTES, int(nearest))

    def _measured(self, case: Case, workload: str, quantity: str) -> Iterator[tuple[Case, Metric]]:
        for kernel, metrics in self._kernels.get(_place(case, workload), ()):
            yield from ((kernel, metric) for metric in metrics if metric.name == quantity)


def _place(case: Case, workload: str) -> _Place:
    """Where kernels bound a case: they do not communicate, so any MPI library will do."""
    return workload, case.machine, case.ranks, case.configuration


def largest_cache_bytes(environment: Mapping[str, Any]) -> int | None:
    """Of one processor; None if the environment does not know."""
    caches = environment.get("processor", {}).get("caches", [])
    sizes = [int(cache["size_bytes"]) for cache in caches if cache.get("size_bytes")]
    return max(sizes, default=None)


def _name(case: Case) -> str:
    axes = dict(case.axes) | {"active": ""}
    words = [f"n={axes['n']}"] if "n" in axes else [size_label(int(axes.get("bytes", 0)))]
    return " ".join([case.workload, *words])
