"""The upper bounds of this machine, from the kernels of the same run: memory and arithmetic."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from halocline.base.quantities import size_label
from halocline.base.units import counted, size_text
from halocline.specification.cases import Case
from halocline.summary.metrics import Metric

COPY, TRIAD, DGEMM = "memory_copy", "stream_triad", "dgemm"
MULTIPLY_ADD = "multiply_add"
_ARRAYS = 3  # that a triad passes over
_BEYOND_CACHE = 2  # times the largest cache; smaller arrays would measure the cache
_NEAR = 1.5  # a triad bounds what passes over as much, up to this factor
MIB = 1024**2
_USUAL_BYTES = 64 * MIB

Measured = Sequence[tuple[Case, Sequence[Metric]]]


@dataclass(frozen=True)
class Bound:
    """What one rank reaches when all of them compute: a rate, and the case that measured it."""

    name: str
    rate: Metric


class Bounds:
    """The bounds that the kernels of a run measured, by ranks and settings."""

    def __init__(self, measured: Measured, environment: Mapping[str, Any]) -> None:
        self._measured = measured
        caches = environment.get("processor", {}).get("caches", [])
        sizes = [int(cache["size_bytes"]) for cache in caches if cache.get("size_bytes")]
        self._cache_bytes = max(sizes, default=0)

    def memory(self, case: Case, resident_bytes: int = 0) -> Bound | None:
        """The triad that passes over as much as a rank does; of all beyond the caches, the largest.

        `resident_bytes`: what a rank passes over again and again; 0 if all comes from memory.
        """
        least, most = self._triad_bytes(case, resident_bytes)
        fitting = [
            (int(kernel.axis("bytes")), metric.median, _name(kernel), metric)
            for kernel, metric in self._kernels(case, TRIAD, "bandwidth")
            if least <= int(kernel.axis("bytes")) <= most
        ]
        return Bound(*max(fitting, key=lambda each: each[:2])[2:]) if fitting else None

    def arithmetic(self, case: Case) -> Bound | None:
        """The fastest product of matrices."""
        fitting = [
            (metric.median, _name(kernel), metric)
            for kernel, metric in self._kernels(case, DGEMM, "rate")
        ]
        return Bound(*max(fitting, key=lambda each: each[0])[1:]) if fitting else None

    def missing(self, case: Case, resident_bytes: Iterable[int] = (0,)) -> tuple[str, ...]:
        """What to measure, in the same run, for bounds that are not known."""
        ranks = counted(case.ranks, "rank")
        sizes = sorted(
            {
                self._wanted_bytes(case, resident)
                for resident in resident_bytes
                if self.memory(case, resident) is None
            }
        )
        memory = [
            f"shares of the memory bandwidth: {TRIAD} active=all bytes={size_text(size)} on {ranks}"
            for size in sizes
        ]
        arithmetic = f"shares of the arithmetic: {DGEMM} active=all on {ranks}"
        return (*memory, *([] if self.arithmetic(case) else [arithmetic]))

    def triad_bytes(self, ranks: int) -> int:
        """The shortest arrays that exceed the caches, in whole MiB."""
        return -(-_BEYOND_CACHE * self._cache_bytes // (_ARRAYS * ranks * MIB)) * MIB

    def _triad_bytes(self, case: Case, resident_bytes: int) -> tuple[float, float]:
        """The shortest and the longest arrays whose triad bounds what passes over such data."""
        if not 0 < resident_bytes * case.ranks <= self._cache_bytes:
            return self.triad_bytes(case.ranks), math.inf
        return resident_bytes / _ARRAYS / _NEAR, resident_bytes / _ARRAYS * _NEAR

    def _wanted_bytes(self, case: Case, resident_bytes: int) -> int:
        """A usual size of arrays for that triad."""
        least, most = self._triad_bytes(case, resident_bytes)
        if most == math.inf:
            return max(_USUAL_BYTES, int(least))
        return int(2 ** math.floor(math.log2(most)))

    def _kernels(self, case: Case, workload: str, quantity: str) -> Iterator[tuple[Case, Metric]]:
        """Kernels of all ranks at once; they do not communicate, so any MPI library will do."""
        place = (case.machine, case.ranks, case.configuration)
        for kernel, metrics in self._measured:
            alike = (kernel.machine, kernel.ranks, kernel.configuration) == place
            if kernel.workload == workload and alike and kernel.axis("active") == "all":
                yield from ((kernel, metric) for metric in metrics if metric.name == quantity)


def _name(case: Case) -> str:
    axes = dict(case.axes) | {"active": ""}
    words = [f"n={axes['n']}"] if "n" in axes else [size_label(int(axes.get("bytes", 0)))]
    return " ".join([case.workload, *words])
