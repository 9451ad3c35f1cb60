"""Which cases need another launch: pure functions of what has been measured so far."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from halocline.summary.stats import half_width_relative

Item = TypeVar("Item")

CASE_MINIMUM_S = 0.002
CASE_MAXIMUM_S = 0.2
# Launches differ by a percent or two, which more time within one does not reduce: many
# short launches are more precise than a few long ones.
_LAUNCHES_AIMED_AT = 64
# The rest of the budget goes to the cases that need more launches.
_SHARE_OF_AIM = 0.9
# A case is precise enough if it was so after each of its last launches. Stopping at the first
# chance would select launches that happen to agree: 95 % intervals would then cover only 90 %.
_LAUNCHES_EXACT = 4
# Start a part only if its minimum launches should fit this share of the budget: the cost of a case
# is a guess before its first launch.
_SHARE_TO_BEGIN = 0.85


@dataclass(frozen=True)
class Limits:
    """Target precision, number of launches, and time per library."""

    half_width: float
    launches_minimum: int
    launches_maximum: int
    budget_s: float


@dataclass(frozen=True)
class Measured:
    """The state of one case: its launches, and the figure of each that gave one.

    `settled`: failed, skipped, or preempted by its own ranks in every batch, so another launch
    would add nothing.
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
    """The progress of a library: its cases, the cost of another launch of each, and the time spent.

    `parts` has the ids of all cases, the most important first. `starts_s` is the time of a launch
    of every queue beyond its cases.
    """

    parts: tuple[tuple[str, ...], ...]
    cases: Mapping[str, Measured]
    costs_s: Mapping[str, float]
    starts_s: float
    spent_s: float
    guessed: frozenset[str] = frozenset()  # cases without a measured similar one
    guess_s: float = 0.0  # minimum time of such a case


def first_case_s(limits: Limits, cases: int) -> float:
    """The time per case and launch with which the planned launches fit the budget."""
    return _within(_SHARE_OF_AIM * limits.budget_s / (max(cases, 1) * _aim(limits)))


def next_case_s(state: State, limits: Limits, case_s: float) -> float:
    """The same for the next launch, given the actual time of earlier launches with `case_s`.

    Launches take longer than planned because of startup and untimed work, less if cases are
    precise enough early.
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
    """The parts that fit the time, by number: those already started, then the most
    important ones, greedily.

    The first one gets its minimum launches, however long they take. Of the parts of unknown cost,
    one is started at a time: a part started and then left out is lost time.
    """
    return _planned(state, limits)[0]


def possible(state: State, limits: Limits) -> tuple[int, ...]:
    """The parts expected to fit the time, whether started or not."""
    return _planned(state, limits, at_a_time=len(state.parts))[0]


def _planned(state: State, limits: Limits, at_a_time: int = 1) -> tuple[tuple[int, ...], bool]:
    """The parts to measure, and whether others wait until the cost of these is known."""
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

    First all cases of started parts below their minimum; then, of those not precise enough,
    as many as the budget allows, the widest first.
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
class Span:
    """The time of launches: that of their cases, and their own."""

    cases_s: float
    starts_s: float

    @property
    def seconds(self) -> float:
        """Both together."""
        return self.cases_s + self.starts_s

    def after(self, launch: Span, rest_s: float, slower: float) -> Span:
        """What remains of it within a launch of it, whose cases have about `rest_s` left, where
        cases take `slower` times as long. That says nothing about the time to start a launch.
        """
        return Span(
            rest_s + slower * max(0.0, self.cases_s - launch.cases_s),
            max(0.0, self.starts_s - launch.starts_s),
        )


@dataclass(frozen=True)
class Left:
    """The remaining work for a library: the minimum launches, and those its cases are expected to
    need, within the budget.

    `sure` if all cases have had their minimum launches, so their needs are known.
    """

    fewest: Span
    likely: Span
    budget_s: float
    sure: bool
    guessed: bool = False  # whether part of it is a guess

    @property
    def bounded(self) -> bool:
        """Whether no more than `seconds` remain: nothing is added to the minimum launches once
        they take what is left of the budget.
        """
        return self.sure or self.fewest.seconds >= self.budget_s

    @property
    def seconds(self) -> float:
        """Seconds until it is done."""
        return max(self.fewest.seconds, min(self.likely.seconds, self.budget_s))

    def within_launch(self, elapsed_s: float, planned: Span, rest_s: float, slower: float) -> Left:
        """The same within a launch that was planned so, see `Span.after`.

        A few cases say what the minimum launches take, if others are guessed; not how many more
        will be needed.
        """
        unknown = self.guessed and not self.sure
        return Left(
            self.fewest.after(planned, rest_s, slower),
            Span(math.inf, 0.0) if unknown else self.likely.after(planned, rest_s, slower),
            self.budget_s - elapsed_s,
            self.sure,
            self.guessed,
        )


def left(state: State, limits: Limits) -> Left:
    """The remaining work for a library."""
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
        Span(fewest_s, rounds * state.starts_s),
        Span(math.inf if waiting else likely_s, likely_rounds * state.starts_s),
        limits.budget_s - state.spent_s,
        sure,
        guessed,
    )


def _needed(case: Measured, limits: Limits) -> int:
    """The launches needed to narrow a case's interval, at its current spread."""
    possible = limits.launches_maximum - case.launches
    if not math.isfinite(case.half_width):
        return possible
    enough = case.launches * (case.half_width / limits.half_width) ** 2
    return max(1, min(possible, math.ceil(enough) - case.launches))


def lacking_s(state: State, limits: Limits, part: int) -> float:
    """Remaining seconds of a part's minimum launches."""
    missing = {case: _missing(state.cases[case], limits) for case in state.parts[part]}
    own_s = sum(count * state.costs_s[case] for case, count in missing.items())
    return own_s + max(missing.values(), default=0) * state.starts_s


def lacking(state: State, limits: Limits, part: int) -> tuple[str, ...]:
    """The cases of a part below their minimum launches."""
    return tuple(case for case in state.parts[part] if _lacks(state.cases[case], limits))


def in_turn(queues: Sequence[Item], turn: int) -> tuple[Item, ...]:
    """A B C, then B C A, so no library always runs after the same one."""
    first = turn % len(queues)
    return (*queues[first:], *queues[:first])


def shuffled(names: Sequence[str], launch: int) -> tuple[str, ...]:
    """The cases in a random order, reproducible for a launch."""
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
    # The last one includes most figures; computing the others costs time.
    return case.half_width > limits.half_width or case.widest_lately > limits.half_width


def _aim(limits: Limits) -> int:
    return min(max(_LAUNCHES_AIMED_AT, limits.launches_minimum), limits.launches_maximum)


def _width(case: Measured, limits: Limits) -> float:
    """Infinite while too few launches gave a figure, as when everything was preempted."""
    few = len(case.figures) < limits.launches_minimum
    return math.inf if few else case.half_width


def _within(case_s: float) -> float:
    return min(max(case_s, CASE_MINIMUM_S), CASE_MAXIMUM_S)
