"""Statistics: exact values by hand, and coverage and false rates by seeded simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from halocline.summary.stats import half_width_relative, interval, modes


def test_one_launch_has_a_median_and_no_bounds() -> None:
    found = interval([1.5e-6])
    assert (found.median, found.low, found.high) == (1.5e-6, None, None)
    assert half_width_relative([1.5e-6]) == math.inf
    assert half_width_relative([]) == math.inf


def test_no_launch_is_an_error() -> None:
    with pytest.raises(ValueError, match="at least one launch"):
        interval([])


def test_equal_launches_give_exactly_no_width() -> None:
    found = interval([1.5e-6] * 7)
    assert (found.median, found.low, found.high) == (1.5e-6, 1.5e-6, 1.5e-6)
    assert half_width_relative([1.5e-6] * 7) == 0.0


def test_two_launches_use_students_t_on_logarithms() -> None:
    # t(0.975; 1 degree of freedom) = 12.706; standard error of ±d around zero = d.
    found = interval([math.exp(-0.01), math.exp(0.01)])
    median = math.cosh(0.01)
    assert found.median == pytest.approx(median, rel=1e-14)
    assert found.low == pytest.approx(math.exp(-12.706204736 * 0.01), rel=1e-9)
    assert found.high == pytest.approx(math.exp(12.706204736 * 0.01), rel=1e-9)


def test_five_launches_trim_one_at_each_end() -> None:
    # Logarithms -9, -1, 0, 1, 9 (per cent): winsorized -1, -1, 0, 1, 1, sum of squares 4,
    # three kept: error = sqrt(4 / (3 * 2)) per cent, t(0.975; 2) = 4.302653.
    figures = np.exp(np.array([-9.0, -1.0, 0.0, 1.0, 9.0]) / 100)
    reach = 4.30265272991 * math.sqrt(4 / 6) / 100
    found = interval(figures)
    assert found.low is not None and found.high is not None
    assert math.log(found.low) == pytest.approx(-reach, rel=1e-9)
    assert math.log(found.high) == pytest.approx(reach, rel=1e-9)
    assert half_width_relative(figures) == pytest.approx(math.sinh(reach), rel=1e-9)


def test_interval_is_widened_to_hold_the_median() -> None:
    # Seven of eight agree: the trimmed spread is zero, but the mean of the kept is too.
    found = interval([1.0, 1.0, 1.0, 1.0, 1.0, 1.2, 1.2, 1.2])
    assert found.low is not None and found.high is not None
    assert found.low <= found.median <= found.high


@pytest.mark.parametrize("launches", [5, 8, 12, 20])
def test_intervals_cover_the_truth_as_often_as_they_claim(launches: int) -> None:
    figures = 0.6e-6 * np.exp(np.random.default_rng(2005).normal(0, 0.01, (6000, launches)))
    intervals = [interval(row) for row in figures]
    covered = np.mean([i.low <= 0.6e-6 <= i.high for i in intervals])  # type: ignore[operator]
    assert 0.93 <= covered <= 0.97


@pytest.mark.parametrize("sigma", [0.005, 0.01, 0.02, 0.05])
@pytest.mark.parametrize("count", [30, 100, 800])
def test_one_log_normal_mode_is_seldom_taken_for_two(sigma: float, count: int) -> None:
    random = np.random.default_rng(1)
    trials = [modes(np.exp(random.normal(0, sigma, count))) for _ in range(400)]
    assert sum(len(found) > 1 for found in trials) <= 4


@pytest.mark.parametrize("outlier", [1.5, 100.0])
def test_a_few_outliers_are_no_mode(outlier: float) -> None:
    times = np.exp(np.random.default_rng(2).normal(0, 0.01, 400))
    times[:25] *= outlier
    assert len(modes(times)) == 1


@pytest.mark.parametrize("sigma", [0.0, 0.005, 0.02])
def test_two_modes_are_found_with_their_shares(sigma: float) -> None:
    spread = np.exp(np.random.default_rng(3).normal(0, sigma, 500))
    times = spread * np.where(np.arange(500) < 150, 1.25, 1.0)
    low, high = modes(times)
    assert low.value == pytest.approx(1.0, rel=0.01)
    assert high.value == pytest.approx(1.25, rel=0.01)
    assert (low.share, high.share) == (0.7, 0.3)


def test_modes_of_few_or_equal_samples() -> None:
    assert modes([]) == ()
    assert [(m.value, m.share) for m in modes([1.0] * 10 + [2.0] * 10)] == [(1.5, 1.0)]
    assert [(m.value, m.share) for m in modes([1.5e-6] * 200)] == [(1.5e-6, 1.0)]


def test_three_modes_are_found() -> None:
    spread = np.exp(np.random.default_rng(4).normal(0, 0.01, 900))
    found = modes(spread * np.repeat([1.0, 1.3, 1.8], 300))
    assert [round(m.share, 3) for m in found] == [0.333, 0.333, 0.333]
    assert [m.value for m in found] == pytest.approx([1.0, 1.3, 1.8], rel=0.01)


def test_a_mode_too_close_to_a_higher_one_hides_no_third() -> None:
    """Of maxima 2 % apart the middle one goes, and the outer two are 4 % apart."""
    found = modes(np.repeat([1.0, 1.02, 1.04], [100, 120, 300]))
    assert [m.value for m in found] == [1.0, 1.04]


def test_samples_of_nothing_have_one_mode() -> None:
    """A skew may be nothing, which has no logarithm."""
    (mode,) = modes(np.repeat([0.0, 1e-9, 2e-9], 100))
    assert (mode.value, mode.share) == (1e-9, 1.0)
