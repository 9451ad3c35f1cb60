"""A redistribution on one node beside the copy of memory that bounds it, and other ways."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import numpy as np

from benchmarks.table import Row
from halocline.mpi.registry import toolchain

LAUNCHES = 5
TIME_LIMIT_S = 240
# What, over what, the goal; each a median over launches of the median over turns.
GOALS = (
    ("library memory", "bound", 1.2),
    ("user memory", "by hand", 1.0),
    ("user memory", "alltoallw", 1.0),
)
STORES = (("store 2048", "2,048", 0.1), ("store 1048576", "1,048,576", 1.0))
OTHERS = (
    "COSTA and ESMF are not in the table: neither PyPI nor Debian has a package of them that these "
    "ranks could link. Measured once on such a machine, two ranks: COSTA at 5 times "
    "the bound, ESMF 9.0 at 12 to 19 times."
)


def rows(program: Path) -> list[Row]:
    """Times over others of the same launch, and a rank's Store in milliseconds."""
    mpich = toolchain("mpich")
    launches = []
    for _ in range(LAUNCHES):
        shown = subprocess.run(
            [mpich.launcher, "-n", "2", "-bind-to", "core", program],
            env={**os.environ, **mpich.environment},
            capture_output=True,
            text=True,
            timeout=TIME_LIMIT_S,
            check=True,
        ).stdout
        launches.append({way: np.array(times) for way, times in json.loads(shown).items()})
    return [
        *(_ratio(launches, *goal) for goal in GOALS),
        *(_ratio(launches, way, "bound", None) for way in ("by hand", "alltoallw")),
        *(_store(launches, *store) for store in STORES),
    ]


def _ratio(launches: list[dict[str, np.ndarray]], way: str, other: str, most: float | None) -> Row:
    found = [float(np.median(times[way] / times[other])) for times in launches]
    milliseconds = 1e3 * float(np.median([np.median(times[way]) for times in launches]))
    return Row(
        f"redistribution, {way} / {other}",
        float(np.median(found)),
        0,
        float("inf") if most is None else most,
        f"{milliseconds:.1f} ms; {LAUNCHES} launches, {min(found):.3g} … {max(found):.3g}",
    )


def _store(launches: list[dict[str, np.ndarray]], way: str, ranks: str, most_ms: float) -> Row:
    found = [1e3 * float(np.median(times[way])) for times in launches]
    return Row(
        f"Store of a rank of {ranks}, ms",
        float(np.median(found)),
        0,
        most_ms,
        f"{LAUNCHES} launches, {min(found):.3g} … {max(found):.3g}",
    )
