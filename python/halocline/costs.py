"""What a launch costs: how long its start and each of its cases take, as seen from outside."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from time import monotonic

# Before anything was seen. A case between nodes waits for the network, mostly.
_START_S = 0.5
_CASE_S = 0.01
_CASE_BETWEEN_NODES_S = 0.05
# Other cases of a workload that was seen may take longer, those of another workload much longer.
_OF_THE_SAME_WORKLOAD = 1.5
_OF_ANOTHER_WORKLOAD = 3.0
_TELLING_S = 2.0  # what cases have to take before they say how long the others will


class Costs:
    """Of the cases of one queue; `workloads` has the workload of each."""

    def __init__(self, workloads: Mapping[str, str], several_nodes: bool) -> None:
        self._workloads = workloads
        self._unseen_s = _CASE_BETWEEN_NODES_S if several_nodes else _CASE_S
        self._seen_s: dict[str, float] = {}
        self.start_s = _START_S

    def assume(self, case: str, seconds: float) -> None:
        """What a case is said to have taken, by the records of an earlier process."""
        self._seen_s[case] = seconds

    def expected_s(self) -> dict[str, float]:
        """Seconds that each case will take in another launch."""
        of_workload: dict[str, list[float]] = defaultdict(list)
        for case, seconds in self._seen_s.items():
            of_workload[self._workloads[case]].append(seconds)
        every = [seconds for found in of_workload.values() for seconds in found]
        unseen_s = _OF_ANOTHER_WORKLOAD * _mean(every) if every else self._unseen_s
        likely_s = {name: _OF_THE_SAME_WORKLOAD * _mean(s) for name, s in of_workload.items()}
        return {
            case: self._seen_s.get(case, likely_s.get(workload, unseen_s))
            for case, workload in self._workloads.items()
        }

    @property
    def guessed(self) -> frozenset[str]:
        """The cases of a workload that was not seen."""
        seen = {self._workloads[case] for case in self._seen_s}
        return frozenset(case for case, name in self._workloads.items() if name not in seen)

    def watch(self, cases: Sequence[str], guess_s: float = 0.0) -> Watch:
        """Watches a launch of some cases, in their order; what was not seen takes `guess_s`."""
        expected_s, guessed = self.expected_s(), self.guessed
        planned_s = [max(expected_s[case], guess_s * (case in guessed)) for case in cases]
        return Watch(self, cases, planned_s)

    def saw(self, start_s: float, cases_s: Mapping[str, float]) -> None:
        """What a launch took."""
        self.start_s = start_s
        self._seen_s.update(cases_s)


class Watch:
    """The times at which a launch began its cases."""

    def __init__(self, costs: Costs, cases: Sequence[str], expected_s: Sequence[float]) -> None:
        self._costs, self._cases, self._expected_s = costs, cases, expected_s
        self._begun_s = [monotonic()]  # of the launch, then of each case

    def case(self) -> None:
        """The next case begins."""
        self._begun_s.append(monotonic())

    @property
    def elapsed_s(self) -> float:
        """Since the launch began."""
        return self._begun_s[-1] - self._begun_s[0]

    @property
    def planned_s(self) -> float:
        """What the launch was expected to take."""
        return self._costs.start_s + sum(self._expected_s)

    @property
    def slower(self) -> float | None:
        """How many times as long its cases took so far as was expected; None if it is too early."""
        done = len(self._begun_s) - 2
        took_s = self._begun_s[-1] - self._begun_s[1] if done > 0 else 0.0
        expected_s = sum(self._expected_s[:done]) if done > 0 else 0.0
        return took_s / expected_s if took_s >= _TELLING_S and expected_s > 0 else None

    @property
    def rest_s(self) -> float:
        """What its other cases were expected to take."""
        return sum(self._expected_s[max(0, len(self._begun_s) - 2) :])

    def end(self) -> float:
        """The launch has ended; the seconds that it took."""
        total_s = monotonic() - self._begun_s[0]
        first_s, *others_s = self._begun_s[1:] or [monotonic()]
        # The last case's end is not told: it is taken for an average one.
        bounds_s = [first_s, *others_s]
        took_s = [end - begin for begin, end in zip(bounds_s, others_s, strict=False)]
        cases_s = dict(zip(self._cases, took_s, strict=False))
        rest_s = total_s - sum(took_s) - _mean(took_s)
        self._costs.saw(max(rest_s, 0.0), cases_s)
        return total_s


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
