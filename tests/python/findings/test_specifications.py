"""U8: how well models order places of one kind, and by how much."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest

from findings.made_up import HALF, noise, summary
from halocline.findings.claim import Answer
from halocline.findings.evidence import Compared
from halocline.findings.rows import u8
from halocline.findings.verdicts import RISK, RISK_OF_DIFFERS, answer
from halocline.model.messages import Place
from halocline.model.model import Model, Predicted
from halocline.model.predict import MODELS, Prediction
from halocline.summary.stats import Estimate

Judge = Callable[[list[Predicted]], Answer]


def foreseen(
    places: int,
    off: float,
    *,
    mixed: bool = False,
    spread: float | None = None,
    seed: int = 0,
    launches: int = 40,
) -> list[Predicted]:
    """Three cases in so many places, each twice as slow as the one before; predictions off so far.

    `mixed`: every second place lies between nodes.
    """
    chance = random.Random(seed)
    return [
        Predicted(
            Place("mpich", (("place", str(at)),), mixed and at % 2 == 1),
            "halo",
            "isend_irecv",
            (("words", words),),
            2,
            2.0**at * words * 1e-6,
            dict.fromkeys(MODELS, Prediction((2.0 + off) ** at * words * 1e-6)),
            "",
            {
                n: 2.0**at * words * 1e-6 * float(np.exp(noise(chance, spread)))
                for n in range(launches)
            },
        )
        for at in range(places)
        for words in (1, 4, 32)
    ]


@pytest.fixture
def verdict(monkeypatch: pytest.MonkeyPatch) -> Judge:
    def of(found: list[Predicted]) -> Answer:
        monkeypatch.setattr(u8, "model", lambda _: Model((), {}, tuple(found), (), {}))
        return answer(u8.claim, {"specifications": summary()})

    return of


@pytest.mark.parametrize(
    ("off", "expected"),
    [(0.0, "reproduced"), (0.02, "reproduced"), (2.0, "differs"), (-1.2, "differs")],
)
def test_specifications_predict_ratios(verdict: Judge, off: float, expected: str) -> None:
    assert verdict(foreseen(36, off, launches=8)).verdict == expected


def test_all_pairs_of_a_few_places_depend_on_each_other(verdict: Judge) -> None:
    result = verdict(foreseen(7, 0.0))
    assert result.verdict == "cannot be answered"
    assert "3 independent pairs of places of one kind" in result.because


def test_pairs_that_share_a_place_are_one() -> None:
    places = [Place("mpich", (("place", str(at)),), False) for at in range(21)]
    star = [u8.Places((), (places[0], other)) for other in places[1:]]
    assert u8.independent(star) == 1
    every = [u8.Places((), pair) for pair in combinations(places, 2)]
    assert u8.independent(every) == 10


def test_many_sizes_of_few_places_are_few_observations(verdict: Judge) -> None:
    result = verdict(foreseen(3, 0.0))
    assert result.verdict == "cannot be answered"
    assert "1 independent pair of places of one kind" in result.because


def test_a_node_against_a_slow_link_is_no_pair(verdict: Judge) -> None:
    result = verdict(foreseen(2, 0.0, mixed=True))
    assert result.verdict == "cannot be answered"
    assert "0 independent pairs of places of one kind" in result.because


def test_noise_orders_nothing(verdict: Judge) -> None:
    for off in (0.0, 0.3):
        noisy = {
            verdict(foreseen(24, off, spread=HALF, seed=seed, launches=8)).verdict
            for seed in range(5)
        }
        assert noisy == {"cannot be answered"}


def test_a_share_is_refuted_only_at_the_risk_of_a_difference() -> None:
    share = u8.Share(60, 60, 12)
    assert share.bounds(RISK)[1] < u8.ORDERED.low < share.bounds(RISK_OF_DIFFERS / 2)[1]


def test_the_median_error_has_the_ranks_of_the_asked_risk() -> None:
    """Of ten values the second and the ninth bound the median at 95 %, and no two at 99.95 %."""
    exact = Compared(Estimate(0.0, 0.0, 7))
    median = u8.MedianError([u8.Pair(exact, 1 + n / 10) for n in range(10)], 10)
    assert median.value == pytest.approx(0.45)
    assert median.bounds(RISK) == pytest.approx((0.1, 0.8))
    assert median.bounds(RISK_OF_DIFFERS / 2) == (0.0, math.inf)


def test_without_a_second_place_it_is_not_answered(verdict: Judge) -> None:
    assert "0 independent pairs" in verdict(foreseen(1, 0.0)).because


def test_without_messages_it_is_not_answered() -> None:
    found = answer(u8.claim, {"specifications": summary()})
    assert "no times of single messages" in found.because
