"""The rows on redistribution that count or fit: every verdict follows from the numbers."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType

import pytest

from findings.made_up import summary
from findings.redistributed import exchange, grown, store, with_smallest_mean
from halocline.findings.claim import Answer
from halocline.findings.redistribution import SMALL_GRID
from halocline.findings.rows import e1, e3, e10
from halocline.findings.verdicts import answer
from halocline.store.paper import GRID, REDISTRIBUTED_BYTES, STORE_S
from halocline.summary.summary import Summary


def verdict(found: Summary, row: ModuleType) -> Answer:
    return answer(row.claim, {name: found for name in row.claim.experiments})


@pytest.mark.parametrize(("more", "expected"), [(0, "reproduced"), (1, "differs")])
def test_table_1_is_reproduced_to_the_byte(more: int, expected: str) -> None:
    cases = [
        store(ranks, 1e-6, total + (more if ranks == 64 else 0))
        for ranks, total in REDISTRIBUTED_BYTES.items()
    ]
    assert verdict(summary(*cases), e1).verdict == expected
    lacking = verdict(summary(*cases[1:]), e1)
    assert lacking.verdict == ("differs" if more else "cannot be answered")
    assert "4 ranks: not measured, its routes were not made" in lacking.because


@pytest.mark.parametrize(("power", "expected"), [(0.0, "differs"), (2.0, "reproduced")])
def test_the_growth_of_store_is_fitted(power: float, expected: str) -> None:
    result = verdict(summary(*grown(power)), e3)
    assert result.verdict == expected
    assert result.numbers[1].value == pytest.approx(power, abs=0.05)
    assert result.numbers[1].paper == "2; 1.73 in its column"
    assert verdict(summary(*grown(power)[:2]), e3).verdict == "cannot be answered"


def test_the_route_alone_answers_nothing_and_is_shown() -> None:
    """ESMF's column is the whole: what grows otherwise may be in the collectives."""
    routes = [store(ranks, 1e-6) for ranks in STORE_S]
    result = verdict(summary(*routes), e3)
    assert result.verdict == "cannot be answered"
    assert "no time on 32, 64, 128 ranks; this needs a node with that many cores" in result.because
    numbers = {number.what: number.value for number in result.numbers}
    assert numbers["a rank's route alone, 32 ranks"] == pytest.approx(1e-6, rel=0.1)
    shown = numbers["exponent of a rank's route alone, 128 to 2048 ranks"]
    assert shown == pytest.approx(0.0, abs=0.1)
    both = verdict(summary(*routes, *grown(2.0)), e3)
    assert both.verdict == "reproduced"
    assert shown in [number.value for number in both.numbers]


def test_one_launch_of_store_has_no_interval() -> None:
    alone = [
        replace(each, metrics=(replace(time, low=None, high=None), *rest))
        for each in grown(2.0)
        for time, *rest in [each.metrics]
    ]
    result = verdict(summary(*alone), e3)
    assert result.verdict == "cannot be answered"
    assert "measured in one launch" in result.because


def test_why_store_grows_otherwise_is_what_was_counted() -> None:
    assert "4 boxes at 32 ranks and 4 at 2048, counted" in verdict(summary(*grown(0.0)), e3).because


def test_the_benchmark_prints_the_paper_s_figure_and_what_was_verified() -> None:
    small = with_smallest_mean(exchange(0.01, SMALL_GRID), 0.009)
    large = with_smallest_mean(exchange(0.1), 0.09)
    result = verdict(summary(small, large, exchange(0.2, protocol="sendrecv")), e10)
    assert result.verdict == "reproduced"
    figures = [number.value for number in result.numbers if number.unit == "s"]
    assert figures == [0.009, pytest.approx(0.01, rel=0.1), 0.09, pytest.approx(0.1, rel=0.1)]
    wrong = replace(
        exchange(0.2, protocol="sendrecv"), status="failed", reason="point 3 is wrong", metrics=()
    )
    assert verdict(summary(small, large, wrong), e10).verdict == "differs"
    few = with_smallest_mean(exchange(0.1), 0.09, 9)
    assert verdict(summary(small, few), e10).verdict == "cannot be answered"


@pytest.mark.parametrize(("grid", "missing"), [(SMALL_GRID, GRID), (GRID, SMALL_GRID)])
def test_a_grid_that_did_not_run_was_not_validated(grid: str, missing: str) -> None:
    ran = with_smallest_mean(exchange(0.1, grid), 0.09)
    lost = replace(exchange(0.1, missing), status="refused", reason="too busy", metrics=())
    for cases, why in (((ran,), "is not among the requested"), ((ran, lost), "was refused")):
        result = verdict(summary(*cases), e10)
        assert result.verdict == "cannot be answered"
        assert f"configurations with a wrong point, {missing}: not measured" in result.because
        assert why in result.because
