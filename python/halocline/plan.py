"""Which cases need another launch: pure decisions on what has been measured so far."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from halocline.stats import half_width_relative

Item = TypeVar("Item")

CASE_MINIMUM_S = 0.002
CASE_MAXIMUM_S = 0.2
# Launches differ among themselves by a percent or two, which more time within one cannot mend: many
# short launches know more than a few long ones.
_LAUNCHES_AIMED_AT = 64
# What these leave of the budget goes to the cases that need more of them.
_SHARE_OF_AIM = 0.9
# A case is exact enough when it was so after each of its last launches. To stop at the first chance
# would pick the launches that happen to agree: 95 % intervals then hold the truth in 90 %.
_LAUNCHES_EXACT = 4
# A part is begun if its fewest launches seem to end within this share of the budget: what a case
# takes is a guess before its first launch.
_SHARE_TO_BEGIN = 0.85


@dataclass(frozen=True)
class Limits:
    """How exactly to measure, in how many launches, in how much time for a library."""

    half_width: float
    launches_minimum: int
    launches_maximum: int
    budget_s: float


@dataclass(frozen=True)
class Measured:
    """What is known of one case: its launches, and the figure of each that gave one.

    `settled`: known failed or skipped, so that another launch would tell nothing new.
    """

    launches: int = 0
    figures: tuple[float, ...] = ()
    settled: bool = False

    @cached_property
    def half_width(self) -> float:
        """Relative half-width of the interval over the launches; infinite below two."""
        return half_width_relative(self.figures)

    @cached_property
    def widest_lately(self) -> float:
        """The largest half-width after each of the last launches."""
        count = len(self.figures)
        recent = range(max(1, count - _LAUNCHES_EXACT), count - 1)
        before = (half_width_relative(self.figures[: last + 1]) for last in recent)
        return max((self.half_width, *before))


@dataclass(frozen=True)
class State:
    """Where a library is: its cases, the cost of another launch of each, and what was spent.

    `parts` has the ids of all cases, the most important first. `starts_s` is what a launch of every
    queue takes besides its cases.
    """

    parts: tuple[tuple[str, ...], ...]
    cases: Mapping[str, Measured]
    costs_s: Mapping[str, float]
    starts_s: float
    spent_s: float


def first_case_s(limits: Limits, cases: int) -> float:
    """The time that a case may take in one launch, so that the launches aimed at fit the budget."""
    return _within(_SHARE_OF_AIM * limits.budget_s / (max(cases, 1) * _aim(limits)))


def next_case_s(state: State, limits: Limits, case_s: float) -> float:
    """The same for the next launch, given what the launches so far took with `case_s`.

    They take longer than planned by their start and by what is not timed, shorter if cases are
    soon exact enough.
    """
    launches = sum(case.launches for case in state.cases.values())
    cases = _cases(state, begun(state, limits))
    open_ = (case for case in cases if _lacks(case, limits) or _is_wide(case, limits))
    left = sum(max(0, _aim(limits) - case.launches) for case in open_)
    if not launches or not left or not state.spent_s:
        return case_s
    fair_s = (_SHARE_OF_AIM * limits.budget_s - state.spent_s) / left
    return _within(case_s * fair_s / (state.spent_s / launches))


def begun(state: State, limits: Limits) -> tuple[int, ...]:
    """The parts that there is time for, by their numbers: the most important ones, greedily.

    The first one gets its fewest launches, however long they take.
    """
    chosen: list[int] = []
    lacking_s, rounds = 0.0, 0
    for number, part in enumerate(state.parts):
        missing = {case: _missing(state.cases[case], limits) for case in part}
        own_s = sum(count * state.costs_s[case] for case, count in missing.items())
        most = max(rounds, *missing.values()) if missing else rounds
        share = 1.0 if any(state.cases[case].launches for case in part) else _SHARE_TO_BEGIN
        ends_s = state.spent_s + lacking_s + own_s + most * state.starts_s
        if number == 0 or own_s == 0 or ends_s <= share * limits.budget_s:
            chosen.append(number)
            lacking_s, rounds = lacking_s + own_s, most
    return tuple(chosen)


def due(state: State, limits: Limits) -> tuple[str, ...]:
    """The cases that the next launches of a library measure; none when it is done.

    All of the parts begun that lack launches; then, of those that are not exact enough, as many as
    the budget allows, the widest first.
    """
    parts = begun(state, limits)
    names = [case for number in parts for case in state.parts[number]]
    lacking = [name for name in names if _lacks(state.cases[name], limits)]
    if lacking:
        return tuple(lacking)
    wide = [name for name in names if _is_wide(state.cases[name], limits)]
    left_s = limits.budget_s - state.spent_s - state.starts_s
    chosen: set[str] = set()
    for name in sorted(wide, key=lambda name: -_width(state.cases[name], limits)):
        left_s -= state.costs_s[name]
        if left_s < 0:
            break
        chosen.add(name)
    return tuple(name for name in wide if name in chosen)


def time_left_s(state: State, limits: Limits) -> float:
    """Seconds until a library is done, at most: the fewest launches, then the budget's rest."""
    parts = begun(state, limits)
    fewest_s = most_s = 0.0
    rounds = most_rounds = 0
    for name in (case for number in parts for case in state.parts[number]):
        case, cost_s = state.cases[name], state.costs_s[name]
        missing = _missing(case, limits)
        fewest_s, rounds = fewest_s + missing * cost_s, max(rounds, missing)
        if missing or _is_wide(case, limits):
            possible = limits.launches_maximum - case.launches
            most_s, most_rounds = most_s + possible * cost_s, max(most_rounds, possible)
    fewest_s += rounds * state.starts_s
    most_s += most_rounds * state.starts_s
    return max(fewest_s, min(most_s, limits.budget_s - state.spent_s))


