"""The way that the library chooses by itself next to the best of all fixed ways, in one run.

Which fixed way is best is decided in every second turn, and the others compare: the fastest of many
would else be so by chance.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.programs import output_of
from benchmarks.table import Row, likely_median
from halocline.hosts import Hosts, temporary_hosts
from halocline.launch.job import Job
from halocline.launch.launchers import launch
from halocline.mpi.registry import toolchain

LAUNCHES = 3
TIME_LIMIT_S = 600
RATE = "1gbit"
GOAL = 1.05
CHOICE = "the choice"


def rows(program: Path) -> list[Row]:
    """The choice over the best fixed way for each grid, on one node and between made hosts."""
    mpich = toolchain("mpich")
    here: list[str | Path] = [mpich.launcher, "-n", "2", "-bind-to", "core", program]
    on_node = [output_of(here, TIME_LIMIT_S, mpich.environment) for _ in range(LAUNCHES)]
    with temporary_hosts(2, RATE) as hosts:
        between = [_between(program, hosts) for _ in range(LAUNCHES)]
    return [
        *rows_of("one node", on_node),
        *rows_of(f"made hosts of {RATE}", between),
    ]


def rows_of(where: str, launches: Iterable[str]) -> list[Row]:
    """From what the program printed in each launch: a line for each problem."""
    shares_of: dict[str, list[tuple[float, str, int]]] = {}
    for shown in launches:
        for line in shown.splitlines():
            launch = json.loads(line)
            problem = f"{launch['grid']}, {launch['fields']} fields, {launch['memory']} memory"
            times = {way: np.array(turns) for way, turns in launch["elapsed_s"].items()}
            shares_of.setdefault(problem, []).append((*against_best(times), launch["fixed_ways"]))
    rows = []
    for problem, each in shares_of.items():
        ratios = [ratio for ratio, _, _ in each]
        best = ", ".join(dict.fromkeys(way for _, way, _ in each))
        rows.append(
            Row(
                f"library's choice / best fixed way, {problem}, {where}",
                float(np.median(ratios)),
                0,
                GOAL,
                f"best of {each[0][2]} ways: {best}; {len(ratios)} launches, "
                f"{min(ratios):.3f} … {max(ratios):.3f}",
                likely_median(ratios),
            )
        )
    return rows


def against_best(elapsed_s: dict[str, np.ndarray]) -> tuple[float, str]:
    """The choice's time over the best fixed way's, and that way."""
    # A turn in which a rank lost its core has a 0, and does not count.
    clean = {way: np.where(turns > 0, turns, np.nan) for way, turns in elapsed_s.items()}
    fixed = [way for way in clean if way != CHOICE and np.isfinite(clean[way][::2]).any()]
    best = min(fixed, key=lambda way: float(np.nanmedian(clean[way][::2])))
    ratio = clean[CHOICE][1::2] / clean[best][1::2]
    return float(np.nanmedian(ratio)), best


def _between(program: Path, hosts: Hosts) -> str:
    with tempfile.TemporaryDirectory() as folder:
        job = Job(
            replace(toolchain("mpich"), driver=program),
            ranks=2,
            launch=1,
            cases=(),
            samples=Path(folder) / "none",
            hosts=hosts,
            nodes=hosts.names,
            node_of_rank=(0, 1),
        )
        started = launch(job, Path(folder))
        # The driver's own arguments come after the program; this one takes none.
        command = started.command[: started.command.index(str(program.absolute())) + 1]
        return output_of(command, TIME_LIMIT_S, environment=started.environment)
