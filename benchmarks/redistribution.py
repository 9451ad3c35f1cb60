"""A redistribution on one node next to the copy of memory that bounds it, and other ways."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.programs import AS_ROOT, output_of
from benchmarks.table import Row, likely_median
from halocline.mpi.registry import toolchain

Command = Sequence[str | Path]
LAUNCHES = 5
TIME_LIMIT_S = 240
# What, over what, the goal; each a median over launches of the median over turns.
GOALS = (
    ("library memory", "bound", 1.2),
    ("adopted memory", "bound", 1.15),
    ("user memory", "by hand", 1.0),
    ("user memory", "alltoallw", 1.0),
)
# Adopting and giving back are done once a launch; the kernel may refuse its copy.
BOUNDED = ("by hand", "alltoallw", "process_vm_readv", "adopting", "giving back")
BESIDE = (
    ("library memory", "ScaLAPACK", 1.0),
    ("user memory", "ScaLAPACK", 1.0),
    ("ScaLAPACK", "bound", None),
)
STORES = (("store 2048", "2,048", 0.1), ("store 1048576", "1,048,576", 1.0))
OTHERS = (
    "COSTA, ESMF, MCT and YAXT are not in the table: neither PyPI nor Debian has packages of them. "
    "Measured once on such a machine, two ranks: COSTA at 5 times the bound, ESMF 9.0 at 12 to 19 "
    "times. mpi4py-fft moves by the same MPI_Alltoallw of subarrays as that row."
)


def rows(program: Path, with_scalapack: Path) -> list[Row]:
    """Times over others of the same launch, and a rank's Store in milliseconds.

    Arguments: the program for the MPI standard's ABI, and for Open MPI 4 with ScaLAPACK linked.
    """
    mpich = toolchain("mpich")
    on_mpich: Command = [mpich.launcher, "-n", "2", "-bind-to", "core", program]
    launches = [_launch(on_mpich, mpich.environment) for _ in range(LAUNCHES)]
    on_openmpi: Command = ["mpiexec.openmpi", "-n", "2", "--bind-to", "core", with_scalapack]
    on_other = [_launch(on_openmpi, AS_ROOT) for _ in range(LAUNCHES)]
    return [
        *(_ratio(launches, *goal) for goal in GOALS),
        *(_ratio(launches, way, "bound", None) for way in BOUNDED if way in launches[0]),
        *(_ratio(on_other, way, other, most, " on Open MPI 4") for way, other, most in BESIDE),
        *(_store(launches, *store) for store in STORES),
    ]


def _launch(command: Command, settings: Mapping[str, str]) -> dict[str, NDArray[np.float64]]:
    shown = output_of(command, TIME_LIMIT_S, settings)
    return {way: np.array(times) for way, times in json.loads(shown).items()}


def _ratio(
    launches: list[dict[str, NDArray[np.float64]]],
    way: str,
    other: str,
    most: float | None,
    where: str = "",
) -> Row:
    ratios = [float(np.median(times[way] / times[other])) for times in launches]
    milliseconds = 1e3 * float(np.median([np.median(times[way]) for times in launches]))
    return Row(
        f"redistribution, {way} / {other}{where}",
        float(np.median(ratios)),
        0,
        float("inf") if most is None else most,
        f"{milliseconds:.1f} ms; {LAUNCHES} launches, {min(ratios):.3g} … {max(ratios):.3g}",
        likely_median(ratios),
    )


def _store(
    launches: list[dict[str, NDArray[np.float64]]], way: str, ranks: str, most_ms: float
) -> Row:
    ratios = [1e3 * float(np.median(times[way])) for times in launches]
    return Row(
        f"Store of a rank of {ranks}, ms",
        float(np.median(ratios)),
        0,
        most_ms,
        f"{LAUNCHES} launches, {min(ratios):.3g} … {max(ratios):.3g}",
        likely_median(ratios),
    )
