"""What the profiler adds to a call: the program with it and without, in turn."""

from __future__ import annotations

import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path

import numpy as np

from benchmarks.programs import told
from benchmarks.table import Row
from halocline.mpi.parts import scripts
from halocline.profile.library import profiler
from halocline.profile.run import FOLDER

SOURCE = Path(__file__).with_suffix(".c")
LAUNCHES = {1: 9, 2: 5, 64: 3}
GOALS_NS = {"Irecv": 25, "Isend": 25, "Iprobe": 25, "Allreduce": 25, "Waitall": 45}
TIME_LIMIT_S = 120


def rows() -> list[Row]:
    """Nanoseconds added to each call on one rank, and how far 64 ranks differ from 2."""
    with tempfile.TemporaryDirectory(prefix="halocline-") as name:
        folder = Path(name)
        program = folder / "cost"
        subprocess.run([scripts() / "mpicc_abi", "-O2", SOURCE, "-o", program], check=True)
        added = {ranks: _added(program, ranks, folder) for ranks in LAUNCHES}
    read = float(np.median(added[1].pop("counter")))
    found = [
        Row(
            f"added to MPI_{call}, ns",
            float(np.median(added[1][call])),
            0,
            goal,
            f"{LAUNCHES[1]} launches, of it two reads of the counter {read:.3g}",
        )
        for call, goal in GOALS_NS.items()
    ]
    few, many = (float(np.mean([np.median(added[n][c]) for c in GOALS_NS])) for n in (2, 64))
    evidence = f"{few:.3g} and {many:.3g} ns"
    return [*found, Row("added on 64 ranks / on 2", many / few, 0, 1.1, evidence)]


def _added(program: Path, ranks: int, folder: Path) -> dict[str, list[float]]:
    added = defaultdict(list)
    for launch in range(LAUNCHES[ranks]):
        parts = folder / f"{ranks}-{launch}"
        parts.mkdir()
        bare = _times(program, ranks, {})
        profiled = _times(program, ranks, {FOLDER: str(parts), "LD_AUDIT": str(profiler())})
        for call, time_ns in bare.items():
            added[call].append(time_ns if call == "counter" else profiled[call] - time_ns)
    return dict(added)


def _times(program: Path, ranks: int, settings: dict[str, str]) -> dict[str, float]:
    printed = told([scripts() / "mpiexec", "-n", str(ranks), program], TIME_LIMIT_S, settings)
    return {call: float(time_ns) for call, time_ns in map(str.split, printed.splitlines())}
