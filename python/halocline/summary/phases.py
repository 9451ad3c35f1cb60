"""The phases of a case: how long each takes, its share, its imbalance, and what it reaches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.samples.agreement import Key
from halocline.samples.phases import Phase
from halocline.samples.records import Samples, launch_key
from halocline.specification.cases import Case
from halocline.summary.bounds import FROM_MEMORY, Bound, Bounds, Work
from halocline.summary.metrics import Metric
from halocline.summary.stats import Interval, interval


@dataclass(frozen=True)
class OfBound:
    """The share of this machine's upper bound, and the case that measured the bound."""

    bound: str
    share: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class PhaseSummary:
    """A phase of a case. Times are of one step; `rate` and `bandwidth` of one rank, on average."""

    name: str
    time: Metric  # the mean over the ranks
    slowest: Metric  # the slowest rank
    share: Metric  # of the step
    imbalance: Metric  # slowest over mean
    rate: Metric | None  # flop/s while in the phase
    bandwidth: Metric | None  # of memory, B/s
    rank_s: tuple[float, ...]  # each rank's median
    operations: Work
    memory_bytes: Work
    sent_bytes: Work
    of_arithmetic: OfBound | None = None
    of_memory: OfBound | None = None
    # What ranks pass over again and again; 0: it comes from memory.
    resident_bytes: Work = FROM_MEMORY
    figures_s: Mapping[int, float] = field(default_factory=dict)  # the mean over the ranks, by turn

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """All that have an interval."""
        every = (self.time, self.slowest, self.share, self.imbalance, self.rate, self.bandwidth)
        return tuple(metric for metric in every if metric)


@dataclass(frozen=True)
class UsualBatch:
    """A typical batch: what every rank did in a step of it."""

    launch: int
    number: int  # from 1
    step_s: float
    rank_s: Mapping[str, tuple[float, ...]]  # by phase


def usual_batch(launches: Sequence[Samples]) -> UsualBatch | None:
    """Of the first launch with clean batches, the one whose step is nearest their median."""
    for launch in launches:
        if (median_s := launch.clean_median_s) is not None:
            off_s = np.where(launch.disturbed, np.inf, abs(launch.traversal_s - median_s))
            batch = int(np.argmin(off_s))
            rank_s = {
                phase.name: tuple((phase.elapsed_s[:, batch] / launch.repeats).tolist())
                for phase in launch.phases
            }
            step_s = float(launch.traversal_s[batch])
            return UsualBatch(launch.launch, batch + 1, step_s, rank_s)
    return None


def of_case(
    case: Case, launches: Sequence[Samples], bounds: Bounds, turns: Mapping[Key, int]
) -> tuple[PhaseSummary, ...]:
    """The phases of a case from the records that give figures, one or more."""
    arithmetic = bounds.arithmetic(case)

    def phase(name: str) -> PhaseSummary:
        of_phase = _found(name, launches)
        figures_s = {
            turns[launch_key(launch)]: float(np.median(mean_s(launch, part)))
            for launch, part in of_phase
        }
        memory = bounds.memory(case, _work(of_phase[-1][1].resident_bytes))
        return replace(_phase(name, of_phase, memory, arithmetic), figures_s=figures_s)

    return tuple(phase(part.name) for part in launches[0].phases)


def mean_s(launch: Samples, phase: Phase) -> NDArray[np.float64]:
    """The mean time of the ranks in the phase of one step, of each clean batch."""
    return _clean(launch, phase.mean_s)


def of_launch(launch: Samples, name: str) -> Phase | None:
    """The phase of that name, of the ranks that work, if the launch has it."""
    phase = next((phase for phase in launch.phases if phase.name == name), None)
    return phase and phase.of_ranks(_work_at_all([launch]))


def to_json(phases: Sequence[PhaseSummary]) -> list[dict[str, Any]]:
    """The phases as the summary's JSON has them."""
    return [
        {name: value for name, value in asdict(phase).items() if name != "figures_s"}
        for phase in phases
    ]


_Launches = Sequence[tuple[Samples, Phase]]


def _found(name: str, launches: Sequence[Samples]) -> _Launches:
    """The phase in each launch that has it, of the ranks that work in any."""
    having = [
        (launch, phase) for launch in launches for phase in launch.phases if phase.name == name
    ]
    works = _work_at_all([launch for launch, _ in having])
    return [(launch, phase.of_ranks(works)) for launch, phase in having]


