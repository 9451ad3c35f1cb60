"""A halo update on one node next to the copies that bound it, and other ways."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.programs import output_of
from benchmarks.table import Row, likely_median
from halocline.mpi.registry import toolchain

LAUNCHES = 5
TIME_LIMIT_S = 120
# What, over what, the goal; each a median over launches of the median over turns.
RATIOS = (
    ("library memory", "bound", 1.2),
    ("user memory", "bound", None),
    ("by hand", "bound", None),
    ("neighbor_alltoallw", "bound", None),
)


def rows(program: Path) -> list[Row]:
    """Times over those of the same copies within each rank, in the same launch."""
    mpich = toolchain("mpich")
    command: Sequence[str | Path] = [mpich.launcher, "-n", "2", "-bind-to", "core", program]
    launches = [
        {
            way: np.array(times)
            for way, times in json.loads(
                output_of(command, TIME_LIMIT_S, mpich.environment)
            ).items()
        }
        for _ in range(LAUNCHES)
    ]
    return [_ratio(launches, *ratio) for ratio in RATIOS]


def _ratio(
    launches: list[dict[str, NDArray[np.float64]]], way: str, other: str, most: float | None
) -> Row:
    ratios = [float(np.median(times[way] / times[other])) for times in launches]
    milliseconds = 1e3 * float(np.median([np.median(times[way]) for times in launches]))
    return Row(
        f"halo of 8 fields of 320x384x40, {way} / {other}",
        float(np.median(ratios)),
        0,
        float("inf") if most is None else most,
        f"{milliseconds:.2f} ms; {LAUNCHES} launches, {min(ratios):.3g} … {max(ratios):.3g}",
        likely_median(ratios),
    )
