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
    guessed: frozenset[str] = frozenset()  # cases of which nobody has seen the like
    guess_s: float = 0.0  # what such a case takes at least, if it is given its time


def first_case_s(limits: Limits, cases: int) -> float:
    """The time that a case may take in one launch, so that the launches aimed at fit the budget."""
    return _within(_SHARE_OF_AIM * limits.budget_s / (max(cases, 1) * _aim(limits)))


def next_case_s(state: State, limits: Limits, case_s: float) -> float:
    """The same for the next launch, given what the launches so far took with `case_s`.

    They take longer than planned by their start and by what is not timed, shorter if cases are
    soon exact enough.
    """
    launches = sum(case.launches for case in state.cases.values())
    cases = _cases(state, possible(state, limits))
    open_ = (case for case in cases if _lacks(case, limits) or _is_wide(case, limits))
    left = sum(max(0, _aim(limits) - case.launches) for case in open_)
    if not launches or not left or not state.spent_s:
        return case_s
    fair_s = (_SHARE_OF_AIM * limits.budget_s - state.spent_s) / left
    return _within(case_s * fair_s / (state.spent_s / launches))


def begun(state: State, limits: Limits) -> tuple[int, ...]:
    """The parts that there is time for, by their numbers: those that have begun, then the most
    important ones, greedily.

    The first one gets its fewest launches, however long they take. Of what it is not known what it
    takes one part is begun at a time: what is begun and left out is time lost.
    """
    return _planned(state, limits)[0]


def possible(state: State, limits: Limits) -> tuple[int, ...]:
    """The parts that there seems to be time for, begun already or later."""
    return _planned(state, limits, at_a_time=len(state.parts))[0]


def _planned(state: State, limits: Limits, at_a_time: int = 1) -> tuple[tuple[int, ...], bool]:
    """The parts to be measured, and whether others wait until it is known what those take."""
    chosen: list[int] = []
    lacking_s, rounds = 0.0, 0
    guessed, waiting = 0, False
    has_begun = [any(state.cases[case].launches for case in part) for part in state.parts]
    order = sorted(range(len(state.parts)), key=lambda number: (number > 0, not has_begun[number]))
    for number in order:
        part = state.parts[number]
        missing = {case: _missing(state.cases[case], limits) for case in part}
        own_s = sum(count * state.costs_s[case] for case, count in missing.items())
        most = max(rounds, *missing.values()) if missing else rounds
        share = 1.0 if has_begun[number] else _SHARE_TO_BEGIN
        ends_s = state.spent_s + lacking_s + own_s + most * state.starts_s
        if not (number == 0 or own_s == 0 or ends_s <= share * limits.budget_s):
            continue
        guess = not state.guessed.isdisjoint(part)
        if guess and guessed == at_a_time:
            waiting = True
            continue
        guessed += guess
        chosen.append(number)
        lacking_s, rounds = lacking_s + own_s, most
    return tuple(sorted(chosen)), waiting


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


@dataclass(frozen=True)
class Left:
    """What is left to do for a library, in seconds: the fewest launches, and those that its cases
    seem to need as far as the budget goes.

    `sure` if all cases have had their fewest launches, so that it is known what they need.
    """

    fewest_s: float
    likely_s: float
    budget_s: float
    sure: bool
    guessed: bool = False  # whether some of it is of what nobody has seen

    @property
    def seconds(self) -> float:
        """Until it is done."""
        return max(self.fewest_s, min(self.likely_s, self.budget_s))

    def within_launch(
        self, elapsed_s: float, planned_s: float, rest_s: float, slower: float
    ) -> Left:
        """The same within a launch of which `planned_s` was expected and `rest_s` seem left, where
        all takes so many times what was expected.
        """
        return Left(
            rest_s + slower * max(0.0, self.fewest_s - planned_s),
            rest_s + slower * max(0.0, self.likely_s - planned_s),
            self.budget_s - elapsed_s,
            self.sure,
            self.guessed,
        )


def left(state: State, limits: Limits) -> Left:
    """What is left to do for a library."""
    parts, waiting = _planned(state, limits)
    fewest_s = likely_s = 0.0
    rounds = likely_rounds = 0
    sure, guessed = not waiting, False
    for name in (case for number in parts for case in state.parts[number]):
        case, cost_s = state.cases[name], state.costs_s[name]
        if name in state.guessed:
            cost_s = max(cost_s, state.guess_s)
        missing = _missing(case, limits)
        guessed = guessed or (missing > 0 and name in state.guessed)
        fewest_s, rounds = fewest_s + missing * cost_s, max(rounds, missing)
        needed = missing
        if missing:
            needed = limits.launches_maximum - case.launches
            sure = sure and needed == missing
        elif _is_wide(case, limits):
            needed = _needed(case, limits)
        likely_s, likely_rounds = likely_s + needed * cost_s, max(likely_rounds, needed)
    return Left(
        fewest_s + rounds * state.starts_s,
        math.inf if waiting else likely_s + likely_rounds * state.starts_s,
        limits.budget_s - state.spent_s,
        sure,
        guessed,
    )


def _needed(case: Measured, limits: Limits) -> int:
    """The launches that make a wide case exact, if its spread stays what it is."""
    possible = limits.launches_maximum - case.launches
    if not math.isfinite(case.half_width):
        return possible
    enough = case.launches * (case.half_width / limits.half_width) ** 2
    return max(1, min(possible, math.ceil(enough) - case.launches))


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
