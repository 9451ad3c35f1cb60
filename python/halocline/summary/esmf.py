"""The figure that Li 2007 reports: the mean of 50 exchanges, the smallest of 10 runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from halocline.samples.records import Samples
from halocline.summary.metrics import Metric

EXCHANGES = 50
RUNS = 10
NAME = f"smallest mean of {EXCHANGES}"


def smallest_mean(launches: Sequence[Samples], time: Metric) -> Metric | None:
    """The paper's figure, from the first launches and their first exchanges, even disturbed ones.

    The metric's `launches` counts them: the paper's number, unless fewer ran. None if no launch has
    that many exchanges.
    """
    first = [mean for launch in launches if (mean := _mean_s(launch)) is not None][:RUNS]
    if not first:
        return None
    figure = min(first)
    return replace(
        time,
        name=NAME,
        median=figure,
        low=None,
        high=None,
        minimum=figure,
        launches=len(first),
        samples=len(first) * EXCHANGES,
        modes=(),
    )


def _mean_s(launch: Samples) -> float | None:
    batches = math.ceil(EXCHANGES / launch.repeats)
    times_s = launch.traversal_s[:batches]
    return float(times_s.mean()) if times_s.size == batches else None
