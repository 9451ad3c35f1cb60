"""Which cases get another launch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from halocline.campaign.plan import (
    Limits,
    Measured,
    Span,
    State,
    begun,
    due,
    first_case_s,
    in_turn,
    lacking,
    lacking_s,
    left,
    next_case_s,
    possible,
    shuffled,
)

LIMITS = Limits(half_width=0.01, launches_minimum=3, launches_maximum=5, budget_s=100.0)
EXACT = (1.0, 1.0, 1.0)
WIDE = (1.0, 1.1, 1.2)
WIDER = (1.0, 2.0, 3.0)


def case(*figures: float) -> Measured:
    return Measured(len(figures), figures)


def state(
    cases: Mapping[str, Measured],
    spent_s: float = 0.0,
    cost_s: float = 1.0,
    starts_s: float = 0.0,
    parts: Sequence[tuple[str, ...]] | None = None,
) -> State:
    costs_s = dict.fromkeys(cases, cost_s)
    return State(tuple(parts or [tuple(cases)]), cases, costs_s, starts_s, spent_s)


def test_all_cases_get_the_fewest_launches() -> None:
    cases = {"new": Measured(), "two": case(1.0, 1.0), "three": case(*EXACT)}
    assert due(state(cases), LIMITS) == ("new", "two")


def test_the_fewest_launches_are_made_even_beyond_the_budget() -> None:
    assert due(state({"a": case(1.0)}, spent_s=1e6), LIMITS) == ("a",)


def test_then_only_those_that_are_not_exact_enough() -> None:
    assert due(state({"exact": case(*EXACT), "wide": case(*WIDE)}), LIMITS) == ("wide",)


def test_exact_enough_is_what_was_so_after_each_of_the_last_four_launches() -> None:
    limits = Limits(half_width=0.01, launches_minimum=5, launches_maximum=20, budget_s=100.0)
    settling = (2.0, *(1.0,) * 4)  # from here on the outlier is trimmed away
    assert due(state({"a": case(*settling)}), limits) == ("a",)
    assert due(state({"a": case(*settling, 1.0, 1.0)}), limits) == ("a",)
    assert due(state({"a": case(*settling, 1.0, 1.0, 1.0)}), limits) == ()


def test_launches_in_which_all_was_preempted_are_made_up_for_first() -> None:
    cases = {"wide": case(*WIDER), "all preempted": Measured(3, ()), "once": Measured(3, (1, 1))}
    assert due(state(cases), LIMITS) == ("wide", "all preempted", "once")
    assert due(state(cases, spent_s=80.0, cost_s=10.0), LIMITS) == ("all preempted", "once")
    assert due(state({"a": Measured(5, (1, 1))}), LIMITS) == ()


def test_no_more_than_the_most_launches() -> None:
    assert due(state({"wide": case(*WIDE, 1.0, 2.0)}), LIMITS) == ()


def test_failed_and_skipped_cases_are_not_repeated() -> None:
    settled = Measured(1, (), settled=True)
    assert due(state({"settled": settled}), LIMITS) == ()


@pytest.mark.parametrize(
    ("spent_s", "chosen"),
    [(79.0, ("wide", "wider")), (85.0, ("wider",)), (90.0, ()), (120.0, ())],
)
def test_the_budget_goes_to_the_widest(spent_s: float, chosen: tuple[str, ...]) -> None:
    cases = {"exact": case(*EXACT), "wide": case(*WIDE), "wider": case(*WIDER)}
    assert due(state(cases, spent_s, cost_s=10.0, starts_s=1.0), LIMITS) == chosen


def test_a_case_may_take_its_share_of_the_budget() -> None:
    survey = Limits(half_width=0.01, launches_minimum=8, launches_maximum=60, budget_s=160.0)
    assert first_case_s(survey, 368) == 0.9 * 160 / (368 * 60)
    assert first_case_s(survey, 1) == 0.2
    assert first_case_s(survey, 100_000) == 0.002


def test_it_is_corrected_by_what_launches_took() -> None:
    # Nine tenths of the budget are for the five launches of each case.
    limits = Limits(half_width=0.01, launches_minimum=3, launches_maximum=5, budget_s=1.0)
    none = {"a": Measured(), "b": Measured()}
    one = {"a": case(1.0), "b": case(1.0)}
    assert first_case_s(limits, 2) == 0.09
    assert next_case_s(state(none), limits, 0.125) == 0.125
    # Two launches of a case took 0.3 s: 0.6 s are left for eight more, at 0.15 s each so far.
    assert next_case_s(state(one, 0.3), limits, 0.125) == pytest.approx(0.125 * 0.075 / 0.15)
    assert next_case_s(state(one, 0.01), limits, 0.125) == 0.2
    assert next_case_s(state(one, 0.9), limits, 0.125) == 0.002
    assert next_case_s(state({"a": case(*EXACT)}, 0.9), limits, 0.125) == 0.125


def seconds_left(planned: State, limits: Limits) -> float:
    return left(planned, limits).seconds


def test_time_left() -> None:
    new = {"a": Measured(), "b": Measured()}
    assert seconds_left(state(new, cost_s=0.5), LIMITS) == 2 * 5 * 0.5
    assert seconds_left(state(new, cost_s=0.5, starts_s=1.0), LIMITS) == 5 * (2 * 0.5 + 1.0)
    # A launch of a case takes 30 s: the fewest need 150 s more, whatever the budget.
    began = {"a": case(1.0), "b": Measured()}
    assert seconds_left(state(began, 30.0, cost_s=30.0), LIMITS) == 5 * 30.0
    assert seconds_left(state({"a": case(*WIDE)}, 99.0, cost_s=33.0), LIMITS) == 1.0
    assert seconds_left(state({"a": case(*EXACT)}, 12.0), LIMITS) == 0.0


def test_what_is_left_is_what_the_spread_so_far_asks_for() -> None:
    limits = Limits(half_width=0.01, launches_minimum=3, launches_maximum=100, budget_s=1000.0)
    new = left(state({"a": Measured()}), limits)
    assert (new.seconds, new.fewest.seconds, new.sure) == (100.0, 3.0, False)
    # Half the width takes four times the launches.
    nine = case(*(1 + 0.005 * step for step in range(9)))
    found = left(state({"a": nine}), replace(limits, half_width=nine.half_width / 2))
    assert (found.seconds, found.fewest.seconds, found.sure) == (4 * 9 - 9, 0.0, True)
    assert not left(state({"a": case(1.0)}), LIMITS).sure


def test_within_a_launch_the_pace_of_its_cases_corrects_the_rest() -> None:
    # Two launches of 4 s each as planned; 3 s of the first took 30 s.
    planned = left(state({"a": Measured()}, cost_s=4.0), Limits(0.01, 2, 2, 1000.0))
    assert planned.seconds == 8.0
    launch = Span(4.0, 0.0)
    assert planned.within_launch(30.0, launch, 10.0, slower=10.0).seconds == 10.0 + 40.0
    new = left(state({"a": Measured()}), LIMITS)
    assert new.within_launch(0, Span(1.0, 0.0), 500.0, 500.0).seconds > 1000


def test_minimum_launches_that_take_the_budget_bound_what_is_left() -> None:
    # Four launches, budget 20 s. One of two cases, guessed to take 0.01 s, took 3 s.
    new = state({"a": Measured(), "b": Measured()}, cost_s=0.01, starts_s=0.5)
    planned = left(replace(new, guessed=frozenset("ab")), Limits(0.01, 4, 20, 20.0))
    assert (planned.seconds, planned.bounded) == (20 * (2 * 0.01 + 0.5), False)
    launch = Span(0.02, 0.5)
    found = planned.within_launch(3.5, launch, 3.0, slower=300.0)
    assert found.seconds == pytest.approx(3.0 + 3 * (2 * 3.0 + 0.5))
    assert found.bounded
    # As fast as guessed, they leave the budget as the only bound.
    fast = planned.within_launch(0.51, launch, 0.01, slower=1.0)
    assert (fast.seconds, fast.bounded) == (20.0 - 0.51, False)


THREE = [("a", "b"), ("c",), ("d",)]
NEW = dict.fromkeys("abcd", Measured())


def test_parts_are_begun_as_far_as_there_is_time_for_their_fewest_launches() -> None:
    # Three launches each; 85 of 100 s may be planned.
    assert begun(state(NEW, cost_s=7.0, parts=THREE), LIMITS) == (0, 1, 2)
    assert begun(state(NEW, cost_s=7.1, parts=THREE), LIMITS) == (0, 1)
    assert begun(state(NEW, cost_s=7.0, starts_s=1.0, parts=THREE), LIMITS) == (0, 1)
    assert begun(state(NEW, cost_s=7.0, spent_s=2.0, parts=THREE), LIMITS) == (0, 1)
    assert begun(state(NEW, cost_s=100.0, parts=THREE), LIMITS) == (0,)


def test_a_part_that_takes_too_long_makes_room_for_later_ones() -> None:
    costs_s = {"a": 1.0, "b": 1.0, "c": 50.0, "d": 1.0}
    planned = State(tuple(THREE), NEW, costs_s, 0.0, 0.0)
    assert begun(planned, LIMITS) == (0, 2)
    assert due(planned, LIMITS) == ("a", "b", "d")
    assert (lacking(planned, LIMITS, 1), lacking_s(planned, LIMITS, 1)) == (("c",), 150.0)


def test_what_has_begun_is_finished_if_the_whole_budget_allows_it() -> None:
    cases = {**NEW, "c": case(1.0), "d": case(1.0)}
    costs_s = {"a": 10.0, "b": 10.0, "c": 10.0, "d": 10.0}
    assert begun(State(tuple(THREE), cases, costs_s, 0.0, 0.0), LIMITS) == (0, 1, 2)
    assert begun(State(tuple(THREE), cases, costs_s, 0.0, 1.0), LIMITS) == (0, 1)
    assert begun(State(tuple(THREE), cases, costs_s, 0.0, 21.0), LIMITS) == (0,)
    rest = [("x",), *THREE]
    cases["x"], costs_s["x"] = case(*EXACT), 1.0
    assert begun(State(tuple(rest), cases, costs_s, 0.0, 26.0), LIMITS) == (0, 2, 3)
    done = {**cases, "a": case(*EXACT), "b": case(*EXACT)}
    assert begun(State(tuple(THREE), done, costs_s, 0.0, 60.0), LIMITS) == (0, 1, 2)
    assert begun(State(tuple(THREE), done, costs_s, 0.0, 61.0), LIMITS) == (0, 1)


def test_only_what_has_begun_is_made_exact_and_only_after_all_launches_that_are_lacking() -> None:
    cases = {"a": case(*WIDE), "b": case(*EXACT), "c": case(*WIDER), "d": Measured()}
    assert due(state(cases, parts=THREE), LIMITS) == ("d",)
    assert due(state(cases, spent_s=83.0, parts=THREE), LIMITS) == ("a", "c")
    left_s = seconds_left(state(cases, spent_s=83.0, parts=THREE), LIMITS)
    assert left_s == 4.0  # two launches more of each


def test_libraries_take_turns() -> None:
    assert [in_turn("ABC", turn) for turn in range(4)] == [
        ("A", "B", "C"),
        ("B", "C", "A"),
        ("C", "A", "B"),
        ("A", "B", "C"),
    ]


def test_each_launch_has_an_order_of_its_own() -> None:
    names = [str(number) for number in range(20)]
    orders = [shuffled(names, launch) for launch in range(1, 9)]
    assert all(sorted(order) == sorted(names) for order in orders)
    assert len(set(orders)) == 8
    assert shuffled(names, 3) == orders[2]


def test_of_what_nobody_has_seen_one_part_is_begun_at_a_time() -> None:
    unseen = replace(state(NEW, parts=THREE), guessed=frozenset("abcd"))
    assert begun(unseen, LIMITS) == (0,)
    assert possible(unseen, LIMITS) == (0, 1, 2)
    assert not left(unseen, LIMITS).sure
    assert left(unseen, LIMITS).seconds == LIMITS.budget_s
    assert left(unseen, LIMITS).guessed
    done = {**NEW, "a": case(*EXACT), "b": case(*EXACT)}
    planned = replace(state(done, cost_s=30.0, parts=THREE), guessed=frozenset("cd"))
    assert not left(planned, LIMITS).guessed  # there is no time for what nobody has seen
    seen = {**NEW, "a": case(1.0), "b": case(1.0)}
    assert begun(replace(state(seen, parts=THREE), guessed=frozenset("cd")), LIMITS) == (0, 1)
    # What is like something that was seen need not wait.
    assert begun(replace(state(seen, parts=THREE), guessed=frozenset("c")), LIMITS) == (0, 1, 2)


def test_what_has_begun_goes_before_what_is_more_important() -> None:
    cases = {**NEW, "a": case(*EXACT), "b": case(*EXACT), "d": case(1.0)}
    costs_s = dict.fromkeys("abcd", 20.0)
    assert begun(State(tuple(THREE), cases, costs_s, 0.0, 1.0), LIMITS) == (0, 2)
