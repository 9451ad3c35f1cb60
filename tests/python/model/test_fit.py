"""Hockney's model of curves whose parameters are known, and of curves that have none."""

from __future__ import annotations

import numpy as np
import pytest

from halocline.detect.curves import Curve
from halocline.model.fit import Bounded, Residual, fit, rejection
from model.machine import BOUNDS, EAGER, QUIET, RENDEZVOUS, SIZES, Noise, launched, times


def holds(found: Bounded, truth: float) -> bool:
    assert found.low is not None and found.high is not None
    return bool(found.low <= truth <= found.high)


def test_exact_times_give_the_parameters_back() -> None:
    found = fit(launched(times(), noise=QUIET), BOUNDS)
    eager, rendezvous = found.pieces
    assert (eager.from_bytes, eager.to_bytes) == (0, 8192)
    assert (rendezvous.from_bytes, rendezvous.to_bytes) == (16384, SIZES[-1])
    for piece, truth in ((eager, EAGER), (rendezvous, RENDEZVOUS)):
        assert (piece.latency_s.value, piece.per_byte_s.value) == pytest.approx(truth, rel=1e-6)
    assert found.rejected == ""
    assert found.median_error == pytest.approx(0, abs=1e-6)
    assert found.usable is not None
    assert found.usable.time_s(3 * 2**20) == pytest.approx(5e-6 + 3 * 2**20 * 1e-10)


def test_intervals_hold_the_parameters() -> None:
    """95 % of 48 are 46. A launch that is slow moves all four of a fit: 12 count, not 48."""
    held = 0
    for seed in range(12):
        found = fit(launched(times(), seed=seed), BOUNDS)
        assert found.rejected == ""
        for piece, truth in zip(found.pieces, (EAGER, RENDEZVOUS), strict=True):
            held += holds(piece.latency_s, truth[0]) + holds(piece.per_byte_s, truth[1])
    assert held >= 40


def test_the_break_is_found_where_no_limit_is_known() -> None:
    found = fit(launched(times()), None)
    assert [piece.to_bytes for piece in found.pieces] == [8192, SIZES[-1]]


def test_a_known_limit_breaks_a_curve_that_shows_none() -> None:
    flat = 1e-6 + 1e-10 * np.array(SIZES)
    assert len(fit(launched(flat), None).pieces) == 1
    assert [piece.to_bytes for piece in fit(launched(flat), BOUNDS).pieces] == [8192, SIZES[-1]]


def test_sizes_that_no_probe_asked_are_free() -> None:
    """Probed at 4 KiB and 64 KiB: 16 and 32 KiB belong to what their times say."""
    found = fit(launched(times(), noise=QUIET), (4096.0, 65536.0))
    assert [piece.to_bytes for piece in found.pieces] == [8192, SIZES[-1]]


def test_more_noise_gives_wider_intervals_and_no_rejection() -> None:
    quiet, loud = (
        fit(launched(times(), seed=3, noise=Noise(each, each)), BOUNDS) for each in (0.005, 0.08)
    )
    for one, other in zip(quiet.pieces, loud.pieces, strict=True):
        assert one.latency_s.error is not None and other.latency_s.error is not None
        assert other.latency_s.error > 3 * one.latency_s.error
    assert loud.rejected == ""


def test_a_curve_that_is_no_line_anywhere_is_rejected() -> None:
    random = np.random.default_rng(1)
    erratic = times() * np.exp(random.choice([-0.5, 0.5], len(SIZES)))
    found = fit(launched(erratic), None)
    assert found.rejected.startswith("the median error on held-out sizes is ")
    assert found.rejected.endswith(" %; 15 % are allowed")
    assert found.usable is None


def residuals(*errors: float) -> list[Residual]:
    return [Residual(n, 1.0, 1 + error, 0.0) for n, error in enumerate(errors)]


def test_residuals_that_follow_each_other_are_a_trend() -> None:
    followed = [0.08] * 8 + [-0.08] * 8 + [0.08] * 8
    assert rejection(residuals(*followed)).startswith("the residuals have a trend: they are 8 %")
    assert rejection(residuals(*[0.4 * each for each in followed])) == ""  # too small to matter
    assert rejection(residuals(*[0.08, -0.08] * 12)) == ""


def test_too_few_sizes_are_no_curve() -> None:
    sizes = SIZES[:5]
    found = fit(launched(times(sizes), sizes), None)
    assert found.rejected == "5 sizes were measured; at least 6 are needed"
    assert (found.pieces, found.median_error, found.usable) == ((), None, None)


def test_one_launch_gives_no_interval() -> None:
    found = fit(launched(times(), launches=1), BOUNDS)
    assert found.pieces[0].latency_s.low is None
    assert found.usable is not None


def test_launches_may_lack_sizes() -> None:
    whole = launched(times())
    figures = whole.figures.copy()
    figures[::2, 3] = np.nan
    figures[1:, 7] = np.nan
    figures[:, 9] = np.nan
    found = fit(Curve(whole.at, figures), BOUNDS)
    assert len(found.residuals) == len(SIZES) - 1
    assert found.rejected == ""
