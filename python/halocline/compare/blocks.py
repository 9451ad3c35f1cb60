"""The ratio of sides from one launch: blocks in turn, round by round."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from halocline.samples.cores import SLOWEST_LINE_S
from halocline.samples.dataset import Dataset
from halocline.samples.records import Samples
from halocline.summary.ratios import side_by_side

Times = Callable[[Samples], NDArray[np.float64]]  # of one traversal in each batch

BLOCKS_A_ROUND = 2  # of each side: ABBA
STATES_APART = 1.6  # machine states differ by more than the probe's noise under load


def whole(record: Samples) -> NDArray[np.float64]:
    """The whole time of a traversal."""
    return record.traversal_s


def block_logs(record: Samples, of: Times = whole) -> NDArray[np.float64]:
    """The logarithm of the time of a traversal in each block; NaN where most was disturbed."""
    batches = record.block_batches
    if record.status != "measured" or not batches or record.traversal_s.size % batches:
        return np.empty(0)
    times_s = of(record)
    if times_s.size != record.traversal_s.size:
        return np.empty(0)
    usable_s = np.where(record.disturbed | (times_s <= 0), np.nan, times_s)
    times = usable_s.reshape(-1, batches)
    clean = np.isfinite(times).sum(axis=1)
    usable = 2 * clean >= batches
    logs = np.full(len(times), np.nan)
    if usable.any():
        logs[usable] = np.log(_medians(times[usable], clean[usable]))
    return logs


def _medians(rows: NDArray[np.float64], known: NDArray[np.int_]) -> NDArray[np.float64]:
    """Each row's median ignoring NaN, given the counts: ten times as fast as np.nanmedian."""
    ordered = np.sort(rows, axis=1)  # NaN last
    lower, upper = (
        np.take_along_axis(ordered, middle[:, None], axis=1)[:, 0]
        for middle in ((known - 1) // 2, known // 2)
    )
    return np.asarray((lower + upper) / 2)


def launch_log(baseline: Samples, other: Samples, of: Times = whole) -> float | None:
    """The logarithm of the other's time over the baseline's; None if no round counts.

    In a round each side comes early and late equally often: steady drift cancels.
    """
    ours, theirs = block_logs(baseline, of), block_logs(other, of)
    if not ours.size or ours.size != theirs.size:
        return None
    apart = (theirs - ours).reshape(-1, BLOCKS_A_ROUND).mean(axis=1)
    usable = apart[np.isfinite(apart)]
    return float(np.median(usable)) if usable.size else None


def launch_logs(
    baseline: tuple[Dataset, str],
    other: tuple[Dataset, str],
    same_cores: bool = True,
    of: Times = whole,
) -> tuple[dict[int, float], int]:
    """The same for every launch of a case, each side given by its dataset and id.

    Also the number of launches of both. Launches in which the cores changed are discarded.
    `same_cores`: the sides do not differ in placement.
    """
    ours, theirs = (_by_launch(*side) for side in (baseline, other))
    both = sorted(set(ours) & set(theirs))
    logs = {
        launch: log
        for launch in both
        if not moved(ours[launch], theirs[launch], same_cores)
        and (log := launch_log(ours[launch], theirs[launch], of)) is not None
    }
    return logs, len(both)


def moved(baseline: Samples, other: Samples, same_cores: bool = True) -> bool:
    """Whether the cache-line latency between the ranks' cores changed during the launch.

    The sides are compared in the same machine state, whichever it is. Sides on different cores
    differ by design: each has to stay in its own state.
    """
    if not same_cores:
        return _apart(baseline.line_s) or _apart(other.line_s)
    return _apart((*baseline.line_s, *other.line_s))


def _apart(lines_s: Sequence[float]) -> bool:
    lines = [line for line in lines_s if line <= SLOWEST_LINE_S]
    return bool(lines) and max(lines) > STATES_APART * min(lines)


def _by_launch(dataset: Dataset, case: str) -> dict[int, Samples]:
    return {record.launch: record for record in dataset.case_samples(case)}


def over_cases(rows: Sequence[dict[int, float]]) -> list[float]:
    """The mean over the cases, for each launch that has all of them."""
    if not rows:
        return []
    return [float(np.mean(launch)) for launch in side_by_side(rows)]
