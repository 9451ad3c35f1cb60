"""The transposes of a plasma model next to the bare MPI_Alltoall of the same bytes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from benchmarks.programs import output_of
from benchmarks.table import Row, likely_median
from halocline.mpi.registry import toolchain

LAUNCHES = 5
TIME_LIMIT_S = 300
BARE = "bare"
GOAL = 0.9  # of the bare call's bandwidth
# Rows of messages are packed and unpacked: two copies more than the bare call has.
WITH_GOAL = ("columns shared memory", "rows shared memory", "columns alltoallv")


def rows(program: Path) -> list[Row]:
    """Bandwidth over the bare call's."""
    mpich = toolchain("mpich")
    shares: dict[str, list[float]] = {}
    for _ in range(LAUNCHES):
        times = json.loads(
            output_of([mpich.launcher, "-n", "2", program], TIME_LIMIT_S, mpich.environment)
        )
        bare = np.array(times.pop(BARE))
        for way, turns in times.items():
            shares.setdefault(way, []).append(float(np.median(bare / np.array(turns))))
    return [
        Row(
            f"transpose on {way} / MPI_Alltoall, bandwidth",
            float(np.median(of_launches)),
            GOAL if way in WITH_GOAL else 0,
            float("inf"),
            f"{LAUNCHES} launches, {min(of_launches):.3g} … {max(of_launches):.3g}",
            likely_median(of_launches),
        )
        for way, of_launches in shares.items()
    ]
