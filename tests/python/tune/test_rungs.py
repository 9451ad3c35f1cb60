"""Which candidates a rung keeps."""

from __future__ import annotations

import math

import pytest

from halocline.tune.rungs import LAUNCHES_APART, REPEATED, SURE, Standing, kept, lacking, spread

CLOSE = SURE * LAUNCHES_APART * math.sqrt(2)  # of two launches on a quiet node


def of(**logs: float) -> dict[str, Standing]:
    return {name: Standing((log,), 1) for name, log in logs.items()}


def test_a_quarter_is_kept_the_best_first() -> None:
    found = of(a=0.9, b=-0.5, c=0.5, d=0.0, e=0.2, f=0.3, g=0.4, h=0.7)
    assert kept(found, within=0.0) == ("b", "d")


def test_what_may_still_be_the_best_is_kept_too() -> None:
    close = {f"close_{at}": 0.9 * CLOSE * at / 5 for at in range(6)}
    found = of(**close, behind=1.1 * CLOSE, far=1.0)
    assert kept(found, within=0.0) == tuple(close)


def test_more_is_kept_where_the_machine_is_not_quiet() -> None:
    found = of(**{f"at_{at}": 0.1 * at for at in range(8)})
    assert len(kept(found, within=0.0)) == 2
    assert len(kept(found, within=0.1)) == 5


def test_launches_of_the_candidates_show_how_far_launches_are_apart() -> None:
    steady = {str(at): Standing((0.1 * at, 0.1 * at), 2) for at in range(8)}
    unsteady = {str(at): Standing((0.1 * at - 0.1, 0.1 * at + 0.1), 2) for at in range(8)}
    assert len(kept(steady, within=0.0)) == 2
    assert len(kept(unsteady, within=0.0)) > 4


def test_what_is_out_or_has_no_figure_is_not_kept() -> None:
    found = {"a": Standing((0.0,), 1, "failed: it ended"), "b": Standing((), 1), **of(c=0.5)}
    assert kept(found, within=0.0) == ("c",)
    assert kept({}, within=0.0) == ()


def test_a_launch_without_results_is_repeated_a_few_times() -> None:
    spoilt = 1 + REPEATED
    found = {"a": Standing((), spoilt - 1), "b": Standing((), spoilt), "c": Standing((0.1,), 1)}
    assert lacking(found, found, 1) == ["a"]
    assert lacking(found, found, 2) == ["a", "b", "c"]


def test_one_launch_of_four_may_give_no_results() -> None:
    found = {"a": Standing((0.1,) * 3, 3), "b": Standing((0.1,) * 3, 4), "c": Standing((0.1,), 2)}
    assert lacking(found, found, 4) == ["a", "c"]
    assert lacking(found, ["c"], 2) == ["c"]


def test_a_few_wild_residuals_do_not_matter() -> None:
    assert spread([-1.0, 1.0, -1.0, 1.0, 1000.0]) == pytest.approx(1.4826)
    assert spread([]) == 0
