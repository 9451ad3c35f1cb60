"""Steps that were put into noisy curves are found where they are; smooth curves have none."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from detect.noise import SIZES, bent, launched, plain, stepped
from halocline.detect.changes import Change, Kind, find_changes
from halocline.detect.curves import Curve, Matrix

CURVES = 100
Make = Callable[[np.random.Generator], Matrix]


def find_steps(whole: Curve) -> list[Change]:
    return [change for change in find_changes(whole) if change.kind is Kind.STEP]


@pytest.mark.parametrize("make", [plain, bent])
def test_smooth_curves_have_no_step(make: Make) -> None:
    random = np.random.default_rng(11)
    alarms = sum(bool(find_steps(launched(random, make(random)))) for _ in range(CURVES))
    assert alarms <= 0.05 * CURVES


@pytest.mark.parametrize("make", [plain, bent])
@pytest.mark.parametrize("height", [0.05, -0.1])
def test_steps_are_found_at_their_place(make: Make, height: float) -> None:
    random = np.random.default_rng(12)
    found = 0
    for _ in range(CURVES):
        place = int(random.integers(3, len(SIZES) - 4))
        steps = find_steps(launched(random, stepped(make(random), place, height)))
        between = (SIZES[place], SIZES[place + 1])
        found += any((step.below, step.above) == between for step in steps)
    assert found >= 0.95 * CURVES


def test_height_and_place_hold_the_truth_as_often_as_they_say() -> None:
    random = np.random.default_rng(13)
    heights, places = 0, 0
    for _ in range(CURVES):
        place = int(random.integers(4, len(SIZES) - 5))
        steps = find_steps(launched(random, stepped(plain(random), place, 0.15)))
        heights += any(step.low <= 0.15 <= step.high for step in steps)
        places += any(step.surely_above <= SIZES[place] < step.surely_below for step in steps)
    assert heights >= 0.92 * CURVES
    assert places >= 0.95 * CURVES


def test_a_bend_is_no_step() -> None:
    random = np.random.default_rng(14)
    octaves = np.log2(SIZES)
    bends, steps = 0, 0
    for _ in range(CURVES):
        place = int(random.integers(6, len(SIZES) - 5))
        turned = plain(random) * np.exp(-0.3 * np.maximum(octaves - octaves[place], 0.0))
        changes = find_changes(launched(random, turned))
        steps += any(change.kind is Kind.STEP for change in changes)
        bends += any(
            change.kind is Kind.BEND and change.below <= SIZES[place] <= change.above
            for change in changes
        )
    assert steps <= 0.05 * CURVES
    assert bends >= 0.9 * CURVES


def test_two_steps_are_distinguished() -> None:
    random = np.random.default_rng(15)
    found = 0
    for _ in range(50):
        times = stepped(stepped(plain(random), 6, 0.2), 15, 0.2)
        steps = find_steps(launched(random, times))
        found += [step.below for step in steps] == [SIZES[6], SIZES[15]]
    assert found >= 45


def test_a_step_between_neighbouring_bytes() -> None:
    random = np.random.default_rng(16)
    sizes = (4096, 6144, 7168, 7680, 8000, 8191, 8192, 8193, 8194, 8300, 9000, 12000, 16384)
    (step,) = find_steps(launched(random, stepped(plain(random, sizes), 6, 0.1), sizes))
    assert (step.below, step.above) == (8192, 8193)
    assert (step.surely_above, step.surely_below) == (8192, 8193)


def test_exact_figures_of_a_simulation() -> None:
    """No noise at all: the step is exact, and a straight line has none."""
    at = np.array(SIZES, dtype=np.float64)
    straight = np.tile(1e-6 + at / 1e9, (4, 1))
    assert find_changes(Curve(SIZES, straight)) == ()
    straight[:, 9:] *= 1.25
    (step,) = find_steps(Curve(SIZES, straight))
    assert (step.below, step.above) == (SIZES[8], SIZES[9])
    assert step.height == pytest.approx(0.25, abs=0.01)


def test_too_few_points_or_launches_say_nothing() -> None:
    random = np.random.default_rng(17)
    times = stepped(plain(random), 10, 1.0)
    assert find_changes(launched(random, times, launches=3)) == ()
    few = launched(random, times).kept(range(8, 13))
    assert find_changes(few) == ()


def test_missing_figures_are_no_hindrance() -> None:
    random = np.random.default_rng(18)
    figures = launched(random, stepped(plain(random), 10, 0.2)).figures
    figures[random.random(figures.shape) < 0.2] = np.nan
    (step,) = find_steps(Curve(SIZES, figures))
    assert step.below == SIZES[10]


def test_a_closer_look_counts_more() -> None:
    """First octaves, then sizes inside of the octave with the step, in launches of their own."""
    random = np.random.default_rng(19)
    close = (3200, 3600, 4500, 5000, 5500, 6000, 6500, 7000, 7500, 8000, 8600, 9000)
    everything = tuple(sorted({*SIZES, *close}))
    for last in (4096, 6000, 8000):  # the step comes after it
        times = dict(zip(everything, plain(random, everything), strict=True))
        higher = {size: time * (1.3 if size > last else 1.0) for size, time in times.items()}
        figures = np.full((24, len(everything)), np.nan)
        for rows, sizes in ((slice(0, 12), SIZES), (slice(12, 24), close)):
            columns = [everything.index(size) for size in sizes]
            made = launched(random, np.array([higher[size] for size in sizes]), sizes)
            figures[rows, columns] = made.figures
        (step,) = find_steps(Curve(everything, figures))
        after = min(size for size in everything if size > last)
        assert (step.below, step.above) == (last, after)
