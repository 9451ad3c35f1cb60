"""The phases of two sides: which part of a step is faster, judged as a table of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.compare.blocks import Times, launch_logs
from halocline.samples.dataset import Dataset
from halocline.samples.records import Samples
from halocline.specification.cases import Case
from halocline.summary.phases import mean_s, of_launch
from halocline.summary.ratios import Ratio, judged_estimates
from halocline.summary.stats import CONFIDENCE, Estimate, estimate

Sides = tuple[Dataset, Dataset]
Pairs = Sequence[tuple[Case, Case]]
Careful = Callable[[Estimate | None], Estimate | None]


@dataclass(frozen=True)
class PhaseRow:
    """A phase of the baseline and its counterpart: times averaged over ranks, and their ratio.

    `low` and `high` are the 95 % interval of this ratio alone; those of `ratio` hold for all
    phases together. Without an estimate `reason` says why.
    """

    baseline: Case
    other: Case
    phase: str
    baseline_s: float | None
    other_s: float | None
    ratio: Ratio
    low: float | None
    high: float | None
    reason: str


def of_turns(
    sides: Sides, cases: Pairs, same_cores: bool, fewest: int, resolution: float, careful: Careful
) -> tuple[PhaseRow, ...]:
    """The phases of sides that took turns, launch by launch."""

    def logs(ours: Case, theirs: Case, name: str) -> tuple[Estimate | None, int]:
        pair = (sides[0], ours.id), (sides[1], theirs.id)
        by_launch, _ = launch_logs(*pair, same_cores, _in_phase(name))
        return (estimate(list(by_launch.values())) if len(by_launch) >= fewest else None), len(
            by_launch
        )

    return _rows(sides, cases, logs, fewest, resolution, careful)


def of_runs(
    sides: Sides,
    cases: Pairs,
    apart: Callable[[Estimate, Estimate], Estimate],
    fewest: int,
    resolution: float,
    careful: Careful,
) -> tuple[PhaseRow, ...]:
    """The phases of two recorded runs, launch figures against launch figures."""

    def logs(ours: Case, theirs: Case, name: str) -> tuple[Estimate | None, int]:
        rows = [
            np.log([f for f in _figures_s(side.usable(case.id), name) if f > 0])
            for side, case in zip(sides, (ours, theirs), strict=True)
        ]
        count = min(map(len, rows))
        return (apart(estimate(rows[0]), estimate(rows[1])) if count >= fewest else None), count

    return _rows(sides, cases, logs, fewest, resolution, careful)


def to_json(rows: Sequence[PhaseRow]) -> list[dict[str, Any]]:
    """The phases as the comparison's JSON has them."""
    return [
        {
            "id": row.baseline.id,
            "other_id": row.other.id,
            "phase": row.phase,
            "baseline_s": row.baseline_s,
            "other_s": row.other_s,
            "ratio": row.ratio.to_json(),
            "low": row.low,
            "high": row.high,
            "reason": row.reason,
        }
        for row in rows
    ]


def _rows(
    sides: Sides,
    cases: Pairs,
    logs: Callable[[Case, Case, str], tuple[Estimate | None, int]],
    fewest: int,
    resolution: float,
    careful: Careful,
) -> tuple[PhaseRow, ...]:
    keys = [
        (ours, theirs, name)
        for ours, theirs in cases
        for name in _names(sides[0], ours)
        if name in _names(sides[1], theirs)
    ]
    by_phase = [logs(*key) for key in keys]
    estimates = [phase_estimate for phase_estimate, _ in by_phase]
    counts = [count for _, count in by_phase]
    ratios = judged_estimates(
        [careful(phase_estimate) for phase_estimate in estimates], counts, resolution
    )
    rows = []
    for (ours, theirs, name), known, count, ratio in zip(
        keys, estimates, counts, ratios, strict=True
    ):
        low, high = (None, None) if known is None else known.bounds(1 - CONFIDENCE)
        medians = [_median_s(sides[0], ours, name), _median_s(sides[1], theirs, name)]
        few = "" if known else f"launches with a time in the phase: {count}, needed: {fewest}"
        rows.append(PhaseRow(ours, theirs, name, medians[0], medians[1], ratio, low, high, few))
    return tuple(rows)


def _in_phase(name: str) -> Times:
    def times_s(record: Samples) -> NDArray[np.float64]:
        phase = of_launch(record, name)
        return np.empty(0) if phase is None else phase.mean_s / record.repeats

    return times_s


def _names(side: Dataset, case: Case) -> tuple[str, ...]:
    measured = side.measured(case.id)
    return tuple(phase.name for phase in measured[0].phases) if measured else ()


def _figures_s(launches: Sequence[Samples], name: str) -> list[float]:
    """The median of each launch that has the phase."""
    clean = [
        mean_s(record, phase)
        for record in launches
        if (phase := of_launch(record, name)) is not None
    ]
    return [float(np.median(times_s)) for times_s in clean if times_s.size]


def _median_s(side: Dataset, case: Case, name: str) -> float | None:
    """Over the launches that give a figure; over all if load leaves none."""
    figures_s = _figures_s(side.usable(case.id) or side.measured(case.id), name)
    return float(np.median(figures_s)) if figures_s else None
