"""Cores that a hypervisor moves: which measurements are left out, told by the probes alone."""

from __future__ import annotations

from halocline.cores import displaced, usual_line_s

NEAR_S, FAR_S = 50e-9, 243e-9


def probes(near: int, far: int) -> list[float]:
    """Probes of two placements, each with a spread of 2 %."""
    spread = [0.98, 0.99, 1.0, 1.01, 1.02]
    times = [NEAR_S] * near + [FAR_S] * far
    return [time * spread[number % len(spread)] for number, time in enumerate(times)]


def test_the_commonest_placement_is_the_usual_one() -> None:
    for near, far, expected_s in ((100, 20, NEAR_S), (20, 100, FAR_S), (100, 0, NEAR_S)):
        usual_s = usual_line_s(probes(near, far))
        assert usual_s is not None
        assert abs(usual_s - expected_s) < 0.01 * expected_s


def test_what_was_measured_elsewhere_is_displaced() -> None:
    assert not displaced((NEAR_S, 1.05 * NEAR_S), NEAR_S)
    assert displaced((NEAR_S, FAR_S), NEAR_S)
    assert displaced((FAR_S, NEAR_S), NEAR_S)
    assert displaced((NEAR_S, NEAR_S), FAR_S)


def test_without_probes_nothing_is_displaced() -> None:
    assert usual_line_s([]) is None
    assert not displaced((), None)
    assert not displaced((), NEAR_S)


def test_ranks_that_share_a_core_tell_no_distance() -> None:
    assert usual_line_s([3e-3, 2e-3, 5e-3]) is None
