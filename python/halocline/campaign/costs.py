"""The cost of a launch: the time of its start and of each case, as seen from outside."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise

from halocline.campaign.engine import Times
from halocline.campaign.plan import Span

# Before any measurement. A case between nodes mostly waits for the network.
_START_S = 0.5
_CASE_S = 0.01
_CASE_BETWEEN_NODES_S = 0.05
# Other cases of a measured workload may take longer, those of another workload much longer.
_OF_THE_SAME_WORKLOAD = 1.5
_OF_ANOTHER_WORKLOAD = 3.0
_TELLING_S = 2.0  # cases must take this long before they predict the others


class Costs:
    """Costs of one queue's cases; `workloads` has the workload of each."""

    def __init__(self, workloads: Mapping[str, str], several_nodes: bool) -> None:
        self._workloads = workloads
        self._unseen_s = _CASE_BETWEEN_NODES_S if several_nodes else _CASE_S
        self._seen_s: dict[str, float] = {}
        self.start_s = _START_S

    def assume(self, case: str, seconds: float) -> None:
        """Record a case's cost, from the records of an earlier process."""
        self._seen_s[case] = seconds

    def expected_s(self) -> dict[str, float]:
        """Expected seconds of each case in another launch."""
        of_workload: dict[str, list[float]] = defaultdict(list)
        for case, seconds in self._seen_s.items():
            of_workload[self._workloads[case]].append(seconds)
        every = [seconds for of_case in of_workload.values() for seconds in of_case]
        unseen_s = _OF_ANOTHER_WORKLOAD * _mean(every) if every else self._unseen_s
        likely_s = {name: _OF_THE_SAME_WORKLOAD * _mean(s) for name, s in of_workload.items()}
        return {
            case: self._seen_s.get(case, likely_s.get(workload, unseen_s))
            for case, workload in self._workloads.items()
        }

    @property
    def guessed(self) -> frozenset[str]:
        """The cases of workloads not measured yet."""
        seen = {self._workloads[case] for case in self._seen_s}
        return frozenset(case for case, name in self._workloads.items() if name not in seen)

    def watch(self, cases: Sequence[str], guess_s: float = 0.0) -> Watch:
        """Watches a launch of some cases, in order; unknown cases take `guess_s`."""
        expected_s, guessed = self.expected_s(), self.guessed
        planned_s = [max(expected_s[case], guess_s * (case in guessed)) for case in cases]
        return Watch(self, cases, planned_s)

    def saw(self, start_s: float, cases_s: Mapping[str, float]) -> None:
        """Record what a launch took."""
        self.start_s = start_s
        self._seen_s.update(cases_s)


class Watch:
    """The time of a launch, case by case, against the expected time."""

    def __init__(self, costs: Costs, cases: Sequence[str], expected_s: Sequence[float]) -> None:
        self._costs, self._cases, self._expected_s = costs, cases, expected_s

    @property
    def planned(self) -> Span:
        """The expected time of the launch."""
        return Span(sum(self._expected_s), self._costs.start_s)

    def slower(self, times: Times) -> float | None:
        """Ratio of actual to expected time of its cases so far; None if too early."""
        done = len(times.cases_s) - 1
        took_s = times.cases_s[-1] - times.cases_s[0] if done > 0 else 0.0
        expected_s = sum(self._expected_s[:done]) if done > 0 else 0.0
        return took_s / expected_s if took_s >= _TELLING_S and expected_s > 0 else None

    def rest_s(self, times: Times) -> float:
        """The expected time of its remaining cases."""
        return sum(self._expected_s[max(0, len(times.cases_s) - 1) :])

    def end(self, times: Times) -> None:
        """The launch has ended."""
        if len(times.cases_s) == 1:
            # Alone it has the rest of the launch; left unknown, it would hold up all other parts.
            begun_s = times.cases_s[0]
            self._costs.saw(begun_s, {self._cases[0]: times.took_s - begun_s})
            return
        # The end of the last case is not reported: assume an average one.
        took_s = [end - begin for begin, end in pairwise(times.cases_s)]
        cases_s = dict(zip(self._cases, took_s, strict=False))
        rest_s = times.took_s - sum(took_s) - _mean(took_s)
        self._costs.saw(max(rest_s, 0.0), cases_s)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
