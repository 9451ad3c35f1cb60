"""The quantities of a case: time, bandwidth, rate, skew, and those of each pair of ranks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import median_low
from typing import cast

import numpy as np
from numpy.typing import NDArray

from halocline.samples.records import Fact, Samples
from halocline.summary.stats import Mode, interval, modes

SIMULATED_YEARS = "simulated years a day"
_STEPS_PER_DAY = "steps_per_day"  # per model day, as reported by a workload that steps
_DAY_S = 86_400.0
_DAYS_IN_YEAR = 365.0
INCONCLUSIVE = 0.5  # half-width above which an interval is wider than its value


def is_wide(value: float, low: float | None, high: float | None) -> bool:
    """Whether an interval is wider than its value, which is then inconclusive."""
    return low is not None and high is not None and high - low > 2 * INCONCLUSIVE * abs(value)


@dataclass(frozen=True)
class Metric:
    """One quantity of one case; `low` and `high` are None below two launches."""

    name: str
    unit: str
    median: float
    low: float | None
    high: float | None
    minimum: float
    launches: int
    samples: int
    modes: tuple[Mode, ...]
    preempted_share: float
    displaced_share: float  # of the launches: left out because they ran on other cores than usual

    @property
    def half_width_relative(self) -> float | None:
        """Half the interval's width relative to the median."""
        if self.low is None or self.high is None:
            return None
        return (self.high - self.low) / (2 * self.median)

    @property
    def wide(self) -> bool:
        """Whether the interval is wider than the value."""
        return is_wide(self.median, self.low, self.high)

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The interval; None if unknown, or inconclusive because wider than the value."""
        if self.low is None or self.high is None or self.wide:
            return None
        return self.low, self.high


def of_case(
    launches: Sequence[Samples], preempted_share: float, displaced_share: float
) -> tuple[Metric, ...]:
    """Time, bandwidth, rate and skew; for several pairs of the slowest, the sum, and each pair.

    Rate and skew exist for cases that compute, or start at an agreed time, simulated years a day
    for models that step. Other facts of the case follow, each as a metric.
    `launches` are the records that give figures, one or more.
    """

    def metric(name: str, unit: str, of_launch: Callable[[Samples], NDArray[np.float64]]) -> Metric:
        batches = [of_launch(launch) for launch in launches]
        value = interval([float(np.median(values)) for values in batches])
        everything = np.concatenate(batches)
        return Metric(
            name=name,
            unit=unit,
            median=value.median,
            low=value.low,
            high=value.high,
            minimum=float(everything.min()),
            launches=len(launches),
            samples=everything.size,
            modes=modes(everything),
            preempted_share=preempted_share,
            displaced_share=displaced_share,
        )

    def with_bandwidth(
        name: str, moved_bytes: float, of_launch: Callable[[Samples], NDArray[np.float64]]
    ) -> tuple[Metric, ...]:
        time = metric(f"time{name}", "s", of_launch)
        if not moved_bytes:
            return (time,)
        slowest_s = max(float(of_launch(launch).max()) for launch in launches)
        return time, _per_second(f"bandwidth{name}", "B/s", time, moved_bytes, slowest_s)

    pairs = launches[0].pairs
    pair_bytes = max(launch.moved_bytes for launch in launches) / max(len(pairs), 1)
    metrics = with_bandwidth("", pair_bytes, lambda launch: launch.clean_traversal_s)
    slowest_s = max(float(launch.clean_traversal_s.max()) for launch in launches)
    operations = max(launch.operations for launch in launches)
    if operations:
        metrics += (_per_second("rate", "flop/s", metrics[0], operations, slowest_s),)
    if years := years_a_day(launches[0].facts, 1.0):
        metrics += (_per_second(SIMULATED_YEARS, "years/day", metrics[0], years, slowest_s),)
    if all(launch.skew_s.size and np.median(launch.skew_s) > 0 for launch in launches):
        metrics += (metric("skew", "s", lambda launch: launch.skew_s),)
    metrics += _facts(launches, metrics[0])
    if len(pairs) < 2:
        return metrics
    if pair_bytes:
        metrics += (
            metric(
                "aggregate bandwidth",
                "B/s",
                lambda launch: np.sum(pair_bytes / launch.clean_pair_traversal_s, axis=0),
            ),
        )
    for number, (first, second) in enumerate(pairs):

        def of_pair(launch: Samples, number: int = number) -> NDArray[np.float64]:
            return cast(NDArray[np.float64], launch.clean_pair_traversal_s[number])

        metrics += with_bandwidth(f" of pair {first}-{second}", pair_bytes, of_pair)
    return metrics


def years_a_day(facts: Sequence[Fact], step_s: float) -> float | None:
    """Years that a model simulates per day if a step takes this long; None if nothing steps."""
    steps = next((fact.value for fact in facts if fact.name == _STEPS_PER_DAY), None)
    return _DAY_S / (_DAYS_IN_YEAR * steps * step_s) if steps else None


def _facts(launches: Sequence[Samples], time: Metric) -> tuple[Metric, ...]:
    """What the case reports in addition; its extremes are the bounds, should launches differ."""
    values: dict[tuple[str, str], list[float]] = {}
    for launch in launches:
        for fact in launch.facts:
            values.setdefault((fact.name, fact.unit), []).append(fact.value)
    return tuple(
        replace(
            time,
            name=name,
            unit=unit,
            median=median_low(reported),
            low=min(reported),
            high=max(reported),
            minimum=min(reported),
            modes=(),
        )
        for (name, unit), reported in values.items()
    )


def _per_second(name: str, unit: str, time: Metric, amount: float, slowest_s: float) -> Metric:
    """An amount done in this time, such as bytes, per second: the interval is inverted."""
    return replace(
        time,
        name=name,
        unit=unit,
        median=amount / time.median,
        low=None if time.high is None else amount / time.high,
        high=None if time.low is None else amount / time.low,
        minimum=amount / slowest_s,
        modes=tuple(Mode(amount / mode.value, mode.share) for mode in reversed(time.modes)),
    )
