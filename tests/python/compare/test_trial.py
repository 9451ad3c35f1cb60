"""Verdicts on reports drawn from launches that were recorded here, two sides alike."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from documents import CHECKOUT
from halocline.compare.trial import drawn, found_from, judged_reports

RECORDED = Path(__file__).parents[2] / "data/compare/alike-under-load.csv"


@cache
def recorded() -> NDArray[np.float64]:
    """Logarithms of ratios: a row for each launch, a column for each of four sizes."""
    lines = [line for line in RECORDED.read_text().splitlines() if not line.startswith("#")]
    rows = list(csv.reader(lines[1:]))
    return np.array([[float(each) / 1000 if each else np.nan for each in row] for row in rows])


@pytest.mark.parametrize("launches", [8, 20])
def test_alike_sides_hardly_ever_differ(launches: int) -> None:
    rates = drawn(recorded(), 0.0, launches, 300)
    assert rates.cells >= 4 * 295
    assert rates.cells_claimed <= 0.05 * rates.cells
    assert rates.reports_claimed <= 0.05 * rates.reports
    assert rates.largest_claim <= 0.03
    assert 0.93 <= rates.coverage <= 0.975
    assert abs(rates.bias) < 0.01


def test_alike_launches_in_their_own_order_do_not_differ() -> None:
    logs = recorded()
    rates = judged_reports([logs[at : at + 8] for at in range(0, len(logs), 8)], 0.0)
    assert rates.reports == 30
    assert rates.reports_claimed <= 2
    assert rates.coverage >= 0.9  # of 120 intervals


def test_the_page_says_what_is_found_under_load() -> None:
    """The slowdown that 95 % of reports find, of the recorded launches, all sizes."""
    page = (CHECKOUT / "docs/explanation/how-verdicts-are-made.md").read_text(encoding="utf-8")
    for launches in (8, 20):
        found = [_found_from(recorded()[:, [size]], launches) for size in range(4)]
        row = f"| {launches} | " + " | ".join(f"{100 * each:.2g} %" for each in found) + " |"
        assert row in page


def _found_from(logs: NDArray[np.float64], launches: int) -> float:
    found = found_from(lambda delay: drawn(logs, delay, launches, 100).found_share)
    assert found is not None
    assert drawn(logs, 2 * found, launches, 100, seed=2).found_share >= 0.95
    return found
