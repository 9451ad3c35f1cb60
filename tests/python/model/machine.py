"""A machine whose messages follow parameters that are known, and cases measured on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from halocline.detect.curves import Curve, Matrix
from halocline.specification.cases import AxisValue, Case
from halocline.summary.metrics import Metric
from halocline.summary.stats import interval
from halocline.summary.summary import CaseSummary, Pair

SIZES = (0, 1, *(2**exponent for exponent in range(2, 23)))
LAUNCHES = 10
LIMIT = 8193  # the first size that is not sent eagerly
BOUNDS = (8192.0, 8193.0)  # what a probe finds
EAGER = (1e-6, 4e-10)  # latency (s), time a byte (s)
RENDEZVOUS = (5e-6, 1e-10)


@dataclass(frozen=True)
class Noise:
    """Of whole launches and of each figure, relative."""

    launch: float = 0.01
    figure: float = 0.005


QUIET = Noise(0.0, 0.0)


def time_s(size: int, slower: float = 1.0) -> float:
    """Of one message; `slower` where several share what carries bytes."""
    latency, per_byte = EAGER if size < LIMIT else RENDEZVOUS
    return latency + slower * per_byte * size


def times(sizes: tuple[int, ...] = SIZES, slower: float = 1.0) -> Matrix:
    return np.array([time_s(size, slower) for size in sizes])


def launched(
    exact: Matrix,
    at: tuple[int, ...] = SIZES,
    *,
    seed: int = 0,
    noise: Noise = Noise(),
    launches: int = LAUNCHES,
) -> Curve:
    """The same in several launches."""
    random = np.random.default_rng(seed)
    shape = (launches, exact.size)
    own = random.normal(0, noise.launch, (launches, 1)) + random.normal(0, noise.figure, shape)
    return Curve(at, exact * np.exp(own))


def case(
    workload: str,
    figures_s: list[float],
    also: Mapping[str, AxisValue] | None = None,
    *,
    ranks: int = 2,
    layout: str = "",
    moved: int = 0,
    off_node: bool | None = None,
    pairs: int = 1,
    **axes: AxisValue,
) -> CaseSummary:
    """A case that was measured, in launches 1, 2 …; `also` are axes too."""
    settings = (("layout", layout),) if layout else ()
    time = _metric("time", "s", figures_s)
    metrics = [time]
    if moved:
        metrics.append(_metric("bandwidth", "B/s", [moved / each for each in figures_s]))
    named = Case(
        workload, tuple(sorted({**(also or {}), **axes}.items())), "mpich", "here", ranks, settings
    )
    several = tuple(Pair((at, at + pairs), bool(off_node)) for at in range(pairs))
    by_pair = () if off_node is None else several
    figures = dict(enumerate(figures_s, start=1))
    return CaseSummary(named, "measured", "", 0.0, tuple(metrics), figures_s=figures, pairs=by_pair)


def messages(seed: int = 0, noise: Noise = Noise(), **more: Any) -> list[CaseSummary]:
    """Ping-pong and ping-ping over isend_irecv, both ways half as fast by the byte."""
    found = []
    for number, (workload, slower) in enumerate((("pingpong", 1.0), ("pingping", 2.0))):
        curve = launched(times(slower=slower), seed=2 * seed + number, noise=noise)
        found += [
            case(workload, list(column), bytes=size, protocol="isend_irecv", **more)
            for size, column in zip(curve.at, curve.figures.T, strict=True)
        ]
    return found


def probes(small_s: float = 8e-7) -> list[CaseSummary]:
    """Of the eager limit: sends return up to it, and a small one after that time."""
    return [
        case("eager_probe", [small_s if size < LIMIT else 5e-3] * 8, bytes=size, patience=2000)
        for size in (8, LIMIT - 1, LIMIT)
    ]


def _metric(name: str, unit: str, figures: list[float]) -> Metric:
    found = interval(figures)
    low, high, least = found.low, found.high, min(figures)
    samples = 40 * len(figures)
    return Metric(name, unit, found.median, low, high, least, len(figures), samples, (), 0.0, 0.0)
