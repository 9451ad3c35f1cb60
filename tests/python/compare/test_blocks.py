"""What a launch says of a ratio: blocks, rounds, and when it says nothing."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from numpy.typing import ArrayLike

from halocline.compare.blocks import block_logs, launch_log, moved, over_cases
from halocline.samples.records import Samples


def blocks(
    times: ArrayLike, disturbed: ArrayLike = False, line_s: tuple[float, ...] = ()
) -> Samples:
    """A row a block; a batch lasts as long as one traversal."""
    table = np.asarray(times, dtype=np.float64)
    return cast(
        Samples,
        SimpleNamespace(
            status="measured",
            block_batches=table.shape[1],
            traversal_s=table.ravel(),
            disturbed=np.broadcast_to(disturbed, table.shape).ravel(),
            line_s=line_s,
        ),
    )


def test_a_block_is_its_median_batch() -> None:
    assert block_logs(blocks([[1, 2, 30], [4, 4, 4]])) == pytest.approx(np.log([2, 4]))


def test_a_block_of_which_most_was_disturbed_says_nothing() -> None:
    logs = block_logs(blocks([[1, 1, 1, 9], [1, 9, 9, 9]], [[0, 0, 0, 1], [0, 1, 1, 1]]))
    assert logs[0] == 0
    assert np.isnan(logs[1])


def test_batches_that_make_no_whole_blocks_say_nothing() -> None:
    torn = blocks([[1, 1], [1, 1]])
    torn.traversal_s = np.ones(3)
    assert block_logs(torn).size == 0


@pytest.mark.parametrize("slope", [0.0, 0.3, -0.2])
def test_a_steady_drift_cancels_in_each_round(slope: float) -> None:
    at = np.arange(8.0)  # ABBA ABBA: when each block was
    time = np.exp(slope * at)
    ours, theirs = time[[0, 3, 4, 7]], 1.25 * time[[1, 2, 5, 6]]
    found = launch_log(blocks(ours[:, None]), blocks(theirs[:, None]))
    assert found == pytest.approx(np.log(1.25))


def test_a_round_with_a_lost_block_does_not_count() -> None:
    ours = blocks([[1.0], [1.0], [1.0], [1.0]], [[1], [0], [0], [0]])
    theirs = blocks([[9.0], [9.0], [2.0], [2.0]])
    assert launch_log(ours, theirs) == pytest.approx(np.log(2))
    all_lost = blocks([[1.0], [1.0]], [[1], [1]])
    assert launch_log(all_lost, blocks([[1.0], [1.0]])) is None
    assert launch_log(blocks([[1.0]]), blocks([[1.0], [1.0]])) is None


def test_cores_that_moved_are_noticed() -> None:
    near, far = blocks([[1.0]], line_s=(50e-9, 60e-9)), blocks([[1.0]], line_s=(240e-9,))
    assert not moved(near, near)
    assert moved(near, far)
    assert not moved(blocks([[1.0]]), blocks([[1.0]]))  # never probed
    assert not moved(near, far, same_cores=False)
    assert moved(near, blocks([[1.0]], line_s=(50e-9, 240e-9)), same_cores=False)


def test_the_mean_is_over_launches_that_have_all_cases() -> None:
    assert over_cases([{1: 0.1, 2: 0.3}, {2: 0.1, 3: 5.0}]) == pytest.approx([0.2])
    assert over_cases([]) == []
