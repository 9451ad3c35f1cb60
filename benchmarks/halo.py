"""A halo update on one node next to the copies that bound it, and other ways.

`python -m benchmarks.halo PROGRAM WITH_PETSC` shows these rows alone.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.programs import AS_ROOT, output_of
from benchmarks.table import Row, likely_median, show
from halocline.mpi.registry import toolchain

LAUNCHES = 5
TIME_LIMIT_S = 120
# Without a goal: PETSc's distributed arrays copy the inside too, so nobody could be slower.
DMDA = "PETSc DMDA"
PEERS = {"mpich": ("GHEX",), "Open MPI 4": ("GHEX", "PETSc SF", DMDA)}
OURS = ("library memory", "user memory")
BY_HAND = ("by hand", "neighbor_alltoallw")
HOW = {
    "GHEX": "GHEX's bulk object: copies within a rank, messages between ranks",
    "PETSc SF": "PetscSFBcast of ghost cells alone, in place, x first, then whole rows",
    DMDA: "DMLocalToLocal in place, which copies the inside too; a cell's values together",
}
Command = Sequence[str | Path]
Times = Mapping[str, NDArray[np.float64]]


def rows(program: Path, with_petsc: Path) -> list[Row]:
    """Times over those of the same copies within each rank, or of peers, in the same launch.

    Arguments: the program for the MPI standard's ABI with GHEX, and for Open MPI 4 with PETSc too.
    """
    mpich = toolchain("mpich")
    on_mpich: Command = [mpich.launcher, "-n", "2", "-bind-to", "core", program]
    on_openmpi: Command = ["mpiexec.openmpi", "-n", "2", "--bind-to", "core", with_petsc]
    return [
        *_ratios(_launches(on_mpich, mpich.environment), "mpich"),
        *_ratios(_launches(on_openmpi, AS_ROOT), "Open MPI 4"),
    ]


def _launches(command: Command, settings: Mapping[str, str]) -> list[Times]:
    return [
        {
            way: np.array(times)
            for way, times in json.loads(output_of(command, TIME_LIMIT_S, settings)).items()
        }
        for _ in range(LAUNCHES)
    ]


def _ratios(launches: Sequence[Times], mpi: str) -> list[Row]:
    """What, over what, and the goal; each a median over launches of the median over turns."""
    peers = PEERS[mpi]
    ratios: list[tuple[str, str, float | None]] = [
        ("library memory", "bound", 1.2),
        *((own, peer, None if peer == DMDA else 1.0) for peer in peers for own in OURS),
        *((way, "bound", None) for way in ("user memory", *BY_HAND, *peers)),
    ]
    return [_ratio(launches, *ratio, f" on {mpi}") for ratio in ratios]


def _ratio(launches: Sequence[Times], way: str, other: str, most: float | None, where: str) -> Row:
    ratios = [float(np.median(times[way] / times[other])) for times in launches]
    milliseconds = 1e3 * float(np.median([np.median(times[way]) for times in launches]))
    how = [HOW[peer] for peer in (way, other) if peer in HOW]
    return Row(
        f"halo of 8 fields of 320x384x40, {way} / {other}{where}",
        float(np.median(ratios)),
        0,
        float("inf") if most is None else most,
        "; ".join(
            [
                f"{milliseconds:.2f} ms",
                f"{LAUNCHES} launches, {min(ratios):.3g} … {max(ratios):.3g}",
                *how,
            ]
        ),
        likely_median(ratios),
    )


if __name__ == "__main__":
    sys.exit(show(rows(*map(Path, sys.argv[1:]))))
