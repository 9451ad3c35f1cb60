"""How much of its bound each case reaches: the kernel of the same launches that bounds it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from halocline.base.quantities import size_label
from halocline.base.units import counted, size_text
from halocline.hosts.reachable import rate_bytes_per_s, rate_words
from halocline.specification.cases import Case
from halocline.specification.configuration import layout_of
from halocline.summary.bounds import COPY, DGEMM, MULTIPLY_ADD, TRIAD, Bounds
from halocline.summary.phases import OfBound
from halocline.summary.stats import interval

# Which ranks copy at the same time when a message travels.
MESSAGES = {"pingpong": "one", "put": "one", "get": "one", "pingping": "all"}
PAIRS = "pairs"
# For messages over a link made here, whose bursts of 32 KiB exceed its rate.
LINK_SMALLEST_BYTES = 1024**2
REDISTRIBUTION = "redistribution"
_VALUE_BYTES = 8
_NEAR = 2  # arrays of other sizes up to this factor bound a redistribution's copies
_COPIED, _ADDED = 2, 3  # arrays that a copy and a triad read and write


@dataclass(frozen=True)
class Measured:
    """A measured case: its times by turn."""

    case: Case
    figures_s: Mapping[int, float]

    @property
    def near(self) -> bool:
        """Whether all ranks share a node."""
        return layout_of(self.case.configuration, self.case.ranks).nodes == 1


@dataclass(frozen=True)
class _Wanted:
    """The kernels that bound a case, and how much of a kernel's work the case has to do."""

    workload: str
    active: str
    work: float  # bytes or operations
    smallest: float
    largest: float = math.inf


class Shares:
    """The shares that the cases of a run reach of the bounds that its kernels measured."""

    def __init__(
        self, measured: Sequence[Measured], bounds: Bounds, made_rate: str | None = None
    ) -> None:
        """`made_rate`: of the link between hosts made here, as tc writes it."""
        self._bounds = bounds
        self._made_rate = made_rate or ""
        self._kernels: dict[tuple[object, ...], list[Measured]] = {}
        for kernel in measured:
            case = kernel.case
            if case.workload in (COPY, TRIAD, MULTIPLY_ADD):
                place = _place(case, case.workload, case.axis("active"))
                self._kernels.setdefault(place, []).append(kernel)

    def of(self, each: Measured) -> OfBound | None:
        """The least share over the kernels that bound it; None where none was measured."""
        if not each.near:
            return self._of_link(each)
        wanted = self._wanted(each)
        if wanted is None:
            return None
        place = _place(each.case, wanted.workload, wanted.active)
        shares = [
            share
            for kernel in self._kernels.get(place, ())
            if wanted.smallest <= _size(kernel.case) <= wanted.largest
            and (share := _share(each, kernel, wanted)) is not None
        ]
        return min(shares, key=lambda share: share.share, default=None)

    def _of_link(self, each: Measured) -> OfBound | None:
        """The share of the rate set for the link; all pairs share it, each direction by itself."""
        rate = rate_bytes_per_s(self._made_rate)
        case, times_s = each.case, list(each.figures_s.values())
        if rate is None or case.workload not in (*MESSAGES, PAIRS) or not times_s:
            return None
        if case.workload == PAIRS and "placement" in dict(case.configuration):
            return None  # some of its pairs may be on one node
        if (size := int(case.axis("bytes"))) < LINK_SMALLEST_BYTES:
            return None
        pairs = _pairs(case) if case.workload == PAIRS else 1
        ratio = interval([pairs * size / time_s / rate for time_s in times_s])
        return OfBound(
            f"the link made here, {rate_words(self._made_rate)}",
            ratio.median,
            ratio.low,
            ratio.high,
        )

    def missing(self, each: Measured) -> tuple[str, ...]:
        """What to measure, in the same run, for a share that `of` does not find."""
        if (wanted := self._wanted(each)) is None:
            return ()
        size = f" bytes={size_text(int(wanted.work))}" if wanted.workload == COPY else ""
        ranks = counted(each.case.ranks, "rank")
        return (f"shares of copies: {wanted.workload} active={wanted.active}{size} on {ranks}",)

    def _wanted(self, each: Measured) -> _Wanted | None:
        case = each.case
        if case.workload in MESSAGES and each.near and (size := int(case.axis("bytes"))):
            return _Wanted(COPY, MESSAGES[case.workload], size, size, size)
        if case.workload == PAIRS and each.near and (size := int(case.axis("bytes"))):
            # If pairs take turns, only half of the ranks copy, which no kernel does.
            together = (
                dict(case.axes).get("pattern") == "pingping" and 2 * _pairs(case) == case.ranks
            )
            return _Wanted(COPY, "all", size, size, size) if together else None
        if case.workload == REDISTRIBUTION and each.near:
            copied = _bundle_bytes(case) / case.ranks
            return _Wanted(COPY, "all", copied, copied / _NEAR, copied * _NEAR)
        least = self._bounds.triad_bytes(case.ranks)
        if case.workload == COPY and int(case.axis("bytes")) >= least:
            moved = _COPIED * int(case.axis("bytes"))
            return _Wanted(TRIAD, str(case.axis("active")), moved, least)
        if case.workload == DGEMM:
            return _Wanted(MULTIPLY_ADD, str(case.axis("active")), _operations(case), 0)
        return None


def _place(case: Case, workload: str, active: object) -> tuple[object, ...]:
    """The kernels that run in the same launches as the case."""
    return case.mpi, case.machine, case.ranks, case.configuration, workload, active


def _size(kernel: Case) -> int:
    return 0 if kernel.workload == MULTIPLY_ADD else int(kernel.axis("bytes"))


def unknown_text(line: str) -> str:
    """A line of `CaseSummary.unbounded` as a sentence, without its full stop."""
    shares, _, kernel = line.partition(": ")
    return f"Unknown {shares}; measure {kernel} in the same run"


def _share(each: Measured, kernel: Measured, wanted: _Wanted) -> OfBound | None:
    """The kernel's time for the case's work over the case's, launch by launch."""
    if kernel.case.workload == MULTIPLY_ADD:
        work = float(kernel.case.axis("operations"))
    else:
        arrays = _ADDED if kernel.case.workload == TRIAD else 1
        work = arrays * int(kernel.case.axis("bytes"))
    scale = wanted.work / work
    common = kernel.figures_s.keys() & each.figures_s.keys()
    if not common:
        return None
    ratio = interval([scale * kernel.figures_s[turn] / each.figures_s[turn] for turn in common])
    return OfBound(_name(kernel.case), ratio.median, ratio.low, ratio.high)


def _bundle_bytes(case: Case) -> int:
    points = math.prod(int(extent) for extent in str(case.axis("grid")).split("x"))
    return points * int(case.axis("fields")) * _VALUE_BYTES


def _pairs(case: Case) -> int:
    return int(case.axis("pairs")) or case.ranks // 2


def _operations(case: Case) -> float:
    return 2.0 * int(case.axis("n")) ** 3


def _name(case: Case) -> str:
    axes = dict(case.axes)
    size = f" {size_label(int(axes['bytes']))}" if "bytes" in axes else ""
    stores = ", streaming stores" if axes.get("stores") == "streaming" else ""
    return f"{case.workload}{size}, active={axes['active']}{stores}"
