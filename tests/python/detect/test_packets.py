"""Periodic steps that were put into noisy curves; none where the curve is smooth or jumps once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from detect.noise import launched, plain, stepped
from halocline.detect.background import Background
from halocline.detect.packets import Packets, find_packets

SIZES = tuple(range(256, 8449, 128))
CURVES = 10


def found_in(random: np.random.Generator, times: np.ndarray) -> Packets | None:
    return find_packets(launched(random, times, SIZES))


@pytest.mark.parametrize("period", [1024, 1448, 2048])
def test_packets_are_found(period: int) -> None:
    """Each packet costs 5 % of the usual time more; the period is known to a few per cent."""
    random = np.random.default_rng(41)
    periods, steps = 0, 0
    for _ in range(CURVES):
        times = plain(random, SIZES)
        step_s = 0.05 * float(np.median(times))
        found = found_in(random, times + step_s * np.ceil(np.array(SIZES) / period))
        assert found is not None and found.step_s.low is not None and found.step_s.high is not None
        periods += abs(found.period_bytes - period) <= 0.05 * period
        steps += found.step_s.low <= step_s <= found.step_s.high
        assert found.boundaries >= 3
    assert periods >= 0.95 * CURVES
    assert steps >= 0.85 * CURVES


def test_smooth_curves_have_none() -> None:
    random = np.random.default_rng(42)
    alarms = sum(found_in(random, plain(random, SIZES)) is not None for _ in range(CURVES))
    assert alarms == 0


def test_one_jump_is_no_packet() -> None:
    random = np.random.default_rng(43)
    alarms = 0
    for _ in range(CURVES):
        place = int(random.integers(5, len(SIZES) - 5))
        alarms += found_in(random, stepped(plain(random, SIZES), place, 0.3)) is not None
    assert alarms == 0


def test_packets_are_found_beside_one_jump() -> None:
    random = np.random.default_rng(44)
    times = plain(random, SIZES)
    times += 0.06 * float(np.median(times)) * np.ceil(np.array(SIZES) / 2048)
    found = found_in(random, stepped(times, 40, 0.5))
    assert found is not None
    assert found.period_bytes == pytest.approx(2048, rel=0.05)


def test_thousands_of_sizes_are_thinned(monkeypatch: pytest.MonkeyPatch) -> None:
    used: list[np.ndarray] = []

    def background(sizes: np.ndarray, *rest: Any) -> Background:
        used.append(sizes)
        return Background(sizes, *rest)

    monkeypatch.setattr("halocline.detect.packets.Background", background)
    random, sizes = np.random.default_rng(45), tuple(range(4, 8001, 4))
    times = plain(random, sizes)
    times += 0.06 * float(np.median(times)) * np.ceil(np.array(sizes) / 2048)
    found = find_packets(launched(random, times, sizes))
    assert found is not None
    assert found.period_bytes == pytest.approx(2048, rel=0.05)
    (thinned,) = used
    assert 80 <= thinned.size <= 160
    assert np.ptp(np.diff(thinned)) < 1e-9


def test_too_few_sizes_say_nothing() -> None:
    random = np.random.default_rng(45)
    few = launched(random, plain(random, SIZES), SIZES).kept(range(12))
    assert find_packets(few) is None
