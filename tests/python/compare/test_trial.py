"""Verdicts on reports drawn from launches that were recorded here, two sides alike."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from documents import CHECKOUT
from halocline.compare.selftest import drawn, found_from, judged_reports

DATA = Path(__file__).parents[2] / "data/compare"
IDLE, LOADED = "alike-idle", "alike-under-load"


@cache
def recorded(name: str) -> NDArray[np.float64]:
    """Logarithms of ratios: a row for each launch, a column for each of four sizes."""
    text = (DATA / f"{name}.csv").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    rows = list(csv.reader(lines[1:]))
    return np.array([[float(each) / 1000 if each else np.nan for each in row] for row in rows])


@pytest.mark.parametrize("name", [IDLE, LOADED])
@pytest.mark.parametrize("launches", [8, 20])
def test_alike_sides_hardly_ever_differ(name: str, launches: int) -> None:
    rates = drawn(recorded(name), 0.0, launches, 300)
    assert rates.cells >= 4 * 295
    assert rates.cells_claimed <= 0.05 * rates.cells
    assert rates.reports_claimed <= by_chance(0.05, rates.reports)
    assert rates.largest_claim <= 0.03
    assert 0.93 <= rates.coverage <= 0.975
    assert abs(rates.bias) < 0.01


@pytest.mark.parametrize("name", [IDLE, LOADED])
def test_alike_launches_in_their_own_order_do_not_differ(name: str) -> None:
    logs = recorded(name)
    rates = judged_reports([logs[at : at + 8] for at in range(0, len(logs), 8)], 0.0)
    assert rates.reports == 30
    assert rates.reports_claimed <= 2
    assert rates.coverage >= 0.9  # of 120 intervals


@pytest.mark.parametrize(("name", "where"), [(IDLE, "idle"), (LOADED, "load 10 to 15")])
def test_the_page_says_what_is_found(name: str, where: str) -> None:
    """The slowdown that 95 % of reports find, of the recorded launches, all sizes."""
    page = (CHECKOUT / "docs/explanation/how-verdicts-are-made.md").read_text(encoding="utf-8")
    for launches in (8, 20):
        found = [_found_from(recorded(name)[:, [size]], launches) for size in range(4)]
        row = (
            f"| {where} | {launches} | "
            + " | ".join(f"{100 * each:.2g} %" for each in found)
            + " |"
        )
        assert row in page


def by_chance(share: float, of: int) -> int:
    """So many at most, in 99 of 100 draws, where the true share is this."""
    return int(binom.ppf(0.99, of, share))


def _found_from(logs: NDArray[np.float64], launches: int) -> float:
    found = found_from(lambda delay: drawn(logs, delay, launches, 100).found_share)
    assert found is not None
    assert drawn(logs, 2 * found, launches, 100, seed=2).found_share >= 0.95
    return found