def lacking_s(state: State, limits: Limits, part: int) -> float:
    """Seconds that the fewest launches of a part still take."""
    missing = {case: _missing(state.cases[case], limits) for case in state.parts[part]}
    own_s = sum(count * state.costs_s[case] for case, count in missing.items())
    return own_s + max(missing.values(), default=0) * state.starts_s


def lacking(state: State, limits: Limits, part: int) -> tuple[str, ...]:
    """The cases of a part that have not had their fewest launches."""
    return tuple(case for case in state.parts[part] if _lacks(state.cases[case], limits))


def in_turn(queues: Sequence[Item], turn: int) -> tuple[Item, ...]:
    """A B C, then B C A: so that no library always runs after the same one."""
    first = turn % len(queues)
    return (*queues[first:], *queues[:first])


def shuffled(names: Sequence[str], launch: int) -> tuple[str, ...]:
    """The cases in an order of this launch's own, the same whenever it is asked for."""
    order = list(names)
    random.Random(launch).shuffle(order)
    return tuple(order)


def _cases(state: State, parts: Sequence[int]) -> list[Measured]:
    return [state.cases[case] for number in parts for case in state.parts[number]]


def _lacks(case: Measured, limits: Limits) -> bool:
    return not case.settled and case.launches < limits.launches_minimum


def _missing(case: Measured, limits: Limits) -> int:
    return limits.launches_minimum - case.launches if _lacks(case, limits) else 0


def _is_wide(case: Measured, limits: Limits) -> bool:
    if case.settled or not limits.launches_minimum <= case.launches < limits.launches_maximum:
        return False
    few = len(case.figures) < limits.launches_minimum
    if few or len(case.figures) < 2:
        return few
    # The last one tells of most: the others cost time.
    return case.half_width > limits.half_width or case.widest_lately > limits.half_width


def _aim(limits: Limits) -> int:
    return min(max(_LAUNCHES_AIMED_AT, limits.launches_minimum), limits.launches_maximum)


def _width(case: Measured, limits: Limits) -> float:
    """Infinite as long as too few launches gave a figure, as when all in them was preempted."""
    few = len(case.figures) < limits.launches_minimum
    return math.inf if few else case.half_width


def _within(case_s: float) -> float:
    return min(max(case_s, CASE_MINIMUM_S), CASE_MAXIMUM_S)
