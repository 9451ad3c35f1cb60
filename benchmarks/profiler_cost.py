"""What the profiler adds to a call: by its own name and by its PMPI name, in turn."""

from __future__ import annotations

import subprocess
import tempfile
from collections import defaultdict
from math import inf
from pathlib import Path

import numpy as np

from benchmarks.programs import output_of
from benchmarks.table import Row
from halocline.base.parts import scripts
from halocline.profile.library import profiler
from halocline.profile.run import FOLDER

SOURCE = Path(__file__).with_suffix(".c")
LAUNCHES = {1: 9, 2: 5, 64: 5}
GOALS_NS = {"Irecv": 25, "Isend": 25, "Iprobe": 25, "Allreduce": 25, "Waitall": 45}
COUNTER_NS = 16
"""Two reads of the processor's counter where the goals were set: part of them."""
# Among many ranks on few cores, MPI_Waitall itself takes a thousand times what is looked for.
FLAT = ("Irecv", "Isend", "Iprobe", "Allreduce")
TIME_LIMIT_S = 120


def rows() -> list[Row]:
    """Nanoseconds added to each call on one rank, and how far 64 ranks differ from 2."""
    with tempfile.TemporaryDirectory(prefix="halocline-") as name:
        folder = Path(name)
        program = folder / "cost"
        subprocess.run([scripts() / "mpicc_abi", "-O2", SOURCE, "-o", program], check=True)
        added = {ranks: _added(program, ranks, folder) for ranks in LAUNCHES}
    one = {call: float(np.median(times)) for call, times in added[1].items()}
    counter = one.pop("counter")
    table = [
        Row(
            f"added to MPI_{call}, ns",
            one[call],
            -inf,
            goal,
            f"{LAUNCHES[1]} launches, of it two reads of the counter {counter:.3g}",
        )
        for call, goal in GOALS_NS.items()
    ]
    most = max(one[call] for call in FLAT) - counter
    table.append(
        Row("most added next to the counter, ns", most, -inf, 25 - COUNTER_NS, ", ".join(FLAT))
    )
    few, many = (float(np.mean([np.median(added[n][c]) for c in FLAT])) for n in (2, 64))
    evidence = f"{few:.3g} and {many:.3g} ns, without Waitall"
    return [*table, Row("added on 64 ranks / on 2", many / few, 0.9, 1.1, evidence)]


def _added(program: Path, ranks: int, folder: Path) -> dict[str, list[float]]:
    """What a call takes longer by its own name, less what it does so in the bare program."""
    added = defaultdict(list)
    for launch in range(LAUNCHES[ranks]):
        parts = folder / f"{ranks}-{launch}"
        parts.mkdir()
        bare = _longer(program, ranks, {})
        profiled = _longer(program, ranks, {FOLDER: str(parts), "LD_AUDIT": str(profiler())})
        for call, time_ns in bare.items():
            added[call].append(time_ns if call == "counter" else profiled[call] - time_ns)
    return dict(added)


def _longer(program: Path, ranks: int, settings: dict[str, str]) -> dict[str, float]:
    printed = output_of([scripts() / "mpiexec", "-n", str(ranks), program], TIME_LIMIT_S, settings)
    lines = [line.split() for line in printed.splitlines()]
    return {call: float(seen_ns) - float(bare_ns) for call, seen_ns, bare_ns in lines}
