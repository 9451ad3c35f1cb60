"""The rows on redistribution that count or fit: every verdict follows from the numbers."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType

import pytest

from findings.made_up import summary
from findings.scenarios import exchange, store
from halocline.findings.claim import Answer
from halocline.findings.rows import e1, e3, e4, e10
from halocline.findings.verdicts import answer
from halocline.store.paper import REDISTRIBUTED_BYTES
from halocline.summary.esmf import NAME
from halocline.summary.summary import CaseSummary, Summary

RANKS = (32, 64, 128, 256, 512, 1024, 2048)


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


def grown(power: float) -> list[CaseSummary]:
    """Linear up to 128 ranks, then with this power."""
    return [
        store(ranks, 1e-6 * ranks / 32 * (max(ranks, 128) / 128) ** (power - 1)) for ranks in RANKS
    ]


@pytest.mark.parametrize(("power", "expected"), [(0.0, "differs"), (2.0, "reproduced")])
def test_the_growth_of_store_is_fitted(power: float, expected: str) -> None:
    result = verdict(summary(*grown(power)), e3)
    assert result.verdict == expected
    assert result.numbers[1].value == pytest.approx(power, abs=0.05)
    assert result.numbers[1].paper == "2; 1.73 in its column"
    assert verdict(summary(*grown(power)[:2]), e3).verdict == "cannot be answered"


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


def test_the_exchange_over_many_ranks_waits_for_simulated_machines() -> None:
    result = verdict(summary(), e4)
    assert result.verdict == "cannot be answered"
    assert "simulated" in result.because


def with_smallest_mean(of: CaseSummary, time_s: float, runs: int) -> CaseSummary:
    mean = replace(of.metrics[0], name=NAME, median=time_s, low=None, high=None, launches=runs)
    return replace(of, metrics=(*of.metrics, mean))


def test_the_benchmark_prints_the_paper_s_figure_and_what_was_verified() -> None:
    default = with_smallest_mean(exchange(0.1), 0.09, 10)
    result = verdict(summary(default, exchange(0.2, protocol="sendrecv")), e10)
    assert result.verdict == "reproduced"
    assert result.numbers[2].value == 0.09
    assert result.numbers[3].value == pytest.approx(0.1, rel=0.1)
    wrong = replace(
        exchange(0.2, protocol="sendrecv"), status="failed", reason="point 3 is wrong", metrics=()
    )
    assert verdict(summary(default, wrong), e10).verdict == "differs"
    few = with_smallest_mean(exchange(0.1), 0.09, 9)
    assert verdict(summary(few), e10).verdict == "cannot be answered"
