"""Curves from cases: which launches belong together, and which columns count."""

from __future__ import annotations

import numpy as np
import pytest

from detect.cases import case
from halocline.detect.curves import Curve, blocks, curve, ratio, usable
from halocline.summary.summary import CaseSummary

NONE = float("nan")


def at(size: int, figures_s: list[float], protocol: str = "send_recv") -> tuple[int, CaseSummary]:
    return size, case("pingpong", {"bytes": size, "protocol": protocol}, figures_s)


def test_launches_are_rows_and_sizes_columns() -> None:
    found = curve([at(16, [3.0, NONE, 5.0]), at(8, [1.0, 2.0]), at(4, [])])
    assert found.at == (8, 16)
    np.testing.assert_array_equal(found.figures, [[1.0, 3.0], [2.0, NONE], [NONE, 5.0]])


def test_ratios_are_of_the_same_launch() -> None:
    slower = [at(8, [4.0, 9.0, 10.0], "ssend_recv"), at(32, [1.0], "ssend_recv")]
    faster = [at(8, [2.0, 3.0, NONE]), at(16, [1.0])]
    found = ratio(slower, faster)
    assert found.at == (8,)
    np.testing.assert_array_equal(found.figures, [[2.0], [3.0]])


def test_nothing_is_a_curve_too() -> None:
    assert curve([]).at == ratio([], []).at == ()


def test_columns_of_few_launches_and_of_nothing_are_not_used() -> None:
    figures = np.array([[1.0, 1.0, 1.0]] * 3 + [[1.0, 1.0, NONE]])
    assert usable(Curve((0, 4, 8), figures)).at == (4,)


def test_a_curve_ascends_and_has_a_column_for_each_point() -> None:
    with pytest.raises(ValueError, match="not ascending"):
        Curve((8, 4), np.ones((2, 2)))
    with pytest.raises(ValueError, match="2 columns"):
        Curve((4, 8), np.ones((2, 3)))


def test_what_shares_no_launch_is_a_block_of_its_own() -> None:
    figures = np.array(
        [
            [1.0, NONE, 1.0, NONE],
            [1.0, NONE, NONE, NONE],
            [NONE, 2.0, NONE, 2.0],
        ]
    )
    first, second = blocks(Curve((1, 2, 3, 4), figures))
    assert (first.at, second.at) == ((1, 3), (2, 4))
    np.testing.assert_array_equal(first.figures, [[1.0, 1.0], [1.0, NONE]])
    np.testing.assert_array_equal(second.figures, [[2.0, 2.0]])


def test_blocks_hang_together_through_common_launches() -> None:
    figures = np.array([[1.0, 1.0, NONE], [NONE, 1.0, 1.0]])
    (only,) = blocks(Curve((1, 2, 3), figures))
    assert only.at == (1, 2, 3)
    assert blocks(Curve((), np.empty((0, 0)))) == ()
