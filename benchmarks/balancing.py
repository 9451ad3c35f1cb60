"""What balancing an atmosphere's physics gains on two ranks, one of which has more of the day.

python -m benchmarks.balancing
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.table import Row, likely_median, show, without_figure
from halocline.cli import measuring
from halocline.cli.run import experiment_of
from halocline.specification.spec import Option
from halocline.summary.phases import PhaseSummary
from halocline.summary.ratios import side_by_side
from halocline.summary.summary import CaseSummary, of_run

NONE, WAYS = "none", ("within_process", "twin", "wrapped", "sorted")
CASE = ["core=spectral", "along_longitude=2", "hour=6", "protocol=alltoallv"]
BUDGET = "120s"
CLOSE = (0.9, 1.1)


def rows() -> list[Row]:
    """The physics of the slowest rank without over with balancing, next to what it removes of the
    imbalance; and the whole step, which pays for the columns' way there and back.
    """
    with tempfile.TemporaryDirectory() as folder:
        words = [*CASE, f"balance={','.join((NONE, *WAYS))}"]
        options = [Option("measure.budget", "--budget", BUDGET)]
        experiment = experiment_of("atmosphere", words, options)
        path = measuring.begin(experiment, Path(folder) / "run", report=False)
        cases = {str(each.case.axis("balance")): each for each in of_run(path).cases}
    table = []
    for way in WAYS:
        table += _rows(way, cases[NONE], cases[way])
    return table


def _rows(way: str, without: CaseSummary, balanced: CaseSummary) -> list[Row]:
    gained = f"balance={way}: gain of the physics / imbalance removed"
    for case in (without, balanced):
        if case.status != "measured":
            return [without_figure(gained, CLOSE, case, str(case.case.axis("balance")))]
    before, after = _physics(without), _physics(balanced)
    removed = before.imbalance.median / after.imbalance.median
    one, other = before.slowest, after.slowest
    gain = one.median / other.median / removed
    likely = None
    if one.low and one.high and other.low and other.high:
        likely = (one.low / other.high / removed, one.high / other.low / removed)
    steps = [a / b for a, b in side_by_side([without.figures_s, balanced.figures_s])]
    imbalances = f"{before.imbalance.median:.3g} to {after.imbalance.median:.3g}"
    return [
        Row(
            gained,
            gain,
            *CLOSE,
            f"imbalance {imbalances}",
            likely,
        ),
        Row(
            f"balance={way}: gain of the step, {balanced.case.axis('protocol')}",
            float(np.median(steps)),
            0,
            float("inf"),
            f"{len(steps)} launches",
            likely_median(steps),
        ),
    ]


def _physics(case: CaseSummary) -> PhaseSummary:
    return next(phase for phase in case.phases if phase.name == "physics")


if __name__ == "__main__":
    sys.exit(show(rows()))
