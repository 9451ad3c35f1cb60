"""Which cases get another launch."""

from __future__ import annotations

import pytest

from halocline.plan import (
    Limits,
    Measured,
    due,
    first_case_s,
    in_turn,
    next_case_s,
    shuffled,
    time_left_s,
)

LIMITS = Limits(half_width=0.01, launches_minimum=3, launches_maximum=5, budget_s=100.0)
EXACT = (1.0, 1.0, 1.0)
WIDE = (1.0, 1.1, 1.2)
WIDER = (1.0, 2.0, 3.0)


def case(*figures: float) -> Measured:
    return Measured(len(figures), figures)


def test_all_cases_get_the_fewest_launches() -> None:
    cases = {"new": Measured(), "two": case(1.0, 1.0), "three": case(*EXACT)}
    assert due(cases, LIMITS, 0.0, 0.04) == ("new", "two")


def test_the_fewest_launches_are_made_even_beyond_the_budget() -> None:
    assert due({"a": case(1.0)}, LIMITS, 1e6, 0.04) == ("a",)


def test_then_only_those_that_are_not_exact_enough() -> None:
    assert due({"exact": case(*EXACT), "wide": case(*WIDE)}, LIMITS, 1.0, 0.04) == ("wide",)


def test_exact_enough_is_what_was_so_after_each_of_the_last_four_launches() -> None:
    limits = Limits(half_width=0.01, launches_minimum=5, launches_maximum=20, budget_s=100.0)
    settling = (2.0, *(1.0,) * 4)  # from here on the outlier is trimmed away
    assert due({"a": case(*settling)}, limits, 1.0, 0.04) == ("a",)
    assert due({"a": case(*settling, 1.0, 1.0)}, limits, 1.0, 0.04) == ("a",)
    assert due({"a": case(*settling, 1.0, 1.0, 1.0)}, limits, 1.0, 0.04) == ()


def test_launches_in_which_all_was_preempted_are_made_up_for_first() -> None:
    cases = {"wide": case(*WIDER), "all preempted": Measured(3, ()), "once": Measured(3, (1, 1))}
    assert due(cases, LIMITS, 1.0, 0.04) == ("wide", "all preempted", "once")
    assert due(cases, LIMITS, 80.0, 0.04) == ("all preempted", "once")
    assert due({"a": Measured(5, (1, 1))}, LIMITS, 1.0, 0.04) == ()


def test_no_more_than_the_most_launches() -> None:
    assert due({"wide": case(*WIDE, 1.0, 2.0)}, LIMITS, 1.0, 0.04) == ()


def test_failed_and_skipped_cases_are_not_repeated() -> None:
    settled = Measured(1, (), settled=True)
    assert due({"settled": settled}, LIMITS, 0.0, 0.04) == ()


@pytest.mark.parametrize(
    ("spent_s", "chosen"),
    [(50.0, ("wide", "wider")), (90.0, ("wider",)), (95.0, ()), (120.0, ())],
)
def test_the_budget_goes_to_the_widest(spent_s: float, chosen: tuple[str, ...]) -> None:
    # Nine launches of a case so far: at 90 s each took 10 s.
    cases = {"exact": case(*EXACT), "wide": case(*WIDE), "wider": case(*WIDER)}
    assert due(cases, LIMITS, spent_s, 0.04) == chosen


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
    assert next_case_s(none, limits, 0.0, 0.125) == 0.125
    # Two launches of a case took 0.3 s: 0.6 s are left for eight more, at 0.15 s each so far.
    assert next_case_s(one, limits, 0.3, 0.125) == pytest.approx(0.125 * 0.075 / 0.15)
    assert next_case_s(one, limits, 0.01, 0.125) == 0.2
    assert next_case_s(one, limits, 0.9, 0.125) == 0.002
    assert next_case_s({"a": case(*EXACT)}, limits, 0.9, 0.125) == 0.125


def test_time_left() -> None:
    assert time_left_s({"a": Measured(), "b": Measured()}, LIMITS, 0.0, 0.5) == 2 * 5 * 0.5
    # One launch took 30 s: the fewest need 150 s more, whatever the budget.
    assert time_left_s({"a": case(1.0), "b": Measured()}, LIMITS, 30.0, 0.5) == 5 * 30.0
    assert time_left_s({"a": case(*WIDE)}, LIMITS, 99.0, 0.5) == 1.0
    assert time_left_s({"a": case(*EXACT)}, LIMITS, 12.0, 0.5) == 0.0


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
