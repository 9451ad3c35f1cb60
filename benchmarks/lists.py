"""The route between lists of points: time and memory of a point, by the points of a rank."""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np

from benchmarks.programs import output_of
from benchmarks.table import Row
from halocline.mpi.registry import toolchain

POINTS = (100_000, 1_000_000, 3_000_000, 10_000_000)
LAUNCHES = 3
TIME_LIMIT_S = 600
STEEPEST = 1.05  # that still counts as linear, of memory
NO_GOAL = float("inf")
EXPONENT = "exponent of its growth"
ROUTE = "2 ranks, scattered"


def rows(program: Path) -> list[Row]:
    """Nanoseconds and bytes of a point that lies anywhere, and how both grow.

    The fastest of all turns counts: what else runs here only ever adds to a time. Next to it a
    gather, whose work is linear beyond doubt: how its time grows is how memory slows down.
    """
    launches_of: dict[int, list[dict[str, float]]] = {points: [] for points in POINTS}
    for _ in range(LAUNCHES):  # in turns, so that a slow minute does not bend the growth
        for points, launches in launches_of.items():
            launches.append({**_route(program, points), "gather_s": _gather_s(points)})
    least = {
        what: {
            points: min(one[what] for one in launches) for points, launches in launches_of.items()
        }
        for what in ("elapsed_s", "peak_bytes", "gather_s")
    }
    linear = _exponent(least["gather_s"])
    fitted = f"fitted from {POINTS[0]:,} to {POINTS[-1]:,} points a rank"
    return [
        *_each_point("Store of a listed point, ns", least["elapsed_s"], 1e9, ROUTE),
        *_each_point("memory of a listed point, B", least["peak_bytes"], 1, ROUTE),
        *_each_point("numpy.take of a number, ns", least["gather_s"], 1e9, "one process"),
        Row(f"time of lists: {EXPONENT}", _exponent(least["elapsed_s"]), 0, linear, fitted),
        Row(f"memory of lists: {EXPONENT}", _exponent(least["peak_bytes"]), 0, STEEPEST, fitted),
        Row(f"time of a gather: {EXPONENT}", linear, 0, NO_GOAL, fitted),
    ]


def _route(program: Path, points: int) -> dict[str, float]:
    mpich = toolchain("mpich")
    shown = output_of(
        [mpich.launcher, "-n", "2", "-bind-to", "core", program, str(points)],
        TIME_LIMIT_S,
        mpich.environment,
    )
    figures = json.loads(shown)
    return {"elapsed_s": min(figures["elapsed_s"]), "peak_bytes": figures["peak_bytes"]}


def _gather_s(points: int) -> float:
    """What it takes to read as many numbers in a scattered order, and write them in order."""
    numbers = np.ones(points)  # of zeros all pages would be one
    order = np.random.default_rng(1).permutation(points)
    gathered = np.ones(points)  # touched: no page is made while the time is taken
    begin = time.perf_counter()
    np.take(numbers, order, out=gathered, mode="clip")
    return time.perf_counter() - begin


def _each_point(what: str, totals: dict[int, float], factor: float, where: str) -> list[Row]:
    return [
        Row(
            f"{what}, {points:,} a rank",
            factor * total / points,
            0,
            NO_GOAL,
            f"{where}; least of {LAUNCHES} launches",
        )
        for points, total in totals.items()
    ]


def _exponent(totals: dict[int, float]) -> float:
    return float(np.polyfit(np.log(list(totals)), np.log(list(totals.values())), 1)[0])
