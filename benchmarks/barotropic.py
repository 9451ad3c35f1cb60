"""The barotropic solver beside conjugate gradients on a matrix in compressed rows."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from benchmarks.programs import told
from benchmarks.table import Row
from halocline.mpi.registry import toolchain

TIME_LIMIT_S = 600
# Grid, what, over what, the goal.
RATIOS = (
    ("x1", "pcg", "compressed rows", 0.67),
    ("x1", "chronopoulos_gear", "compressed rows", 0.67),
    ("x1", "pcsi", "compressed rows", None),
    ("x1", "pipelined", "compressed rows", None),
    ("x1", "gropp", "compressed rows", None),
    ("x1", "pcg reproducible", "pcg", 1.1),
    ("x1", "chronopoulos_gear reproducible", "chronopoulos_gear", 1.1),
    *(
        ("x1", f"{solver} {preconditioner} to 1e-10", f"{solver} diagonal to 1e-10", goal)
        for solver in ("pcg", "chronopoulos_gear", "pcsi")
        # Error vector propagation saves messages, which one rank has none of.
        for preconditioner, goal in (("block_ssor", 1.0), ("block_evp", None))
    ),
    ("tenth", "pcg", "compressed rows", 0.6),
    ("tenth", "chronopoulos_gear", "compressed rows", 0.6),
    ("tenth", "pcg reproducible", "pcg", 1.1),
)


def rows(program: Path) -> list[Row]:
    """Times of an iteration, or of a solve, over those of another way in the same process."""
    mpich = toolchain("mpich")
    times = {
        grid: {
            way: np.array(turns)
            for way, turns in json.loads(
                told([mpich.launcher, "-n", "1", program, grid], TIME_LIMIT_S, mpich.environment)
            ).items()
        }
        for grid in ("x1", "tenth")
    }
    found = []
    for grid, way, other, goal in RATIOS:
        ratios = times[grid][way] / times[grid][other]
        own_us = 1e6 * float(np.median(times[grid][way]))
        found.append(
            Row(
                f"barotropic {grid}, {way} / {other}",
                float(np.median(ratios)),
                0,
                float("inf") if goal is None else goal,
                f"{own_us:.0f} µs of a core; {len(ratios)} turns, "
                f"{ratios.min():.3g} … {ratios.max():.3g}",
            )
        )
    return found
