"""All detectors on a run: which cases form a curve, and what the curve shows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from halocline.detect.changes import POINTS_MINIMUM, Change, find_changes
from halocline.detect.curves import LAUNCHES_MINIMUM, Curve, NotFound, blocks, curve, usable
from halocline.detect.eager import EagerLimit, Sized, eager_limit
from halocline.detect.half_bandwidth import HalfBandwidth, half_bandwidth
from halocline.detect.packets import POINTS_MINIMUM as PACKET_POINTS_MINIMUM
from halocline.detect.packets import Packets, find_packets
from halocline.detect.saturation import Saturation, saturation
from halocline.specification.cases import AxisValue
from halocline.specification.configuration import Configuration, label, layout_of
from halocline.summary.summary import CaseSummary, Summary

PROBE, SEND, SSEND = "eager_probe", "send_recv", "ssend_recv"
PINGPONG = "pingpong"
PAIRS = ("pairs", "contention")
_EVEN = 0.01  # sizes whose spacing differs by less are evenly spaced
_EVEN_MINIMUM = 18


@dataclass(frozen=True)
class Place:
    """The properties common to all cases of a curve."""

    mpi: str
    configuration: Configuration
    ranks: int  # 0 for curves along ranks
    workload: str
    fixed: tuple[tuple[str, AxisValue], ...]  # all axes except the varying one

    @property
    def off_node(self) -> bool:
        """Whether its ranks are on several nodes."""
        return layout_of(self.configuration, self.ranks).nodes > 1

    @property
    def label(self) -> str:
        """The label of its launches."""
        return label(self.mpi, self.configuration)


def eager_limits(summary: Summary) -> dict[Place, EagerLimit]:
    """The eager limit by library and setting, where cases allow."""
    sized_at: dict[Place, dict[str, Sized]] = defaultdict(lambda: defaultdict(list))
    for case in summary.cases:
        axes = dict(case.case.axes)
        kind = PROBE if case.case.workload == PROBE else str(axes.get("protocol"))
        if case.case.workload in (PROBE, PINGPONG) and kind in (PROBE, SEND, SSEND):
            place = Place(case.case.mpi, case.case.configuration, case.case.ranks, PINGPONG, ())
            sized_at[place][kind].append((int(axes["bytes"]), case))
    return {
        place: eager_limit(by_kind[SEND], by_kind[SSEND], by_kind[PROBE])
        for place, by_kind in sized_at.items()
        if any(case.figures_s for sized in by_kind.values() for _, case in sized)
    }


def half_bandwidths(summary: Summary) -> dict[Place, HalfBandwidth | NotFound]:
    """n½ of ping-pong for each protocol, or why it is not known."""
    curves = _over_links(summary, "bytes", (PINGPONG,))
    return {place: half_bandwidth(curve(cases)) for place, cases in curves.items()}


def packet_steps(summary: Summary) -> dict[Place, Packets | NotFound | None]:
    """Packets of ping-pong for each protocol with evenly spaced sizes over a long enough range;
    None if it has no such steps.
    """
    curves = _over_links(summary, "bytes", (PINGPONG,))
    even = {place: _even(curve(cases)) for place, cases in curves.items()}
    return {
        place: _too_few(len(usable(spaced).at), PACKET_POINTS_MINIMUM) or find_packets(spaced)
        for place, spaced in even.items()
        if spaced is not None
    }


def algorithm_changes(
    summary: Summary, axis: str = "bytes"
) -> dict[Place, tuple[Change, ...] | NotFound]:
    """Algorithm changes of collectives along sizes or ranks; empty for a curve without."""
    curves = along(summary, axis, lambda case: case.case.is_collective)
    several = {place: curve(cases) for place, cases in curves.items() if len(cases) > 1}
    return {
        place: _too_few(max((len(b.at) for b in blocks(usable(kept))), default=0), POINTS_MINIMUM)
        or find_changes(kept)
        for place, kept in several.items()
    }


def _too_few(points: int, needed: int) -> NotFound | None:
    if points >= needed:
        return None
    return NotFound(
        f"{points} points of the curve have {LAUNCHES_MINIMUM} launches or more, needed: {needed}"
    )


def saturations(summary: Summary) -> dict[Place, Saturation | NotFound]:
    """Saturation by simultaneous pairs: the slowest pair's bandwidth times their number."""
    curves = _over_links(summary, "pairs", PAIRS)
    return {place: saturation(_aggregate(cases)) for place, cases in curves.items()}


def _over_links(summary: Summary, axis: str, workloads: Sequence[str]) -> dict[Place, Sized]:
    """Curves bounded by a link. Made hosts have none: their rate limit lets bursts pass."""
    curves = along(summary, axis, lambda case: case.case.workload in workloads)
    if summary.made_rate is None:
        return curves
    return {place: cases for place, cases in curves.items() if not place.off_node}


def along(summary: Summary, axis: str, wanted: Callable[[CaseSummary], bool]) -> dict[Place, Sized]:
    """The measured cases that differ in one axis only (or in `ranks`), in order of size."""
    by_place: dict[Place, Sized] = defaultdict(list)
    for case in summary.cases:
        axes = dict(case.case.axes)
        if not case.figures_s or not wanted(case) or not (axis in axes or axis == "ranks"):
            continue
        ranks = 0 if axis == "ranks" else case.case.ranks
        at = case.case.ranks if axis == "ranks" else int(axes.pop(axis))
        fixed = tuple(sorted(axes.items()))
        place = Place(case.case.mpi, case.case.configuration, ranks, case.case.workload, fixed)
        by_place[place].append((_pairs(case) if axis == "pairs" else at, case))
    return {place: sorted(cases, key=lambda pair: pair[0]) for place, cases in by_place.items()}


def _pairs(case: CaseSummary) -> int:
    """The number of pairs; 0 on the axis means all ranks."""
    return len(case.pairs) or int(case.case.axis("pairs")) or case.case.ranks // 2


def _aggregate(cases: Sized) -> Curve:
    by_at = dict(cases)  # pairs=0 may be as many as another case has
    times = curve(by_at.items())
    rates = [by_at[at].metric("bandwidth") for at in times.at]
    if any(rate is None for rate in rates):
        return Curve((), np.empty((0, 0)))
    moved = [
        at * rate.median * time.median
        for at, rate in zip(times.at, rates, strict=True)
        if rate is not None and (time := by_at[at].metric("time")) is not None
    ]
    return Curve(times.at, np.array(moved) / times.figures)


def _even(whole: Curve) -> Curve | None:
    """The longest stretch of evenly spaced sizes, if it is long enough."""
    spacings = np.diff(np.array(whole.at, dtype=np.float64))
    best: tuple[int, int] = (0, 0)
    first = 0
    for last in range(1, len(spacings) + 1):
        if last == len(spacings) or abs(spacings[last] / spacings[first] - 1) > _EVEN:
            best = max(best, (first, last), key=lambda stretch: stretch[1] - stretch[0])
            first = last
    columns = range(best[0], best[1] + 1)
    return whole.kept(columns) if len(columns) >= _EVEN_MINIMUM else None
