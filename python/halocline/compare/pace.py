"""How many launches of how many cases there is time for; never decided by what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median
from time import monotonic

from halocline.compare.launches import Launched
from halocline.progress import Estimate
from halocline.reading import Count, Seconds

# What a launch of all sides takes to start, and a case of two sides, before any was seen.
_START_S, _CASE_S = 1.0, 0.04
_WORTH = 0.25  # of its start a launch's cases may always take: to leave them out would save little
# A short list waits for as many launches before cases are left out: a first one may be held up.
_SEEN = 3
# Before a case was seen its cost is a guess, under load off by a factor of ten: the first launch
# measures so many, from all over the list.
PROBED = 24


@dataclass(frozen=True)
class Limits:
    """How many launches, and in how much time for all sides together."""

    launches_minimum: Count = 8
    launches_maximum: Count = 20
    budget_s: Seconds = 300.0

    def launches(self, cost_s: float, spent_s: float, done: int) -> int:
        """The launches that there is time for, if another takes so long."""
        left = int((self.budget_s - spent_s) / max(cost_s, 1e-9))
        return max(self.launches_minimum, min(self.launches_maximum, done + left))


@dataclass
class Pace:
    """What launches have cost so far, and which of the cases there is time for.

    Cases are numbered, the most important first; `parts` are the numbers at which parts end.
    """

    limits: Limits
    parts: tuple[int, ...]
    groups: int = 1  # launches that it takes to measure all cases once
    done: int = 0
    starts_s: list[float] = field(default_factory=list)
    cases_s: list[float] = field(default_factory=list)
    began_s: float = field(default_factory=monotonic)
    kept: int = 0
    probed: bool = False

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

    def launched(self, cases: int, took_s: float, starting_s: float, whole: bool = True) -> None:
        """All groups were launched once with so many cases, which took so long, starting included.

        A launch that failed counts for nothing but its time.
        """
        if not whole:
            return
        self.starts_s.append(starting_s / self.groups)
        self.cases_s.append((took_s - starting_s) / cases)
        self.done += 1
        missing = self.limits.launches_minimum + self.probed - self.done
        if missing > 0 and (self.probed or self.done >= _SEEN):
            self.kept = min(self.kept, self._fitting(missing))

    def replay(self, told: Sequence[Launched]) -> None:
        """Launches from before: all is as if it had not been stopped, the time spent too."""
        spent_s = 0.0
        for each in told:
            spent_s += each.took_s
            self.began_s = monotonic() - spent_s
            self.launched(each.cases, each.took_s, each.starting_s, each.whole)

    @property
    def left(self) -> Estimate:
        """Until all is done: at most, as long as it is not known what launches take."""
        cost_s = self._launch_s(self.kept)
        fewest = self.limits.launches_minimum + self.probed
        most_s = (self._last() - self.done) * cost_s
        fewest_s = (fewest - self.done) * cost_s
        in_budget_s = max(fewest_s, min(most_s, self.limits.budget_s - self._spent_s))
        return Estimate(in_budget_s, at_most=self.done < 2)

    def _last(self) -> int:
        """The number of the last launch. The first two also fill the caches of the disk."""
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
        """The median: a single launch that was held up says little about the next."""
        return self.groups * (median(self.starts_s) if self.starts_s else _START_S)

    @property
    def _case_s(self) -> float:
        return max(median(self.cases_s), 1e-6) if self.cases_s else _CASE_S

    def _launch_s(self, cases: int) -> float:
        return self._start_s + cases * self._case_s

    def _fitting(self, launches: int) -> int:
        """The cases of the first parts that there is time for; of the first part what there is."""
        each_s = (self.limits.budget_s - self._spent_s) / launches
        most = int(max(each_s - self._start_s, _WORTH * self._start_s) / self._case_s)
        whole = [end for end in self.parts if end <= most]
        return whole[-1] if whole else max(1, min(most, self.parts[0]))
