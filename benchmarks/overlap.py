"""A redistribution between two made hosts that goes on while the ranks compute."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
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
TIME_LIMIT_S = 240
# What a network card does, made hosts do on the ranks' cores (decision 24): no thread can hide it,
# and of a slower exchange it is less. The goal was set for 1 Gbit/s, where 0.64 is the best that
# was seen and this work leaves no less; the slower link was added later, and meets it.
RATES = ("1gbit", "500mbit")
GOAL = 0.6
WAYS = {"without the thread": None, "with the thread": GOAL}
BASE = "without the thread, alone"  # what a program would do that does not overlap

Launch = dict[str, np.ndarray]


def rows(programs: Mapping[str, Path]) -> list[Row]:
    """Exchange and computation together over their sum, for each MPI library's program."""
    return [row for rate in RATES for row in _rows(programs, rate)]


def _rows(programs: Mapping[str, Path], rate: str) -> list[Row]:
    with temporary_hosts(2, rate) as hosts:
        return [
            _row(f"{mpi} at {rate}", way, goal, launches)
            for mpi, program in programs.items()
            for launches in [[_launch(mpi, program, hosts) for _ in range(LAUNCHES)]]
            for way, goal in WAYS.items()
        ]


def _launch(mpi: str, program: Path, hosts: Hosts) -> Launch:
    """Seconds of each turn, by what was timed."""
    with tempfile.TemporaryDirectory() as folder:
        job = Job(
            replace(toolchain(mpi), driver=program),
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
        shown = output_of(command, TIME_LIMIT_S, environment=started.environment)
    return {what: np.array(times) for what, times in json.loads(shown).items()}


def _row(where: str, way: str, goal: float | None, launches: list[Launch]) -> Row:
    ratios = [
        float(np.median(times[f"{way}, overlapped"] / (times[BASE] + times["computation"])))
        for times in launches
    ]
    exchange, computation, both, core, core_of_both = (
        1e3 * float(np.median([np.median(times[what]) for times in launches]))
        for what in (
            f"{way}, alone",
            "computation",
            f"{way}, overlapped",
            "computation, core",
            f"{way}, overlapped, core",
        )
    )
    sent_mib = launches[0]["sent bytes"][0] / 2**20
    return Row(
        f"overlap on {where}, {way}: together / sum",
        float(np.median(ratios)),
        0,
        float("inf") if goal is None else goal,
        f"{sent_mib:.0f} MiB each way: {exchange:.0f} ms, computation {computation:.0f}, "
        f"together {both:.0f}, the exchange {core_of_both - core:.0f} ms of a core; "
        f"{LAUNCHES} launches, {min(ratios):.2f} … {max(ratios):.2f}",
        likely_median(ratios),
    )
