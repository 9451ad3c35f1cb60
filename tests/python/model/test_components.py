"""The layout advisor on costs that are known."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise

import pytest

from conftest import Command
from findings.made_up import summary
from halocline.base.errors import UserError
from halocline.model.components import COMPONENTS, Advice, advise, in_words, to_json
from halocline.summary.summary import CaseSummary
from model.coupled_runs import coupled
from model.machine import case

SHARED_S = {"land": 0.2, "ice": 0.4, "atmosphere": 6.0, "ocean": 3.0}
REPEATED_S = {"land": 0.01, "ice": 0.01, "atmosphere": 0.2, "ocean": 0.1}
COUPLING_S = 0.05


def cost_s(component: str, ranks: int) -> float:
    return SHARED_S[component] / ranks + REPEATED_S[component]


def sequential(ranks: int) -> CaseSummary:
    time_s = COUPLING_S + sum(cost_s(name, ranks) for name in COMPONENTS)
    run_s = {name: cost_s(name, ranks) for name in COMPONENTS}
    return coupled("sequential", time_s, dict.fromkeys(COMPONENTS, ranks), run_s, COUPLING_S)


@pytest.fixture
def advice() -> Advice:
    return advise(summary(sequential(4), sequential(8)), 16)


def test_costs_are_found_again(advice: Advice) -> None:
    for cost in advice.costs.of.values():
        assert cost.shared_s == pytest.approx(SHARED_S[cost.component])
        assert cost.repeated_s == pytest.approx(REPEATED_S[cost.component])
    assert [each.error for each in advice.checked] == pytest.approx([0, 0], abs=1e-12)


def test_the_best_layout_is_that_of_an_exhaustive_search(advice: Advice) -> None:
    best = {each.arrangement: each for each in advice.layouts}
    concurrent = min(
        max(cost_s(name, n) for name, n in zip(COMPONENTS, counts, strict=True))
        for counts in parts(16, 4)
    )
    assert best["concurrent"].predicted_s == pytest.approx(COUPLING_S + concurrent)
    assert sum(best["concurrent"].ranks.values()) == 16
    mixed = min(
        max(
            cost_s("ocean", 16 - air),
            cost_s("atmosphere", air)
            + min(
                cost_s("land", air) + cost_s("ice", air),
                *(max(cost_s("land", n), cost_s("ice", air - n)) for n in range(1, air)),
                9e9,
            ),
        )
        for air in range(1, 16)
    )
    assert best["mixed"].predicted_s == pytest.approx(COUPLING_S + mixed)
    assert best["sequential"].predicted_s == pytest.approx(
        COUPLING_S + sum(cost_s(name, 16) for name in COMPONENTS)
    )
    for faster, slower in pairwise(advice.layouts):
        assert faster.predicted_s <= slower.predicted_s


def parts(total: int, count: int) -> list[tuple[int, ...]]:
    """All ways to share ranks, one each or more."""
    if count == 1:
        return [(total,)]
    return [
        (first, *rest)
        for first in range(1, total - count + 2)
        for rest in parts(total - first, count - 1)
    ]


def test_one_layout_is_enough(advice: Advice) -> None:
    found = advise(summary(sequential(4)), 2)
    assert {each.arrangement for each in found.layouts} == {"sequential", "mixed"}
    assert all(cost.repeated_s == 0 for cost in found.costs.of.values())
    assert any("as if its ranks shared all of it" in line for line in in_words(found))


def test_words_and_json_say_how_to_run_the_same_model(advice: Advice) -> None:
    best = {each.arrangement: each for each in advice.layouts}
    model = "protocol=isend_irecv truncation=21 --mpi mpich"
    whole = f"halocline run coupled {model} arrangement=sequential"
    assert advice.command(best["sequential"]) == f"{whole} --ranks 16"
    counts = " ".join(f"{name}_ranks={best['mixed'].ranks[name]}" for name in COMPONENTS)
    assert advice.command(best["mixed"]).endswith(f"arrangement=mixed {counts} --ranks 16")
    assert next(in_words(advice)).endswith(advice.command(advice.layouts[0]))
    written = json.loads(json.dumps(to_json(advice, "runs/coupled")))
    assert written["layouts"][0]["command"] == advice.command(advice.layouts[0])
    assert [each.layout.total for each in advice.checked] == [4, 8]


def test_a_case_without_its_phases_or_ranks_is_refused() -> None:
    whole = sequential(4)
    counts = tuple(each for each in whole.metrics if not each.name.endswith("_ranks"))
    for lacking in (replace(whole, phases=()), replace(whole, metrics=counts)):
        with pytest.raises(UserError, match="has no times of its components"):
            advise(summary(lacking), 4)


def test_other_models_are_refused() -> None:
    with pytest.raises(UserError, match="no measured case of coupled"):
        advise(summary(case("halo", [1e-3], words=4)), 4)
    other = sequential(4)
    axes = tuple(sorted({**dict(other.case.axes), "truncation": 42}.items()))
    finer = replace(other, case=replace(other.case, axes=axes))
    half = replace(other, case=replace(other.case, axes=(*other.case.axes, ("restart", "a.nc"))))
    apart = replace(other, case=replace(other.case, configuration=(("layout", "2N2P"),)))
    for another in (finer, half, apart):
        with pytest.raises(UserError, match="2 coupled models"):
            advise(summary(sequential(4), another), 4)
    together = replace(other, case=replace(other.case, configuration=(("layout", "1N4P"),)))
    assert advise(summary(sequential(8), together), 4).layouts


def test_the_command_needs_a_run(command: Command) -> None:
    ended = command("model", "--components", "4")
    assert ended.code == 2
    assert "--components without a run of its own" in ended.err
