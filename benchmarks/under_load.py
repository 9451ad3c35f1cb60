"""What other work shifts of the medians that a run reports: launches alone and next to it, in turn.

python -m benchmarks.under_load [CASES]... [--mpi mpich] [--pairs 60] [--load 10]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from contextlib import redirect_stderr, suppress
from io import StringIO
from math import log, nan
from pathlib import Path

import numpy as np

from benchmarks.table import Row, show
from benchmarks.verdicts import CASES, spinning
from halocline.base.errors import NoFigures
from halocline.cli import measuring
from halocline.cli.options import launches_options
from halocline.cli.run import experiment_of
from halocline.samples.dataset import load
from halocline.samples.run_folder import open_run
from halocline.specification.expand import expand
from halocline.specification.experiment import Experiment
from halocline.specification.spec import Option
from halocline.summary.stats import CONFIDENCE, estimate

SHIFT = 0.02  # at most, or the case is refused


def figures(experiment: Experiment, processes: int, path: Path) -> dict[str, float | None]:
    """The median of each case in one launch next to so many processes; None: refused."""
    with spinning(processes), redirect_stderr(StringIO()), suppress(NoFigures):
        measuring.begin(experiment, path, report=False)
    run = open_run(path)
    samples = load(run.samples)
    median_of: dict[str, float | None] = {}
    for case in expand(run.experiment, run.catalogue):
        medians = samples.launch_figures(case.id)
        name = " ".join(f"{key}={value}" for key, value in case.axes)
        median_of[name] = float(medians[0]) if medians.size else None
    return median_of


def rows(words: Sequence[str], mpi: str, pairs: int, load_: int) -> list[Row]:
    """What each case's median shifts by, and how often it was refused."""
    options = [
        Option("experiment.mpi", "--mpi", [mpi]),
        Option("measure.budget", "--budget", "3s"),
        *launches_options("1"),
    ]
    workload, *axes = words
    experiment = experiment_of(workload, axes, options)
    logs: dict[str, list[float]] = {}
    refused: dict[str, int] = {}
    for pair in range(pairs):
        median_of: dict[int, dict[str, float | None]] = {}
        for processes in (0, load_) if pair % 2 else (load_, 0):
            with tempfile.TemporaryDirectory() as scratch:
                median_of[processes] = figures(experiment, processes, Path(scratch, "run"))
        for case, alone in median_of[0].items():
            loaded = median_of[load_][case]
            refused[case] = refused.get(case, 0) + (loaded is None)
            logs.setdefault(case, [])
            if alone and loaded:
                logs[case].append(log(loaded / alone))
        print(f"pair {pair + 1} of {pairs}", file=sys.stderr)
    return [_row(case, np.array(apart), refused[case], load_) for case, apart in logs.items()]


def _row(case: str, apart: np.ndarray, refused: int, load_: int) -> Row:
    what = f"median of {case} next to {load_} processes, share shifted by"
    if apart.size < 2:
        evidence = f"refused {refused} times, so it is not known"
        return Row(what, nan, -SHIFT, SHIFT, evidence)
    shift = estimate(apart)
    low, high = shift.bounds(1 - CONFIDENCE)
    return Row(
        what,
        float(np.exp(shift.centre) - 1),
        -SHIFT,
        SHIFT,
        f"{100 * (low - 1):+.1f} to {100 * (high - 1):+.1f} % over {apart.size} pairs of launches, "
        f"{refused} refused",
        (low - 1, high - 1),
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", default=CASES)
    parser.add_argument("--mpi", default="mpich")
    parser.add_argument("--pairs", type=int, default=60)
    parser.add_argument("--load", type=int, default=10)
    asked = parser.parse_args()
    sys.exit(show(rows(asked.cases, asked.mpi, asked.pairs, asked.load)))


if __name__ == "__main__":
    main()
