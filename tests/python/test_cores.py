"""Cores that a hypervisor moves: which measurements are left out, from the probes alone."""

from __future__ import annotations

import pytest

from halocline.samples.cores import displaced, share_cores, usual_lines_s

NEAR_S, FAR_S = 50e-9, 243e-9


def probes(near: int, far: int) -> list[float]:
    """Probes of two placements, each with a spread of 2 %."""
    spread = [0.98, 0.99, 1.0, 1.01, 1.02]
    times = [NEAR_S] * near + [FAR_S] * far
    return [time * spread[number % len(spread)] for number, time in enumerate(times)]


def test_the_commonest_placement_is_the_usual_one() -> None:
    for near, far, expected_s in ((100, 20, NEAR_S), (20, 100, FAR_S), (100, 0, NEAR_S)):
        usual_s = usual_lines_s({"mpich": probes(near, far)})["mpich"]
        assert abs(usual_s - expected_s) < 0.01 * expected_s


def test_what_was_measured_elsewhere_is_displaced() -> None:
    assert not displaced((NEAR_S, 1.05 * NEAR_S), NEAR_S)
    assert displaced((NEAR_S, FAR_S), NEAR_S)
    assert displaced((FAR_S, NEAR_S), NEAR_S)
    assert displaced((NEAR_S, NEAR_S), FAR_S)


def test_without_probes_nothing_is_displaced() -> None:
    assert usual_lines_s({}) == usual_lines_s({"mpich": []}) == {}
    assert not displaced((), None)
    assert not displaced((), NEAR_S)


def test_ranks_that_share_a_core_give_no_distance() -> None:
    assert usual_lines_s({"mpich": [3e-3, 2e-3, 5e-3]}) == {}


def test_libraries_that_meet_the_same_states_share_the_usual_one() -> None:
    usual_s = usual_lines_s({"mpich": probes(100, 20), "intel": probes(30, 70)})
    assert usual_s["mpich"] == usual_s["intel"]
    assert abs(usual_s["intel"] - NEAR_S) < 0.01 * NEAR_S


def test_a_library_that_hardly_meets_the_common_state_has_its_own() -> None:
    for near, far in ((0, 60), (10, 90)):
        usual_s = usual_lines_s({"mpich": probes(100, 0), "intel": probes(near, far)})
        assert abs(usual_s["mpich"] - NEAR_S) < 0.01 * NEAR_S
        assert abs(usual_s["intel"] - FAR_S) < 0.01 * FAR_S


def test_few_probes_in_two_states_have_one_of_them_as_usual() -> None:
    assert usual_lines_s({"mpich": [NEAR_S, NEAR_S, FAR_S, FAR_S]}) == {"mpich": NEAR_S}


@pytest.mark.parametrize(
    ("allowed", "shared"),
    [
        (["0-1"] * 2, False),
        (["0-1"] * 3, True),
        (["0", "1"], False),
        (["0", "0"], True),
        (["0-3,8"] * 5, False),
        (["0,2-3"] * 4, True),
        (["0-999999"] * 3, False),
        (["", ""], False),
        (["0", "9" * 5000], False),
        ([], False),
    ],
)
def test_ranks_share_cores_where_they_outnumber_them(allowed: list[str], shared: bool) -> None:
    assert share_cores(allowed) is shared
