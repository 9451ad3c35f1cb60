"""A search next to two sweeps of all its candidates: what it finds, and in which share of the time.

One sweep is `halocline run` over all of them. The other one measures them as the search does, many
configurations in a launch, next to the default and in turn: no sweep that anybody can do is faster.

python -m benchmarks.tune WORKLOAD [axis=value]... [--mpi NAME] [--budget 5min]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic

import numpy as np

from benchmarks.table import Row, show
from halocline.base.errors import RunFailed, UserError
from halocline.base.progress import Reporter, reporting
from halocline.campaign.engine import carry_out
from halocline.campaign.log import Log
from halocline.campaign.pace import Limits
from halocline.campaign.starters import starter
from halocline.campaign.turns import ROUNDS
from halocline.cli import here, measuring
from halocline.cli.comparing import measure_sides
from halocline.cli.run import experiment_of
from halocline.cli.tuning import begin, library_of, side_of
from halocline.compare import folder as comparison
from halocline.environment import collect
from halocline.samples import run_folder
from halocline.samples.dataset import load
from halocline.samples.run_folder import open_run
from halocline.specification.experiment import Experiment
from halocline.specification.spec import Option
from halocline.summary.stats import CONFIDENCE, estimate
from halocline.tune import settings
from halocline.tune.bench import Bench
from halocline.tune.candidates import WAYS, Candidate, Space, space_of
from halocline.tune.candidates import experiment_of as whole_of
from halocline.tune.plan_file import Asked
from halocline.tune.search import Plan, search

SHARE = 0.25  # of the sweep's time
LAUNCHES = 10  # of each candidate in a sweep: with two to lose, below 8 nothing is said
_NO_END_S = 1e6


@dataclass(frozen=True)
class Swept:
    """The best of a sweep, what it took, and how many were in it."""

    best: Candidate
    seconds: float
    measured: int


def rows(workload: str, words: Sequence[str], mpi: str, budget: str) -> list[Row]:
    """What the search took of the sweep's time, and what its choice takes of the best one's."""
    options = [
        Option("experiment.mpi", "--mpi", [mpi]),
        Option("measure.budget", "--budget", budget),
    ]
    asked = experiment_of(workload, words, options)
    own = settings.of_family(settings.read(), mpi)
    whole, default = whole_of(asked, here.known().catalogue, own, {})
    with tempfile.TemporaryDirectory() as scratch:
        began_s = monotonic()
        result = begin(whole, Asked(workload, default, whole.budget_s), Path(scratch, "tuned"))
        tuned_s = monotonic() - began_s
        verdict = result.verdict
        chosen = result.space.default
        if verdict.recommended is not None:
            chosen = verdict.finalists[verdict.recommended]
        with reporting() as reporter:
            toolchains, catalogue = library_of(whole, reporter)
            space = space_of(whole, default, catalogue)
            folder = run_folder.create(
                Path(scratch, "swept"),
                whole,
                {**collect(tuple(toolchains.values())), "catalogue": here.own_catalogue()},
            )
            log = Log(folder.path)
            bench = Bench(space, folder, toolchains, log, Path(scratch), rounds_first=ROUNDS)
            swept = _swept(space, bench, log, reporter)
        against = _against(space, chosen, swept.best, Path(scratch, "both"))
        run_s = _run_s(space, swept.measured, Path(scratch, "run"))
    named = f"{workload}: {chosen.name(space.default)}, {result.sentence}"
    return [
        Row(
            f"tune {workload}, time / `halocline run`'s",
            tuned_s / run_s,
            0,
            SHARE,
            f"{tuned_s:.0f} s, {run_s:.0f} s for {swept.measured} candidates; {named}",
        ),
        Row(
            f"tune {workload}, time / that of a sweep in turn",
            tuned_s / swept.seconds,
            0,
            SHARE,
            f"{swept.seconds:.0f} s",
        ),
        Row(
            f"tune {workload}, choice / sweep's best",
            float(np.sqrt(against[0] * against[1])),
            0,
            1.0,
            f"95 %: {against[0]:.4f} … {against[1]:.4f}; {swept.best.name(space.default)}",
            against,
        ),
    ]


def _swept(space: Space, bench: Bench, log: Log, reporter: Reporter) -> Swept:
    began_s = monotonic()
    plan = Plan(_NO_END_S, launches=(LAUNCHES,), halving=False)
    policy = search(space, bench, plan, reporter.say)
    result = carry_out(policy, starter(space.experiment), reporter, log, "start again")
    seconds = monotonic() - began_s
    by_key = {each.key: each for each in (space.default, *space.candidates)}
    standings = bench.standings()
    key = result.finalists[0]
    best = by_key[key] if standings[key].score < 0 else space.default
    return Swept(best, seconds, len(space.candidates) - len(result.left_out))


def _run_s(space: Space, candidates: int, path: Path) -> float:
    """What `halocline run` takes for so many candidates, in as many launches.

    Its budget may leave some out: the time is that of those it measured, in proportion.
    """
    known = {value for each in (space.default, *space.candidates) for _, value in each.ways}
    parts = tuple(
        replace(
            part,
            axes=tuple(
                (name, values if name not in WAYS else tuple(v for v in values if v in known))
                for name, values in part.axes
            ),
        )
        for part in space.experiment.parts
    )
    experiment = replace(
        space.experiment,
        parts=parts,
        budget_s=Experiment.budget_s,  # it says how long a case takes: the launches are given
        launches_minimum=LAUNCHES,
        launches_maximum=LAUNCHES,
    )
    began_s = monotonic()
    with suppress(RunFailed):  # a setting with which the library does not start
        measuring.begin(experiment, path, report=False)
    elapsed_s = monotonic() - began_s
    done = sum(each.status == "measured" for each in load(open_run(path).samples).samples)
    if not done:
        raise UserError(f"{path} measured no case in {elapsed_s:.0f} s", remedy="try it by itself")
    return elapsed_s * candidates * space.problems * LAUNCHES / done


def _against(space: Space, chosen: Candidate, best: Candidate, path: Path) -> tuple[float, float]:
    """The interval of the choice's time over the best one's, all problems together."""
    if chosen == best:
        return 1.0, 1.0
    sides = [side_of(space, each) for each in (best, chosen)]
    measure_sides(sides, Limits(LAUNCHES, 20, 60.0), 0.03, path)
    logs = np.mean(comparison.logs(path)[0][0], axis=1)
    usable = logs[np.isfinite(logs)]
    return estimate(usable).bounds(1 - CONFIDENCE)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="A search next to sweeps of its candidates.")
    parser.add_argument("workload")
    parser.add_argument("words", nargs="*")
    parser.add_argument("--mpi", default="mpich")
    parser.add_argument("--budget", default="5min")
    given = parser.parse_intermixed_args()
    sys.exit(show(rows(given.workload, given.words, given.mpi, given.budget)))
