"""Compare runs measured one after the other: intervals are wider than for sides in turn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

from halocline.base.errors import UserError
from halocline.compare import phases
from halocline.compare.comparison import (
    LAUNCHES_MINIMUM,
    Comparison,
    cautious,
    rows_of,
    unmeasured,
)
from halocline.compare.sides import keyed
from halocline.samples.dataset import Dataset
from halocline.specification.cases import Case
from halocline.specification.catalogue import Catalogue
from halocline.specification.experiment import Experiment
from halocline.summary.ratios import NO_DIFFERENCE, judged_estimates, share_text
from halocline.summary.stats import CONFIDENCE, Estimate, estimate

# Assumed difference between runs of one library at different times, however many launches each has
# (standard deviation of a run's figures; decision 28), and its precision, as if from this many
# runs.
BETWEEN_RUNS = 0.01
_RUNS_KNOWN = 12
# A simulation repeats itself to the last bit: the second launch proves that.
_LAUNCHES_OF_EXACT = 2


def own_of(experiments: tuple[Experiment, Experiment]) -> frozenset[str]:
    """The keys in which two runs differ, with one value each: what is compared."""
    first, second = (_single(experiment) for experiment in experiments)
    both = first.keys() & second.keys()
    # A number is an amount of data: runs of different sizes have nothing in common.
    differing = {
        key for key in both if first[key] != second[key] and not isinstance(first[key], int)
    }
    ours, theirs = (_parts_with(experiment) for experiment in experiments)
    # A setting that the other run does not name is at its default there.
    ones = {key for key in ours.keys() ^ theirs.keys() if key in first.keys() ^ second.keys()}
    return frozenset(differing | {key for key in ones if (ours | theirs)[key]})


def common_cases(
    cases: tuple[Sequence[Case], Sequence[Case]],
    own: frozenset[str],
    catalogues: tuple[Catalogue, Catalogue] | None = None,
) -> tuple[tuple[Case, Case], ...]:
    """The cases that both runs have; UserError if none.

    With the runs' catalogues, an axis that only one version of Halocline knows counts only where
    it is not at its default.
    """
    first, second = catalogues or (None, None)
    ours = keyed("A", cases[0], own, partial(_added, first, second))
    theirs = keyed("B", cases[1], own, partial(_added, second, first))
    both = tuple((case, theirs[key]) for key, case in ours.items() if key in theirs)
    if not both:
        remedy = "measure both with the same workload and axes"
        raise UserError("the two runs have no case in common", remedy=remedy)
    return both


def of_runs(
    names: tuple[str, str],
    datasets: tuple[Dataset, Dataset],
    cases: Sequence[tuple[Case, Case]],
    resolution: float = NO_DIFFERENCE,
    notes: tuple[str, ...] = (),
) -> Comparison:
    """Compare two recorded runs, launch figures against launch figures."""
    estimates: list[Estimate | None] = []
    launches: list[int] = []
    reasons: list[str] = []
    reaches: list[tuple[float, float]] = []
    exact = all(start.simulated for dataset in datasets for start in dataset.starts)
    between = 0.0 if exact else BETWEEN_RUNS
    needed = _LAUNCHES_OF_EXACT if exact else LAUNCHES_MINIMUM
    for pair in cases:
        figures = [
            [math.log(figure) for figure in dataset.launch_figures(case.id)]
            for dataset, case in zip(datasets, pair, strict=True)
        ]
        fewest = min(map(len, figures))
        launches.append(fewest)
        if reason := unmeasured(datasets, pair):
            estimates.append(None)
            reasons.append(reason)
            continue
        if fewest < needed:
            estimates.append(None)
            lost = [len(d.shares_lost(case.id)) for d, case in zip(datasets, pair, strict=True)]
            loaded = (
                f"; other work took too much of the time in {lost[0]} launches of the first run "
                f"and {lost[1]} of the second"
                if any(lost)
                else ""
            )
            reasons.append(
                f"launches with a figure in both runs: {fewest}, needed: {needed}{loaded}"
            )
            continue
        ours, theirs = map(estimate, figures)
        reasons.append("")
        apart = between_runs(ours, theirs, between)
        estimates.append(apart)
        reaches.append((apart.reach(1 - CONFIDENCE), _paired(ours, theirs, fewest)))
    rows = rows_of(datasets, cases, estimates, launches, reasons, resolution, took_turns=False)
    known = [case_estimate for case_estimate in estimates if case_estimate is not None]
    measured = [pair for pair in cases if not unmeasured(datasets, pair)]
    (overall,) = judged_estimates([_mean(known)], [max(launches, default=0)], resolution)
    return Comparison(
        *names,
        rows,
        overall,
        False,
        max(launches, default=0),
        resolution,
        (*notes, *(() if exact else _what_turns_would_give(reaches))),
        phases.of_runs(
            datasets,
            measured,
            lambda ours, theirs: between_runs(ours, theirs, between),
            needed,
            resolution,
            cautious,
        ),
    )


def between_runs(ours: Estimate, theirs: Estimate, between: float = BETWEEN_RUNS) -> Estimate:
    """Their mean minus ours, by Welch, plus the variation between runs; none for a
    machine that repeats itself to the last bit.
    """
    variances = (
        (ours.error**2, ours.degrees),
        (theirs.error**2, theirs.degrees),
        (2 * between**2, _RUNS_KNOWN - 1),
    )
    variance = sum(part for part, _ in variances)
    if variance == 0:
        return Estimate(theirs.centre - ours.centre, 0.0, min(ours.degrees, theirs.degrees))
    degrees = variance**2 / sum(part**2 / count for part, count in variances)
    return Estimate(theirs.centre - ours.centre, math.sqrt(variance), degrees)


def _paired(ours: Estimate, theirs: Estimate, launches: int) -> float:
    """The half-width that as many launches in turn would have given."""
    error = math.hypot(ours.error, theirs.error)
    return Estimate(0.0, error, launches - 1).reach(1 - CONFIDENCE)


def _mean(estimates: Sequence[Estimate]) -> Estimate | None:
    """Over all cases; the variation between runs is common to them, so more cases do not help."""
    if not estimates:
        return None
    count = len(estimates)
    error = math.sqrt(sum(case_estimate.error**2 for case_estimate in estimates) / count)
    return Estimate(
        sum(case_estimate.centre for case_estimate in estimates) / count,
        error,
        min(case_estimate.degrees for case_estimate in estimates),
    )


def _what_turns_would_give(reaches: Sequence[tuple[float, float]]) -> tuple[str, ...]:
    if not reaches:
        return ()
    here, in_turn = (sorted(column)[len(reaches) // 2] for column in zip(*reaches, strict=True))
    return (
        "These runs were measured one after the other, so the intervals include how much runs of a "
        f"library differ at different times: ± {share_text(here)} for the median case. Had the "
        f"sides taken turns (`halocline compare` with live sides), as many launches would have "
        f"given ± {share_text(in_turn)} or less.",
    )


def assumed(cases: Sequence[Case], here: Catalogue, there: Catalogue) -> tuple[str, ...]:
    """Axes of these cases that count for nothing: `barriers=solve`."""
    return tuple(
        dict.fromkeys(
            f"{name}={case.axis(name)}"
            for case in cases
            for name in sorted(_added(here, there, case))
        )
    )


def _added(here: Catalogue | None, there: Catalogue | None, case: Case) -> frozenset[str]:
    """Axes of a case at their default that its workload does not have in the other catalogue."""
    if here is None or there is None:
        return frozenset()
    ours, theirs = here.workload(case.workload), there.workload(case.workload)
    if ours is None or theirs is None:
        return frozenset()
    return frozenset(
        axis.name
        for axis in ours.axes
        if theirs.axis(axis.name) is None and here.defaults(axis) == (case.axis(axis.name),)
    )


def _parts_with(experiment: Experiment) -> dict[str, bool]:
    """The settings that any part names, and whether all do."""
    named = [{key for key, _ in part.configuration} for part in experiment.all_parts]
    return {key: all(key in keys for keys in named) for key in set().union(*named)}


def _single(experiment: Experiment) -> dict[str, object]:
    """Axes and settings with one value over all parts."""
    values: dict[str, set[object]] = {
        "mpi": set(experiment.mpi),
        "machine": {experiment.machine},
    }
    for part in experiment.all_parts:
        for key, choices in (*part.axes, *part.configuration):
            values.setdefault(key, set()).update(choices)
    return {key: next(iter(choices)) for key, choices in values.items() if len(choices) == 1}
