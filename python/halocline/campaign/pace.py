"""How many launches of how many cases fit the time, whatever the results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from time import monotonic
from types import MappingProxyType

from halocline.base.progress import Estimate
from halocline.base.reading import Count, Seconds
from halocline.campaign.log import Launched

# Assumed start time of a launch of all sides, and time of a case of two sides.
_START_S, _CASE_S = 1.0, 0.04
_WORTH = 0.25  # of its start time, always allowed for cases: leaving them out would save little
# A short list takes this many launches before cases are left out: the first may be delayed.
_SEEN = 3
# The cost of a new case is a guess, off by a factor of ten under load: the first launch
# measures this many, spread over the list.
PROBED = 24


@dataclass(frozen=True)
class Limits:
    """Number of launches, and time for all sides together."""

    launches_minimum: Count = 8
    launches_maximum: Count = 20
    budget_s: Seconds = 300.0

    def launches(self, cost_s: float, spent_s: float, done: int) -> int:
        """The number of launches that fit the time, if another takes this long."""
        left = int((self.budget_s - spent_s) / max(cost_s, 1e-9))
        return max(self.launches_minimum, min(self.launches_maximum, done + left))


@dataclass
class Pace:
    """The cost of the launches so far, and which cases fit the time.

    Cases are numbered, the most important first; `parts` are the numbers at which parts end.
    """

    limits: Limits
    parts: tuple[int, ...]
    groups: int = 1  # launches needed to measure all cases once
    done: int = 0
    starts_s: list[float] = field(default_factory=list)
    cases_s: list[float] = field(default_factory=list)
    began_s: float = field(default_factory=monotonic)
    kept: int = 0
    probed: bool = False
    unable: set[int] = field(default_factory=set)  # cases that cost nothing: a side skips them

    def __post_init__(self) -> None:
        self.kept = self._fitting(self.limits.launches_minimum)
        self.probed = self.kept > PROBED

    def due(self) -> Sequence[int]:
        """The cases of the next launch; none when all is done."""
        if self.done >= self._last():
            return ()
        if self.done == 0 and self.probed:
            return range(0, self.kept, self.kept // PROBED)
        return range(self.kept)

    def launched(self, turn: Launched) -> None:
        """All groups were launched once; of a failed turn only the time counts."""
        if not turn.whole:
            return
        self.starts_s.append(turn.starting_s / self.groups)
        self.cases_s.append((turn.took_s - turn.starting_s) / turn.cases)
        self.done += 1
        missing = self.limits.launches_minimum + self.probed - self.done
        if missing > 0 and (self.probed or self.done >= _SEEN):
            self.kept = min(self.kept, self._fitting(missing))

    def replay(
        self, turns: Sequence[Launched], unable: Mapping[int, int] = MappingProxyType({})
    ) -> None:
        """Restore earlier turns and the time they took.

        `unable`: the launch that showed that a side cannot measure a case, by the case's number.
        """
        spent_s = 0.0
        for turn in turns:
            spent_s += turn.took_s
            self.began_s = monotonic() - spent_s
            self.unable |= {case for case, launch in unable.items() if launch <= turn.launch}
            self.launched(turn)

    @property
    def left(self) -> Estimate:
        """Time until all is done; an upper bound until the cost of launches is known."""
        cost_s = self._launch_s(self.kept)
        fewest = self.limits.launches_minimum + self.probed
        most_s = (self._last() - self.done) * cost_s
        fewest_s = (fewest - self.done) * cost_s
        in_budget_s = max(fewest_s, min(most_s, self.limits.budget_s - self._spent_s))
        return Estimate(in_budget_s, at_most=self.done < 2)

    def _last(self) -> int:
        """The number of the last launch. The first two also fill the disk cache."""
        fewest = self.limits.launches_minimum + self.probed
        if self.done < 2:
            return max(fewest, self.limits.launches_maximum)
        cost_s = self._launch_s(self.kept)
        return max(fewest, self.limits.launches(cost_s, self._spent_s, self.done))

    @property
    def _spent_s(self) -> float:
        return monotonic() - self.began_s

    @property
    def _start_s(self) -> float:
        """The median: a single delayed launch says little about the next."""
        return self.groups * (median(self.starts_s) if self.starts_s else _START_S)

    @property
    def _case_s(self) -> float:
        return max(median(self.cases_s), 1e-6) if self.cases_s else _CASE_S

    def _launch_s(self, cases: int) -> float:
        return self._start_s + self._measurable(cases) * self._case_s

    def _measurable(self, cases: int) -> int:
        """How many of the first cases all sides can measure."""
        return cases - sum(case < cases for case in self.unable)

    def _fitting(self, launches: int) -> int:
        """The cases of the first parts that fit the time; of the first part as many as fit."""
        each_s = (self.limits.budget_s - self._spent_s) / launches
        most = int(max(each_s - self._start_s, _WORTH * self._start_s) / self._case_s)
        whole = [end for end in self.parts if self._measurable(end) <= most]
        if whole:
            return whole[-1]
        fitting = (end for end in range(self.parts[0], 1, -1) if self._measurable(end) <= most)
        return next(fitting, 1)
