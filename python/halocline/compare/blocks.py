"""What a launch of several sides says of their ratio: blocks that took turns, round by round."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from halocline.cores import SLOWEST_LINE_S
from halocline.dataset import Dataset
from halocline.ratios import side_by_side
from halocline.records import Samples

BLOCKS_A_ROUND = 2  # of each side: ABBA
STATES_APART = 1.6  # states of a machine are farther apart than a probe's noise under load


def block_logs(record: Samples) -> NDArray[np.float64]:
    """The logarithm of the time of a traversal in each block; NaN where most was disturbed."""
    batches = record.block_batches
    if record.status != "measured" or not batches or record.traversal_s.size % batches:
        return np.empty(0)
    times = np.where(record.disturbed, np.nan, record.traversal_s).reshape(-1, batches)
    clean = np.isfinite(times).sum(axis=1)
    usable = 2 * clean >= batches
    found = np.full(len(times), np.nan)
    if usable.any():
        found[usable] = np.log(_medians(times[usable], clean[usable]))
    return found


def _medians(rows: NDArray[np.float64], known: NDArray[np.int_]) -> NDArray[np.float64]:
    """Each row's median of so many numbers beside NaN: np.nanmedian in a tenth of its time."""
    ordered = np.sort(rows, axis=1)  # NaN last
    lower, upper = (
        np.take_along_axis(ordered, middle[:, None], axis=1)[:, 0]
        for middle in ((known - 1) // 2, known // 2)
    )
    return np.asarray((lower + upper) / 2)


def launch_log(baseline: Samples, other: Samples) -> float | None:
    """The logarithm of the other's time over the baseline's; None if no round counts.

    In a round each side comes early and late alike: what drifts steadily cancels.
    """
    ours, theirs = block_logs(baseline), block_logs(other)
    if not ours.size or ours.size != theirs.size:
        return None
    apart = (theirs - ours).reshape(-1, BLOCKS_A_ROUND).mean(axis=1)
    usable = apart[np.isfinite(apart)]
    return float(np.median(usable)) if usable.size else None


def launch_logs(
    baseline: tuple[Dataset, str], other: tuple[Dataset, str], same_cores: bool = True
) -> tuple[dict[int, float], int]:
    """The same for every launch of a case, each given by its dataset and id.

    Also how many launches of both there are. Those in which the cores moved give nothing.
    `same_cores`: the sides were not asked to run on different ones.
    """
    ours, theirs = (_by_launch(*each) for each in (baseline, other))
    both = sorted(set(ours) & set(theirs))
    found = {
        launch: log
        for launch in both
        if not moved(ours[launch], theirs[launch], same_cores)
        and (log := launch_log(ours[launch], theirs[launch])) is not None
    }
    return found, len(both)


def moved(baseline: Samples, other: Samples, same_cores: bool = True) -> bool:
    """Whether a cache line between the ranks' cores took longer at one time than at another.

    The sides are compared in the same state of the machine, whichever it is. Sides on different
    cores are apart by what is compared: each has to stay in its own state.
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
    """The mean over the cases in each launch that has all of them."""
    if not rows:
        return []
    return [float(np.mean(launch)) for launch in side_by_side(rows)]
