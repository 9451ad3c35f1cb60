"""X15: which options had no effect, and which were never swept."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest

from findings.made_up import HALF, noise, summary
from halocline.findings.claim import Answer
from halocline.findings.rows import x15
from halocline.findings.verdicts import answer
from halocline.specification.configuration import label
from halocline.summary.effects import CaseEffect, Effect
from halocline.summary.ratios import Ratio, judged
from halocline.summary.summary import Library

KEYS = [key for keys in x15.OPTIONS.values() for key in keys]


def swept(
    effect: float, affected: int, spread: float | None = None, seed: int = 0, launches: int = 40
) -> list[Effect]:
    """So many of the options change times by this factor."""
    chance = random.Random(seed)
    named = [keys for keys in x15.OPTIONS.values()][:affected]
    return [
        of_case(key, judged([logs])[0])
        for key in KEYS
        for factor in [effect if any(key in keys for keys in named) else 1.0]
        for logs in [[math.log(factor) + noise(chance, spread) for _ in range(launches)]]
    ]


def of_case(key: str, *ratios: Ratio) -> Effect:
    """The effect on cases with these ratios; the first is also that over all."""
    cases = tuple(CaseEffect(f"b{at}", f"a{at}", ratio) for at, ratio in enumerate(ratios))
    return Effect("mpich", key, "b", "a", ratios[0], cases, 0)


def verdict(effects: list[Effect]) -> Answer:
    """Placement is swept in an experiment of its own."""
    of_placement = tuple(each for each in effects if each.key == "placement")
    others = tuple(each for each in effects if each.key != "placement")
    return answer(
        x15.claim,
        {
            "options": replace(summary(), effects=others),
            "placement": replace(summary(), effects=of_placement),
        },
    )


@pytest.mark.parametrize(("affected", "expected"), [(2, "reproduced"), (3, "differs")])
def test_most_options_must_have_no_effect(affected: int, expected: str) -> None:
    assert verdict(swept(1.4, affected)).verdict == expected


def test_noise_is_no_effect_and_no_lack_of_one() -> None:
    verdicts = {verdict(swept(1.0, 0, HALF, seed, 8)).verdict for seed in range(20)}
    assert verdicts == {"cannot be answered"}


def test_an_effect_at_95_percent_is_not_certain_enough_for_a_difference() -> None:
    slower = Ratio("slower", 1.1, 1.06, 1.14, 8)
    named = [key for keys in list(x15.OPTIONS.values())[:3] for key in keys]
    effects = [
        of_case(each.key, slower if each.key in named else each.overall) for each in swept(1.0, 0)
    ]
    result = verdict(effects)
    assert result.verdict == "cannot be answered"
    assert "is not at least 3 at 95 %, but may be at the confidence required" in result.because


def test_an_option_that_a_library_or_kernel_ignores_is_not_swept() -> None:
    effects = tuple(each for each in swept(1.0, 0) if each.key != "placement")
    placed = tuple(each for each in swept(1.0, 0) if each.key == "placement")
    placement = replace(summary(), effects=placed)
    library = Library("Open MPI v5.0.11", "", "3.1", "", "", "", "", 0.0, 1, (), (), 8, None)
    algorithm = x15.OPTIONS["collective algorithms"][0]
    labels = [
        label("mpich", ((key, value),)) for key, value in (("flags", "-O3"), (algorithm, "auto"))
    ]
    ignored = replace(summary(), effects=effects, libraries=dict.fromkeys(labels, library))
    small = {**summary().environment, "memory": {"transparent_huge_pages": "never"}}
    for options, named in (
        (ignored, "collective algorithms swept"),
        (replace(summary(), effects=effects, environment=small), "page size swept"),
    ):
        result = answer(x15.claim, {"options": options, "placement": placement})
        assert result.verdict == "cannot be answered"
        assert named in result.because


def test_cases_that_gain_and_cases_that_lose_are_no_lack_of_an_effect() -> None:
    slower, faster = Ratio("slower", 1.3, 1.29, 1.31, 40), Ratio("faster", 0.77, 0.76, 0.78, 40)
    alike = Ratio("none", 1.0, 0.99, 1.01, 40)
    named = [key for keys in list(x15.OPTIONS.values())[:3] for key in keys]
    effects = [
        of_case(each.key, alike, slower, faster) if each.key in named else each
        for each in swept(1.0, 0)
    ]
    assert verdict(effects).verdict == "differs"


@pytest.mark.parametrize(("factor", "expected"), [(1.0, "reproduced"), (1.12, "differs")])
def test_many_cases_of_recorded_noise_are_judged(factor: float, expected: str) -> None:
    """Each at its own level of 30 that are compared at once."""
    chance = random.Random(1)

    def launches(centre: float) -> list[float]:
        return [math.log(centre) + noise(chance, 0.03) for _ in range(30)]

    named = [key for keys in list(x15.OPTIONS.values())[:3] for key in keys]
    effects = [
        of_case(key, *judged([launches(factor if key in named else 1.0), *[launches(1.0)] * 29]))
        for key in KEYS
    ]
    assert verdict(effects).verdict == expected


def test_cases_without_a_figure_leave_it_open() -> None:
    named = [key for keys in list(x15.OPTIONS.values())[:3] for key in keys]
    effects = [
        replace(each, not_compared=1) if each.key in named else each for each in swept(1.0, 0)
    ]
    assert verdict(effects).verdict == "cannot be answered"


@pytest.mark.parametrize("option", x15.OPTIONS)
def test_an_option_that_was_not_swept_leaves_it_open(option: str) -> None:
    keys = x15.OPTIONS[option]
    result = verdict([each for each in swept(1.0, 0) if each.key not in keys])
    assert result.verdict == "cannot be answered"
    assert f"{option} swept: not measured" in result.because
