"""Curves as libraries and machines make them, and what launches add to them."""

from __future__ import annotations

import numpy as np

from halocline.detect.curves import Curve, Matrix

SIZES = (1, *(2**exponent for exponent in range(2, 23)))
LAUNCHES = 12


def plain(random: np.random.Generator, sizes: tuple[int, ...] = SIZES) -> Matrix:
    """A latency, a cost per byte, and a little more for middling messages."""
    at = np.array(sizes, dtype=np.float64)
    latency_s, rate = 10 ** random.uniform(-6.7, -4.5), 10 ** random.uniform(8, 10.3)
    middling = (at / 4096) ** 0.9
    times: Matrix = latency_s * (1 + random.uniform(0, 0.3) * middling / (1 + middling)) + at / rate
    return times


def bent(random: np.random.Generator) -> Matrix:
    """The same through caches: smaller or larger by up to 60 % within some octaves, up to twice."""
    octaves, times = np.log2(SIZES), plain(random)
    for _ in range(random.integers(0, 3)):
        middle, width = random.uniform(10, 21), random.uniform(1.0, 1.5)
        times *= random.uniform(0.6, 1.6) ** (1 / (1 + np.exp((middle - octaves) / width)))
    return times


def stepped(times: Matrix, place: int, height: float) -> Matrix:
    """Higher from the point after `place` on."""
    higher = times.copy()
    higher[place + 1 :] *= 1 + height
    return higher


def launched(
    random: np.random.Generator,
    times: Matrix,
    at: tuple[int, ...] = SIZES,
    launches: int = LAUNCHES,
) -> Curve:
    """Launches: each 2 % faster or slower as a whole and 0.7 % in each figure, outliers of 5 to
    60 % in 2 % of the figures, a second mode 4 % higher at one in twenty sizes.
    """
    shape = (launches, times.size)
    own = random.normal(0, 0.02, (launches, 1)) + random.normal(0, 0.007, shape)
    figures = times * np.exp(own)
    outliers = random.random(shape) < 0.02
    figures[outliers] *= random.uniform(1.05, 1.6, int(outliers.sum()))
    bimodal = (random.random(times.size) < 0.05) & (random.random(shape) < 0.3)
    figures[bimodal] *= 1.04
    return Curve(at, figures)