def _work_at_all(launches: Sequence[Samples]) -> NDArray[np.bool_]:
    """Mask of the ranks that are timed or ever in a phase: the rest sleep, as with active=one."""
    ranks = len(launches[0].phases[0].elapsed_s)
    works = np.zeros(ranks, bool)
    for launch in launches:
        works |= np.isin(np.arange(ranks), launch.timed_ranks)
        for phase in launch.phases:
            works |= phase.elapsed_s.any(axis=1)
    return works if works.any() else np.ones(ranks, bool)


def _clean(launch: Samples, times_s: NDArray[np.float64]) -> NDArray[np.float64]:
    """Times of one step, without the disturbed batches."""
    return np.asarray(times_s[..., ~launch.disturbed] / launch.repeats)


def _phase(
    name: str, launches: _Launches, memory: Bound | None, arithmetic: Bound | None
) -> PhaseSummary:
    def metric(name: str, unit: str, of: Callable[[Samples, Phase], NDArray[np.float64]]) -> Metric:
        batches = [of(launch, phase) for launch, phase in launches]
        everything = np.concatenate(batches)
        value = _interval([float(np.median(values)) for values in batches])
        return Metric(
            name=name,
            unit=unit,
            median=value.median,
            low=value.low,
            high=value.high,
            minimum=float(everything.min()),
            launches=len(batches),
            samples=everything.size,
            modes=(),
            preempted_share=0.0,
            displaced_share=0.0,
        )

    def slowest_s(launch: Samples, phase: Phase) -> NDArray[np.float64]:
        return _clean(launch, phase.slowest_s)

    def share(launch: Samples, phase: Phase) -> NDArray[np.float64]:
        return mean_s(launch, phase) / launch.clean_traversal_s

    def imbalance(launch: Samples, phase: Phase) -> NDArray[np.float64]:
        return _over(slowest_s(launch, phase), mean_s(launch, phase), 1.0)

    def per_second(name: str, unit: str, amounts: Callable[[Phase], NDArray[np.int64]]) -> Metric:
        def of(launch: Samples, phase: Phase) -> NDArray[np.float64]:
            times_s = mean_s(launch, phase)
            return _over(np.full_like(times_s, float(amounts(phase).mean())), times_s, 0.0)

        return metric(name, unit, of)

    _, last = launches[-1]
    timed = metric("time", "s", mean_s)
    computes = timed.median > 0 and last.operations.any()
    reads = timed.median > 0 and last.memory_bytes.any()
    rate = per_second("rate", "flop/s", lambda phase: phase.operations) if computes else None
    bandwidth = per_second("bandwidth", "B/s", lambda phase: phase.memory_bytes) if reads else None
    by_rank = [np.median(_clean(launch, phase.elapsed_s), axis=1) for launch, phase in launches]
    return PhaseSummary(
        name=name,
        time=timed,
        slowest=metric("slowest", "s", slowest_s),
        share=metric("share", "", share),
        imbalance=metric("imbalance", "", imbalance),
        rate=rate,
        bandwidth=bandwidth,
        rank_s=tuple(float(time_s) for time_s in np.median(np.array(by_rank), axis=0)),
        operations=_work(last.operations),
        memory_bytes=_work(last.memory_bytes),
        sent_bytes=_work(last.sent_bytes),
        resident_bytes=_work(last.resident_bytes),
        of_arithmetic=_of_bound(rate, arithmetic),
        of_memory=_of_bound(bandwidth, memory),
    )


def _interval(figures: Sequence[float]) -> Interval:
    """A phase that a launch never entered has no interval."""
    if min(figures) <= 0:
        return Interval(float(np.median(figures)), None, None)
    return interval(figures)


def _over(
    above: NDArray[np.float64], below: NDArray[np.float64], without: float
) -> NDArray[np.float64]:
    """The ratio, or `without` where the divisor is 0."""
    return np.divide(above, below, out=np.full_like(above, without), where=below > 0)


def _work(of_ranks: NDArray[np.int64]) -> Work:
    return Work(sum(int(amount) for amount in of_ranks), int(of_ranks.max()))


def _of_bound(metric: Metric | None, bound: Bound | None) -> OfBound | None:
    """Both intervals are independent, so the bounds are conservative."""
    if metric is None or bound is None:
        return None
    share = metric.median / bound.rate.median
    ends = (metric.low, metric.high, bound.rate.low, bound.rate.high)
    if any(end is None for end in ends):
        return OfBound(bound.name, share, None, None)
    low, high, other_low, other_high = (end or 0.0 for end in ends)
    if not other_low:
        return OfBound(bound.name, share, None, None)
    return OfBound(bound.name, share, low / other_high, high / other_low)
