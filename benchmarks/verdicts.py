"""What verdicts and the gate are worth here: a library against itself, and against itself delayed.

python -m benchmarks.verdicts [--trials 50] [--load 1] [--delay 5%] [--gate 3%] [--budget 20s]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.table import Row, likely_share, show
from halocline.campaign.pace import Limits
from halocline.cli import gate as gates
from halocline.cli.comparing import measure_sides
from halocline.cli.run import experiment_of
from halocline.cli.sides import share
from halocline.compare import folder
from halocline.compare.sides import Side
from halocline.specification.spec import Option

if TYPE_CHECKING:
    from halocline.compare.comparison import Comparison

CASES = ("pingpong", "protocol=send_recv", "bytes=8,4KiB,64KiB,1MiB")
LAUNCHES = (10, 20)
LARGE = 0.03  # no claim of a difference between a library and itself is larger
SPINNING = "import os\nparent = os.getppid()\nwhile os.getppid() == parent: pass"


@dataclass(frozen=True)
class Trial:
    """A library against itself, once; and whether the gate fails for it and for the delayed one."""

    cases: int
    claimed: int
    largest: float
    false_failure: bool
    found: bool


@contextmanager
def spinning(processes: int) -> Iterator[None]:
    """Other work on this node, which does nothing but take the cores."""
    started = [subprocess.Popen([sys.executable, "-c", SPINNING]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


def trial(one: Side, delayed: Side, limits: Limits, gate: float, scratch: Path) -> Trial:
    """Measure both pairs in turn as `compare --gate` does."""

    def measure(other: Side, number: int) -> Comparison:
        path = measure_sides((one, other), limits, LARGE, scratch / f"{other.name}-{number}")
        return folder.read(path)[0]

    alike = gates.judge(partial(measure, replace(one, name="again")), gate)
    slower = gates.judge(partial(measure, delayed), gate)
    claims = [
        abs(row.ratio.ratio - 1)
        for verdict in ("faster", "slower")
        for row in alike.found.rows_of(verdict)
    ]
    return Trial(
        len(alike.found.rows), len(claims), max(claims, default=0.0), not alike.ok, not slower.ok
    )


def rows(trials: list[Trial], load: int, delay: float) -> list[Row]:
    """What the trials say, next to the goals."""
    number = len(trials)
    evidence = f"{number} trials, {load} spinning processes"
    cases = sum(each.cases for each in trials)
    claimed = sum(each.claimed for each in trials)
    reports = sum(each.claimed > 0 for each in trials)
    found = sum(each.found for each in trials)

    def at_most(what: str, count: int, of: int) -> Row:
        return Row(what, count / of, -inf, 0.05, evidence, likely_share(count, of))

    return [
        at_most("cases that claim a difference, share", claimed, cases),
        at_most("reports that claim one, share", reports, number),
        Row("largest claim, share", max(e.largest for e in trials), -inf, LARGE, evidence),
        Row("gate: false failures", sum(e.false_failure for e in trials), 0, 0, evidence),
        Row(
            f"gate: {100 * delay:g} % found, share",
            found / number,
            0.95,
            1,
            evidence,
            likely_share(found, number),
        ),
    ]


def measured(
    trials: int,
    load: int,
    cases: Sequence[str] = CASES,
    mpi: str = "mpich",
    delay: str = "5%",
    gate: str = "3%",
    budget: str = "20s",
) -> list[Row]:
    """Take so many trials, next to so many processes that spin."""
    workload, *words = cases
    options = [
        Option("experiment.mpi", "--mpi", [mpi]),
        Option("measure.budget", "--budget", budget),
    ]
    experiment = experiment_of(workload, words, options)
    limits = Limits(*LAUNCHES, experiment.budget_s)
    delay_share, gate_share = share(delay, "--delay"), share(gate, "--gate")
    one = Side(mpi, experiment)
    delayed = replace(one, name="delayed", delay_share=delay_share)
    done: list[Trial] = []
    with spinning(load):
        for number in range(trials):
            with tempfile.TemporaryDirectory() as scratch:
                done.append(trial(one, delayed, limits, gate_share, Path(scratch)))
            print(f"{number + 1}: {done[-1]}", file=sys.stderr, flush=True)
    return rows(done, load, delay_share)


def main() -> None:
    """Print the table; exit with 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", default=CASES)
    parser.add_argument("--mpi", default="mpich")
    parser.add_argument("--trials", type=int, default=50)
    parser.add_argument("--load", type=int, default=1)
    parser.add_argument("--delay", default="5%")
    parser.add_argument("--gate", default="3%")
    parser.add_argument("--budget", default="20s")
    sys.exit(show(measured(**vars(parser.parse_args()))))


if __name__ == "__main__":
    main()
