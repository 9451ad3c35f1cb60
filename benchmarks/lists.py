"""The route between lists of points: time and memory of a point, by the points of a rank."""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np

from benchmarks.programs import told
from benchmarks.table import Row
from halocline.mpi.registry import toolchain

# The first lies in the caches, where a point takes less: growth is that of the others.
POINTS = (100_000, 1_000_000, 3_000_000, 10_000_000)
FITTED = POINTS[1:]
LAUNCHES = 3
TIME_LIMIT_S = 600
STEEPEST = 1.05  # that still counts as linear
NO_GOAL = float("inf")
ROUTE = "2 ranks, scattered"


def rows(program: Path) -> list[Row]:
    """Nanoseconds and bytes of a point that lies anywhere, and how both grow.

    The fastest of all turns counts: what else runs here only ever adds to a time.
    """
    found: dict[int, list[dict[str, float]]] = {points: [] for points in POINTS}
    for _ in range(LAUNCHES):  # in turns, so that a slow minute does not bend the growth
        for points, launches in found.items():
            launches.append({**_route(program, points), "argsort_s": _argsort_s(points)})
    least = {
        what: {points: min(one[what] for one in launches) for points, launches in found.items()}
        for what in ("elapsed_s", "peak_bytes", "argsort_s")
    }
    return [
        *_each_point("Store of a listed point, ns", least["elapsed_s"], 1e9, ROUTE),
        *_each_point("memory of a listed point, B", least["peak_bytes"], 1, ROUTE),
        *_each_point("numpy.argsort of a number, ns", least["argsort_s"], 1e9, "one process"),
        _growth("time of lists", least["elapsed_s"], STEEPEST),
        _growth("memory of lists", least["peak_bytes"], STEEPEST),
        _growth("time of numpy.argsort", least["argsort_s"], NO_GOAL),
    ]


def _route(program: Path, points: int) -> dict[str, float]:
    mpich = toolchain("mpich")
    shown = told(
        [mpich.launcher, "-n", "2", "-bind-to", "core", program, str(points)],
        TIME_LIMIT_S,
        mpich.environment,
    )
    figures = json.loads(shown)
    return {"elapsed_s": min(figures["elapsed_s"]), "peak_bytes": figures["peak_bytes"]}


def _argsort_s(points: int) -> float:
    """What it takes to put one rank's numbers of one side in order: a floor for directories."""
    numbers = np.random.default_rng(1).permutation(points)
    begin = time.perf_counter()
    np.argsort(numbers)
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


def _growth(what: str, totals: dict[int, float], most: float) -> Row:
    logarithms = np.log(FITTED), np.log([totals[points] for points in FITTED])
    exponent = float(np.polyfit(*logarithms, 1)[0])
    return Row(
        f"{what}: exponent of its growth",
        exponent,
        0,
        most,
        f"fitted from {FITTED[0]:,} to {FITTED[-1]:,} points a rank",
    )
