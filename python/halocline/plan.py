"""Which cases need another launch: pure decisions on what has been measured so far."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from halocline.stats import half_width_relative

Queue = TypeVar("Queue")

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

    @property
    def half_width(self) -> float:
        """Relative half-width of the interval over the launches; infinite below two."""
        return half_width_relative(self.figures)


def first_case_s(limits: Limits, cases: int) -> float:
    """The time that a case may take in one launch, so that the launches aimed at fit the budget."""
    return _within(_SHARE_OF_AIM * limits.budget_s / (max(cases, 1) * _aim(limits)))


def next_case_s(
    cases: Mapping[str, Measured], limits: Limits, spent_s: float, case_s: float
) -> float:
    """The same for the next launch, given what the launches so far took with `case_s`.

    They take longer than planned by their start and by what is not timed, shorter if cases are
    soon exact enough.
    """
    launches = _launches(cases)
    left = sum(max(0, _aim(limits) - case.launches) for case in _open(cases, limits))
    if not launches or not left:
        return case_s
    fair_s = (_SHARE_OF_AIM * limits.budget_s - spent_s) / left
    return _within(case_s * fair_s / (spent_s / launches))


def due(
    cases: Mapping[str, Measured], limits: Limits, spent_s: float, case_s: float
) -> tuple[str, ...]:
    """The cases that the next launch of a library measures; none when it is done.

    All that lack launches, and of those that are not exact enough as many as the budget allows,
    the widest first. `case_s` is what a case takes in a launch as long as none has been seen.
    """
    lacking = [name for name, case in cases.items() if _lacks(case, limits)]
    if lacking:
        return tuple(lacking)
    wide = [name for name, case in cases.items() if _is_wide(case, limits)]
    each_s = _each_s(cases, spent_s, case_s)
    affordable = max(0, int((limits.budget_s - spent_s) / each_s)) if each_s > 0 else len(wide)
    chosen = set(sorted(wide, key=lambda name: -_width(cases[name], limits))[:affordable])
    return tuple(name for name in wide if name in chosen)


def time_left_s(
    cases: Mapping[str, Measured], limits: Limits, spent_s: float, case_s: float
) -> float:
    """Seconds until a library is done, at most: the fewest launches, then the budget's rest."""
    each_s = _each_s(cases, spent_s, case_s)
    most = sum(limits.launches_maximum - case.launches for case in _open(cases, limits))
    return max(_fewest(cases, limits) * each_s, min(most * each_s, limits.budget_s - spent_s))


def in_turn(queues: Sequence[Queue], turn: int) -> tuple[Queue, ...]:
    """A B C, then B C A: so that no library always runs after the same one."""
    first = turn % len(queues)
    return (*queues[first:], *queues[:first])


def shuffled(names: Sequence[str], launch: int) -> tuple[str, ...]:
    """The cases in an order of this launch's own, the same whenever it is asked for."""
    order = list(names)
    random.Random(launch).shuffle(order)
    return tuple(order)


def _open(cases: Mapping[str, Measured], limits: Limits) -> list[Measured]:
    return [case for case in cases.values() if _lacks(case, limits) or _is_wide(case, limits)]


def _lacks(case: Measured, limits: Limits) -> bool:
    return not case.settled and case.launches < limits.launches_minimum


def _is_wide(case: Measured, limits: Limits) -> bool:
    if case.settled or not limits.launches_minimum <= case.launches < limits.launches_maximum:
        return False
    recent = range(max(1, len(case.figures) - _LAUNCHES_EXACT), len(case.figures))
    return len(case.figures) < limits.launches_minimum or any(
        half_width_relative(case.figures[: last + 1]) > limits.half_width for last in recent
    )


def _aim(limits: Limits) -> int:
    return min(max(_LAUNCHES_AIMED_AT, limits.launches_minimum), limits.launches_maximum)


def _width(case: Measured, limits: Limits) -> float:
    """Infinite as long as too few launches gave a figure, as when all in them was preempted."""
    return math.inf if len(case.figures) < limits.launches_minimum else case.half_width


def _each_s(cases: Mapping[str, Measured], spent_s: float, case_s: float) -> float:
    launches = _launches(cases)
    return spent_s / launches if launches else case_s


def _launches(cases: Mapping[str, Measured]) -> int:
    return sum(case.launches for case in cases.values())


def _fewest(cases: Mapping[str, Measured], limits: Limits) -> int:
    """How many launches of a case are still needed, over all cases."""
    lacking = (case for case in cases.values() if _lacks(case, limits))
    return sum(limits.launches_minimum - case.launches for case in lacking)


def _within(case_s: float) -> float:
    return min(max(case_s, CASE_MINIMUM_S), CASE_MAXIMUM_S)
