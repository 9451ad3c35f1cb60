"""Which settings had an effect."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from halocline.specification.cases import Case
from halocline.specification.configuration import Configuration
from halocline.specification.experiment import Experiment
from halocline.summary.effects import Effect, effects, to_json
from halocline.summary.ratios import Ratio

LAUNCHES = range(1, 13)
EXPERIMENT = Experiment(
    "t", ("pingpong",), ("m",), configuration=(("pages", ("base", "huge")),), machine="mock:1us"
)
BASE: Configuration = (("pages", "base"),)
HUGE: Configuration = (("pages", "huge"),)


def case(size: int, configuration: Configuration, mpi: str = "m", ranks: int = 2) -> Case:
    axes = (("bytes", size), ("protocol", "p"))
    return Case("pingpong", axes, mpi, "mock:1us", ranks, configuration)


def noisy(factor: float, seed: int, share: float = 0.005) -> dict[int, float]:
    chance = random.Random(seed)
    return {launch: factor * math.exp(chance.gauss(0, share)) for launch in LAUNCHES}


def only(found: tuple[Effect, ...]) -> Effect:
    (effect,) = found
    return effect


def compared(figures: Callable[[int, Configuration], Mapping[int, float]]) -> Effect:
    measured = [
        (case(size, pages), figures(size, pages)) for pages in (BASE, HUGE) for size in (8, 64, 512)
    ]
    return only(effects(EXPERIMENT, measured))


def test_equal_figures_make_no_difference() -> None:
    found = compared(lambda size, pages: dict.fromkeys(LAUNCHES, 1e-6))
    nothing = Ratio("none", 1.0, 1.0, 1.0, 12)
    assert (found.mpi, found.key, found.value, found.baseline) == ("m", "pages", "huge", "base")
    assert found.overall == nothing
    assert [each.ratio for each in found.cases] == [nothing] * 3
    assert [(each.case, each.baseline) for each in found.cases] == [
        (case(size, HUGE).id, case(size, BASE).id) for size in (8, 64, 512)
    ]
    assert found.not_compared == 0
    assert nothing.text == "no difference larger than 0.0 %"


def test_what_each_launch_shares_is_no_noise() -> None:
    def figures(size: int, pages: Configuration) -> dict[int, float]:
        shared = noisy(size, 1, 0.3)
        return {launch: time * (0.9 if pages == HUGE else 1) for launch, time in shared.items()}

    found = compared(figures)
    assert found.overall.verdict == "faster"
    assert found.overall.ratio == pytest.approx(0.9)
    assert found.overall.text == "faster by 10 % (-10 % to -10 %)"
    assert (found.count("faster"), found.count("none")) == (3, 0)


def test_a_launch_that_one_side_lacks_does_not_shift_the_others() -> None:
    def figures(size: int, pages: Configuration) -> dict[int, float]:
        shared = noisy(size, 1, 0.3)
        times = {launch: time * (0.9 if pages == HUGE else 1) for launch, time in shared.items()}
        return {launch: times[launch] for launch in LAUNCHES if launch > 1 or pages == BASE}

    found = compared(figures)
    assert found.overall.ratio == pytest.approx(0.9)
    assert found.overall.text == "faster by 10 % (-10 % to -10 %)"


def test_effects_differ_from_case_to_case() -> None:
    factors = {8: 1.0, 64: 1.1, 512: 3.0}
    seeds = iter(range(100))
    found = compared(
        lambda size, pages: noisy(factors[size] if pages == HUGE else 1.0, next(seeds))
    )
    assert [each.ratio.verdict for each in found.cases] == ["none", "slower", "slower"]
    assert found.cases[1].ratio.text.startswith("slower by 1")
    assert found.cases[2].ratio.text.startswith("slower: 3")
    assert found.cases[2].ratio.text.partition(" times the time (")[1]
    assert found.overall.verdict == "slower"
    assert found.overall.ratio == pytest.approx((1.1 * 3.0) ** (1 / 3), rel=0.01)


def test_wide_launches_cannot_tell() -> None:
    seeds = iter(range(100))
    found = compared(lambda size, pages: noisy(1.0, next(seeds), share=0.2))
    assert {each.ratio.verdict for each in found.cases} == {"unknown"}
    assert found.overall.text.startswith("inconclusive: -")


def test_a_difference_is_claimed_where_the_interval_leaves_out_1_and_nowhere_else() -> None:
    seeds = iter(range(10_000))
    sizes = range(200)
    measured = [
        (case(size, pages), noisy(1 + size / 1000 * (pages == HUGE), next(seeds), 0.01))
        for pages in (BASE, HUGE)
        for size in sizes
    ]
    found = only(effects(EXPERIMENT, measured))
    claimed = [each.ratio.verdict in ("faster", "slower") for each in found.cases]
    assert 20 < sum(claimed) < 180
    for each, is_claimed in zip(found.cases, claimed, strict=True):
        low, high = each.ratio.low, each.ratio.high
        assert low is not None and high is not None
        assert is_claimed == (low > 1 or high < 1)


def test_one_table_in_twenty_claims_a_difference_among_equals() -> None:
    seeds = iter(range(10_000))
    wrong = 0
    for _ in range(100):
        found = compared(lambda size, pages: noisy(1.0, next(seeds)))
        wrong += found.count("faster") + found.count("slower") > 0
    assert wrong <= 9  # of 100 with a chance of 5 %: 97 times in 100


def test_cases_without_figures_are_counted() -> None:
    measured: list[tuple[Case, Mapping[int, float]]] = [
        (case(8, BASE), noisy(1, 1)),
        (case(8, HUGE), {}),
        (case(64, BASE), {}),
        (case(64, HUGE), noisy(1, 2)),
    ]
    found = only(effects(EXPERIMENT, measured))
    assert (found.not_compared, found.cases) == (2, ())
    assert found.overall == Ratio("unknown", 1.0, None, None, 0)
    assert found.overall.text == "inconclusive: too few launches, or too much spread"


def test_one_launch_of_each_has_a_ratio_without_bounds() -> None:
    found = only(effects(EXPERIMENT, [(case(8, BASE), {1: 2.0}), (case(8, HUGE), {4: 1.0})]))
    assert found.cases[0].ratio == Ratio("unknown", 0.5, None, None, 1)


def test_cases_that_lack_launches_do_not_shorten_the_others() -> None:
    few = dict.fromkeys((1, 2), 1.0)
    all_ = dict.fromkeys(LAUNCHES, 1.0)
    found = compared(lambda size, pages: few if size == 8 else all_)
    assert found.overall.launches == 12


def test_each_library_and_value_is_compared_with_the_first_value() -> None:
    settings = (("env.X", ("1", "unset", "2")), ("pages", ("huge",)))
    experiment = replace(EXPERIMENT, mpi=("m", "n"), configuration=settings)
    measured = [
        (case(8, (("env.X", x), *HUGE), mpi), dict.fromkeys(LAUNCHES, time))
        for mpi in ("m", "n")
        for x, time in (("1", 1.0), ("unset", 2.0), ("2", 0.5))
    ]
    found = effects(experiment, measured)
    assert [(each.mpi, each.key, each.value, each.baseline) for each in found] == [
        (mpi, "env.X", value, "1") for mpi in ("m", "n") for value in ("unset", "2")
    ]
    assert [each.overall.ratio for each in found] == pytest.approx([2.0, 0.5] * 2)


def test_what_differs_in_more_than_the_setting_is_not_compared() -> None:
    settings = (("layout", ("1N4P", "2N2P", "2N4P")), ("placement", ("wrap", "smp")))
    experiment = replace(EXPERIMENT, configuration=settings)
    once = dict.fromkeys(LAUNCHES, 1.0)
    spread: Configuration = (("layout", "2N2P"),)
    wrapped: Configuration = (*spread, ("placement", "wrap"))
    large: Configuration = (("layout", "2N4P"), ("placement", "wrap"))
    measured = [
        (case(8, (), ranks=4), once),
        (case(8, spread, ranks=4), once),
        (case(8, wrapped, ranks=4), once),
        (case(8, large, ranks=8), once),
    ]
    found = {(each.key, each.value): each for each in effects(experiment, measured)}
    pairs = {key: [(p.case, p.baseline) for p in each.cases] for key, each in found.items()}
    plain = measured[0][0].id
    assert pairs == {
        ("layout", "2N2P"): [(measured[1][0].id, plain), (measured[2][0].id, plain)],
        ("layout", "2N4P"): [],
        ("placement", "smp"): [(measured[1][0].id, measured[2][0].id)],
    }


def test_json_has_the_words_too() -> None:
    (effect,) = to_json([compared(lambda size, pages: dict.fromkeys(LAUNCHES, 1e-6))])
    assert list(effect) == ["mpi", "key", "value", "baseline", "overall", "cases", "not_compared"]
    assert effect["overall"] == {
        "verdict": "none",
        "ratio": 1.0,
        "low": 1.0,
        "high": 1.0,
        "launches": 12,
        "text": "no difference larger than 0.0 %",
    }
    assert effect["cases"][0]["ratio"]["text"] == effect["overall"]["text"]
