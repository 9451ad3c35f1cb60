"""Two recorded runs by their folders."""

from __future__ import annotations

from pathlib import Path

from halocline.compare.comparison import Comparison
from halocline.compare.made import made_notes
from halocline.compare.recorded import assumed, common_cases, of_runs, own_of
from halocline.samples.cores import TOLERANCE
from halocline.samples.dataset import Dataset, load
from halocline.samples.run_folder import RunFolder, open_run
from halocline.specification.cases import Case
from halocline.specification.expand import expand
from halocline.summary.ratios import NO_DIFFERENCE


def of_folders(paths: tuple[Path, Path], resolution: float = NO_DIFFERENCE) -> Comparison:
    """The second run against the first one; UserError if they have no case in common."""
    runs = open_run(paths[0]), open_run(paths[1])
    datasets = load(runs[0].samples), load(runs[1].samples)
    own = own_of((runs[0].experiment, runs[1].experiment))
    cases = tuple(expand(run.experiment, run.catalogue) for run in runs)
    names = str(paths[0]), str(paths[1])
    both = common_cases((cases[0], cases[1]), own, (runs[0].catalogue, runs[1].catalogue))
    measured = [
        [case for case in of_run if dataset.case_samples(case.id)]
        for of_run, dataset in zip(cases, datasets, strict=True)
    ]
    notes = (*made_notes(runs, measured), *_notes(runs, datasets), *_assumed(runs, both))
    return of_runs(names, datasets, both, resolution, notes)


def _assumed(
    runs: tuple[RunFolder, RunFolder], both: tuple[tuple[Case, Case], ...]
) -> tuple[str, ...]:
    """Notes on axes that only one run's version of Halocline knows."""
    ours, theirs = zip(*both, strict=True)
    first, second = runs[0].catalogue, runs[1].catalogue
    axes = (*assumed(ours, first, second), *assumed(theirs, second, first))
    said = "exists only in one run's version of Halocline; the other run is taken to match it."
    return tuple(f"{axis} {said}" for axis in axes)


def _notes(runs: tuple[RunFolder, RunFolder], datasets: tuple[Dataset, Dataset]) -> tuple[str, ...]:
    """Notes on what makes the runs hard to compare."""
    notes = []
    hosts = [str(run.environment.get("host")) for run in runs]
    if hosts[0] != hosts[1]:
        notes.append(f"The runs are from different hosts: {hosts[0]} and {hosts[1]}.")
    lines = [
        sorted(line for record in dataset.samples for line in record.line_s) for dataset in datasets
    ]
    if all(lines):
        first, second = (times[len(times) // 2] for times in lines)
        if abs(second / first - 1) > TOLERANCE:
            notes.append(
                f"A cache line between the ranks' cores took {1e9 * first:.0f} ns in the first run "
                f"and {1e9 * second:.0f} ns in the second: the machine's state differed."
            )
    return tuple(notes)
