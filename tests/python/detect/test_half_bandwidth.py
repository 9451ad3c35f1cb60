"""n½ by arithmetic on exact curves, and its interval on noisy ones."""

from __future__ import annotations

import numpy as np
import pytest

from detect.noise import SIZES, launched
from halocline.detect.curves import Curve, NotFound
from halocline.detect.half_bandwidth import HalfBandwidth, half_bandwidth


def test_it_is_latency_times_bandwidth() -> None:
    """t = latency + size / rate has half of `rate` at latency × rate; here on a measured size."""
    sizes = (1024, 4096, 16384, 2**40)
    times = np.array(sizes) / 4096e6 + 1e-6
    found = half_bandwidth(Curve(sizes, np.tile(times, (4, 1))))
    assert isinstance(found, HalfBandwidth)
    assert found.size_bytes.median == pytest.approx(4096, rel=1e-6)
    assert found.size_bytes.low == found.size_bytes.high == pytest.approx(4096, rel=1e-6)
    assert found.peak.median == pytest.approx(4096e6, rel=1e-6)
    assert found.peak_bytes == 2**40


def test_between_sizes_it_is_interpolated() -> None:
    sizes = (1000, 2000, 4000)
    rates = np.array([1e9, 2e9, 8e9])  # half of 8 GB/s: on the way from 2 to 8, in the middle
    found = half_bandwidth(Curve(sizes, np.tile(np.array(sizes) / rates, (4, 1))))
    assert isinstance(found, HalfBandwidth)
    assert found.size_bytes.median == pytest.approx(2000 * 2**0.5, rel=1e-9)


def test_noise_moves_it_little_and_its_interval_says_how_much() -> None:
    """The highest of noisy bandwidths is a little too high, and so is the size at its half."""
    random = np.random.default_rng(31)
    near, narrow = 0, 0
    for _ in range(100):
        latency_s, rate = 10 ** random.uniform(-6.5, -5), 10 ** random.uniform(8.5, 10)
        at = np.array(SIZES, dtype=np.float64)
        exact = half_bandwidth(Curve(SIZES, np.tile(latency_s + at / rate, (4, 1))))
        found = half_bandwidth(launched(random, latency_s + at / rate))
        assert isinstance(exact, HalfBandwidth) and isinstance(found, HalfBandwidth)
        assert found.size_bytes.low is not None and found.size_bytes.high is not None
        near += abs(found.size_bytes.median / exact.size_bytes.median - 1) < 0.05
        narrow += found.size_bytes.high / found.size_bytes.low < 1.1
    assert near >= 95
    assert narrow >= 95


def test_where_all_sizes_have_half_of_the_peak_there_is_none() -> None:
    sizes = (2**20, 2**21, 2**22)
    found = half_bandwidth(Curve(sizes, np.tile(np.array(sizes) / 1e9, (4, 1))))
    assert isinstance(found, NotFound)
    assert found.reason.startswith("in 4 of 4 launches the smallest size already reaches it")


def test_one_disturbed_launch_is_named() -> None:
    """Preempted at its largest size, a launch has its peak, and half of it, at smaller ones."""
    sizes = (1024, 4096, 16384, 65536)
    times = np.tile(np.array(sizes) / 4096e6 + 1e-6, (4, 1))
    assert isinstance(half_bandwidth(Curve(sizes, times)), HalfBandwidth)
    times[2, 3] *= 100
    found = half_bandwidth(Curve(sizes, times))
    assert isinstance(found, NotFound) and found.reason.startswith("in 1 of 4 launches")


def test_one_launch_has_no_interval_and_gives_none() -> None:
    sizes = (1024, 4096, 16384, 65536)
    found = half_bandwidth(Curve(sizes, np.array([sizes]) / 4096e6 + 1e-6))
    assert isinstance(found, NotFound) and found.reason.startswith("fewer than two launches")


def test_one_size_has_none() -> None:
    assert isinstance(half_bandwidth(Curve((8,), np.full((5, 1), 1e-6))), NotFound)


def test_between_sizes_far_apart_no_limit_is_drawn() -> None:
    for sizes, known in (((8, 65536), False), ((16384, 65536), True), ((16384, 65537), False)):
        times = np.array(sizes) / 10e9 + 5e-6
        found = half_bandwidth(Curve(sizes, np.tile(times, (4, 1))))
        assert isinstance(found, HalfBandwidth) is known, sizes
