"""The result of a comparison: a ratio for every case, and a one-sentence verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from halocline.base.units import counted
from halocline.compare import phases
from halocline.compare.blocks import launch_logs, over_cases
from halocline.compare.phases import PhaseRow
from halocline.samples.dataset import Dataset
from halocline.samples.lines import OTHER_SIDE
from halocline.specification.cases import Case
from halocline.summary.metrics import years_a_day
from halocline.summary.ratios import NO_DIFFERENCE, Ratio, Verdict, judged_estimates
from halocline.summary.stats import CONFIDENCE, Estimate, estimate

SCHEMA = 1
LAUNCHES_MINIMUM = 8  # of both sides with a ratio; no verdict below this
NO_TIME = "left out for time"
# Half-widths beyond this indicate load. Under load launches have longer tails than
# Student's t assumes: claiming a difference there takes this much more.
WIDE, MORE_SURE = 0.01, 1.5
USABLE_SHARE = 0.5  # of the launches of a case; below this the rest is a biased sample


@dataclass(frozen=True)
class Row:
    """A case of the baseline and the corresponding one of the other side.

    `low` and `high` are the 95 % interval of this ratio alone; those of `ratio` hold for the whole
    table. Without a ratio, `reason` says why.
    """

    baseline: Case
    other: Case
    baseline_s: float | None
    other_s: float | None
    ratio: Ratio
    low: float | None
    high: float | None
    reason: str = ""
    years_a_day: tuple[float, float] | None = None  # simulated, of models that step

    @property
    def failed(self) -> bool:
        """Whether a side moved wrong data, or could not end the case."""
        return self.reason.startswith("failed:")

    @property
    def common(self) -> tuple[str, ...]:
        """The settings common to both sides, and the number of ranks if not two."""
        both = [
            setting
            for setting in self.baseline.configuration
            if setting in self.other.configuration
        ]
        words = [f"{key}={value}" for key, value in both]
        return (*words, *([f"{self.baseline.ranks} ranks"] if self.baseline.ranks > 2 else []))


@dataclass(frozen=True)
class Comparison:
    """The other side against the baseline. `taken`: they took turns; else, two runs."""

    baseline: str
    other: str
    rows: tuple[Row, ...]
    overall: Ratio
    taken: bool
    launches: int
    resolution: float = NO_DIFFERENCE
    notes: tuple[str, ...] = ()
    phases: tuple[PhaseRow, ...] = ()  # of the cases whose steps have parts

    @property
    def verdict(self) -> Verdict | Literal["mixed"]:
        """The verdict of all rows: a claim if any row has one, `none` only if all have it."""
        claimed = {row.ratio.verdict for row in self.rows if row.low is not None}
        if {"faster", "slower"} <= claimed:
            return "mixed"
        for claim in ("faster", "slower", "unknown"):
            if claim in claimed:
                return claim
        return "none" if claimed else "unknown"

    @property
    def begun(self) -> tuple[Row, ...]:
        """The rows without those left out for time."""
        return tuple(row for row in self.rows if not row.reason.startswith(NO_TIME))

    @property
    def notes_of_all(self) -> tuple[str, ...]:
        """The notes, and the number of cases left out for time."""
        missing = len(self.rows) - len(self.begun)
        if not missing:
            return self.notes
        return (*self.notes, f"Started, but left out for time: {counted(missing, 'more case')}.")

    def rows_of(self, verdict: str) -> tuple[Row, ...]:
        """The rows with this verdict."""
        return tuple(row for row in self.rows if row.ratio.verdict == verdict)


def of_turns(
    names: tuple[str, str],
    datasets: tuple[Dataset, Dataset],
    cases: Sequence[tuple[Case, Case]],
    resolution: float = NO_DIFFERENCE,
    same_cores: bool = True,
    notes: tuple[str, ...] = (),
    interrupted: str = "",
    ended: Mapping[str, str] = MappingProxyType({}),
) -> Comparison:
    """Compare two sides that took turns, launch by launch; `same_cores` as for `launch_logs`.

    `interrupted`: how to resume, if launches are still to come. `ended`: why the baseline's cases
    were not launched again, if a third side could not measure them.
    """
    case_logs: list[dict[int, float]] = []
    estimates: list[Estimate | None] = []
    reasons: list[str] = []
    for ours, theirs in cases:
        logs, launches = launch_logs((datasets[0], ours.id), (datasets[1], theirs.id), same_cores)
        counts_of_case = len(logs), launches
        reason = _unusable(datasets, (ours, theirs), counts_of_case, interrupted, ended)
        case_logs.append({} if reason else logs)
        estimates.append(None if reason else estimate(list(logs.values())))
        reasons.append(reason)
    usable = [logs for logs in case_logs if logs]
    overall = over_cases(usable)
    counts = [len(logs) for logs in case_logs]
    rows = rows_of(datasets, cases, estimates, counts, reasons, resolution, took_turns=True)
    (whole,) = judged_estimates(
        [cautious(estimate(overall)) if len(overall) >= LAUNCHES_MINIMUM else None],
        [len(overall)],
        resolution,
    )
    launches = max(map(len, case_logs), default=0)
    usable_cases = [pair for pair, reason in zip(cases, reasons, strict=True) if not reason]
    of_phases = phases.of_turns(
        datasets, usable_cases, same_cores, LAUNCHES_MINIMUM, resolution, cautious
    )
    return Comparison(*names, rows, whole, True, launches, resolution, notes, of_phases)


def rows_of(
    datasets: tuple[Dataset, Dataset],
    cases: Sequence[tuple[Case, Case]],
    estimates: Sequence[Estimate | None],
    launches: Sequence[int],
    reasons: Sequence[str],
    resolution: float,
    *,
    took_turns: bool,
) -> tuple[Row, ...]:
    """The rows of a table, judged together."""
    ratios = judged_estimates([*map(cautious, estimates)], launches, resolution)
    rows = []
    for (ours, theirs), own_estimate, ratio, reason in zip(
        cases, estimates, ratios, reasons, strict=True
    ):
        medians = _medians_s(datasets, (ours, theirs), took_turns)
        low, high = (None, None) if own_estimate is None else own_estimate.bounds(1 - CONFIDENCE)
        years = _years_a_day(datasets, (ours, theirs), medians)
        rows.append(Row(ours, theirs, medians[0], medians[1], ratio, low, high, reason, years))
    return tuple(rows)


def _medians_s(
    datasets: tuple[Dataset, Dataset], cases: tuple[Case, Case], took_turns: bool
) -> list[float | None]:
    """The medians over the launches that give a figure.

    Load shifts both sides that took turns but not their ratio: if one has launches under load only,
    both use the times of all their launches.
    """
    pairs = list(zip(datasets, cases, strict=True))
    kept = [dataset.usable(case.id) for dataset, case in pairs]
    if took_turns and not all(kept):
        kept = [dataset.measured(case.id) for dataset, case in pairs]
    medians_s = [[r.clean_median_s for r in records] for records in kept]
    known = [[each for each in medians if each is not None] for medians in medians_s]
    return [float(np.median(each)) if each else None for each in known]


def _years_a_day(
    datasets: tuple[Dataset, Dataset], cases: tuple[Case, Case], medians_s: Sequence[float | None]
) -> tuple[float, float] | None:
    """Simulated years a day of both sides, if both step."""
    years: list[float] = []
    for dataset, case, median_s in zip(datasets, cases, medians_s, strict=True):
        records = dataset.measured(case.id)
        simulated = years_a_day(records[0].facts, median_s) if records and median_s else None
        years += [simulated] if simulated else []
    return (years[0], years[1]) if len(years) == 2 else None


def cautious(found: Estimate | None) -> Estimate | None:
    """The estimate that a verdict uses: under load its error counts more."""
    if found is None or found.reach(1 - CONFIDENCE) <= WIDE:
        return found
    return Estimate(found.centre, MORE_SURE * found.error, found.degrees)


def unmeasured(datasets: tuple[Dataset, Dataset], cases: tuple[Case, Case]) -> str:
    """Why a side could not measure a case: `failed` or `skipped`, and the reason; "" if it did."""
    reasons = {
        record.reason: record.status
        for dataset, case in zip(datasets, cases, strict=True)
        for record in dataset.case_samples(case.id)
        if record.status != "measured"
    }
    # A failure first, then the side's own reason.
    order = sorted(reasons, key=lambda reason: (reasons[reason] != "failed", reason == OTHER_SIDE))
    return f"{reasons[order[0]]}: {order[0]}" if order else ""


def _unusable(
    datasets: tuple[Dataset, Dataset],
    cases: tuple[Case, Case],
    counts: tuple[int, int],
    interrupted: str,
    ended: Mapping[str, str],
) -> str:
    """Why a case has no verdict; empty if it has enough launches. `counts`: usable, and all."""
    usable, launches = counts
    if reason := unmeasured(datasets, cases):
        return reason
    if launches < LAUNCHES_MINIMUM and (why := ended.get(cases[0].id)):
        return f"ended after {launches} of {LAUNCHES_MINIMUM} launches: {why}"
    if launches < LAUNCHES_MINIMUM and interrupted:
        return f"interrupted after {launches} of {LAUNCHES_MINIMUM} launches; {interrupted}"
    if launches < LAUNCHES_MINIMUM:
        for dataset in datasets:
            for why in dataset.left_out.values():
                return f"left out: a launch does not count: {why}; compare again"
        return f"{NO_TIME}: {launches} of {LAUNCHES_MINIMUM} launches; raise --budget"
    if usable < LAUNCHES_MINIMUM or usable < USABLE_SHARE * launches:
        return (
            f"refused: in {launches - usable} of {launches} launches, other work took the cores or "
            "the ranks migrated"
        )
    return ""


def to_json(found: Comparison, sentence: str) -> dict[str, Any]:
    """The comparison as JSON."""
    return {
        "schema": SCHEMA,
        "baseline": found.baseline,
        "other": found.other,
        "verdict": found.verdict,
        "sentence": sentence,
        "interleaved": found.taken,
        "launches": found.launches,
        "resolution": found.resolution,
        "overall": _mean_json(found.overall),
        "notes": list(found.notes),
        "cases": [
            {
                "id": row.baseline.id,
                "other_id": row.other.id,
                "workload": row.baseline.workload,
                "axes": dict(row.baseline.axes),
                "ranks": row.baseline.ranks,
                "baseline_s": row.baseline_s,
                "other_s": row.other_s,
                "ratio": row.ratio.to_json(),
                "low": row.low,
                "high": row.high,
                "reason": row.reason,
                "years_a_day": row.years_a_day,
            }
            for row in found.rows
        ],
        "phases": phases.to_json(found.phases),
    }


def _mean_json(mean: Ratio) -> Mapping[str, Any]:
    """Rows without verdicts: these need the whole table."""
    return {key: value for key, value in mean.to_json().items() if key not in ("verdict", "text")}
