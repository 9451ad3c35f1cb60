"""A pair route next to the bare MPI calls, in one process."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from benchmarks.programs import output_of
from benchmarks.table import Row, likely_median
from halocline.mpi.registry import toolchain

LAUNCHES = 5
TIME_LIMIT_S = 120


def rows(program: Path) -> list[Row]:
    """Ratio of the times of an 8-byte message, for each protocol that the program knows."""
    intel = toolchain("intel")
    ratios: dict[str, list[float]] = {}
    for _ in range(LAUNCHES):
        shown = output_of(
            [intel.launcher, "-n", "2", program],
            TIME_LIMIT_S,
            {**intel.environment, "I_MPI_PIN_DOMAIN": "core"},
        )
        for line in shown.splitlines():
            times = json.loads(line)
            each_turn = np.array(times["route_s"]) / np.array(times["bare_s"])
            ratios.setdefault(times["protocol"], []).append(float(np.median(each_turn)))
    return [
        Row(
            f"8 B over a pair route / bare calls, {protocol}",
            float(np.median(of_launches)),
            0,
            1.03,
            f"{LAUNCHES} launches, {min(of_launches):.4g} … {max(of_launches):.4g}",
            likely_median(of_launches),
        )
        for protocol, of_launches in ratios.items()
    ]
