"""U8: how well models order places of one kind, and by how much."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

from findings.made_up import HALF, noise, summary
from halocline.findings.claim import Answer
from halocline.findings.rows import u8
from halocline.findings.verdicts import answer
from halocline.model.messages import Place
from halocline.model.model import Model, Predicted
from halocline.model.predict import MODELS, Prediction

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
    """Six cases in so many places, each twice as slow as the one before; predictions off so far.

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
        for words in (1, 2, 4, 8, 16, 32)
    ]


@pytest.fixture
def verdict(monkeypatch: pytest.MonkeyPatch) -> Judge:
    def of(found: list[Predicted]) -> Answer:
        monkeypatch.setattr(u8, "model", lambda _: Model((), {}, tuple(found), (), {}))
        return answer(u8.claim, {"specifications": summary()})

    return of


@pytest.mark.parametrize(
    ("off", "expected"),
    [(0.0, "reproduced"), (0.2, "reproduced"), (2.0, "differs"), (-1.2, "differs")],
)
def test_specifications_predict_ratios(verdict: Judge, off: float, expected: str) -> None:
    assert verdict(foreseen(3, off)).verdict == expected


def test_a_node_against_a_slow_link_is_no_pair(verdict: Judge) -> None:
    result = verdict(foreseen(2, 0.0, mixed=True))
    assert result.verdict == "cannot be answered"
    assert "0 pairs of places of one kind" in result.because


def test_noise_orders_nothing(verdict: Judge) -> None:
    for off in (0.0, 0.3):
        noisy = {
            verdict(foreseen(3, off, spread=HALF, seed=seed, launches=8)).verdict
            for seed in range(20)
        }
        assert noisy == {"cannot be answered"}


def test_without_a_second_place_it_is_not_answered(verdict: Judge) -> None:
    assert "0 pairs" in verdict(foreseen(1, 0.0)).because


def test_without_messages_it_is_not_answered() -> None:
    found = answer(u8.claim, {"specifications": summary()})
    assert "no times of single messages" in found.because
