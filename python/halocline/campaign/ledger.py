"""What a run has measured so far: a view of its Dataset, which grows with every launch."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from datetime import datetime
from itertools import pairwise
from pathlib import Path

from halocline.campaign.log import Launched
from halocline.campaign.plan import Measured
from halocline.samples.agreement import Key
from halocline.samples.dataset import Dataset, Growing
from halocline.samples.records import launch_key

# Upper bound on the time of a launch: this much, plus this multiple of its timed batches.
_LAUNCH_S = 5.0
_TIMES_TIMED = 3.0
_NOTHING = Measured()


class Ledger:
    """Figures for each case and launch numbers for each label."""

    def __init__(self, samples: Path) -> None:
        self._file = Growing(samples)
        self._dataset = Dataset(samples)
        self._measured: dict[str, Measured] = {}
        self.update()

    def update(self) -> None:
        """Read the records appended since the last update."""
        self._dataset = data = self._file.dataset()
        # Discarded launches count, or they would be repeated without end.
        launches = Counter(record.case for record in (*data.samples, *data.samples_left_out))
        for case, count in launches.items():
            now = Measured(
                count,
                tuple(r.figure_s for r in data.usable(case) if r.figure_s is not None),
                any(status != "measured" for status in data.statuses(case))
                or data.own_ranks_preempt(case),
            )
            if self._measured.get(case) != now:  # an unchanged one keeps its computed intervals
                self._measured[case] = now

    def measured(self, case: str) -> Measured:
        """What is known of a case."""
        return self._measured.get(case, _NOTHING)

    def share_lost(self, label: str, launch: int) -> float | None:
        """The share of a launch lost to other work, if large enough to discard the launch."""
        return self._dataset.under_load.get((label, launch))

    def failures(self, label: str) -> list[str]:
        """Why launches of this label failed."""
        return [each.reason for each in self._dataset.failures if each.label == label]

    @property
    def failed_cases(self) -> dict[str, str]:
        """Case ids and why they failed."""
        return {r.case: r.reason for r in self._dataset.samples if r.status == "failed"}

    def next_launch(self, label: str) -> int:
        """The number of a label's next launch; never reused."""
        return self._dataset.next_launch(label)

    def spent_s(self, labels: Collection[str], log: Iterable[Launched]) -> float:
        """Seconds spent on the launches of these labels: from the log, or else from the records.

        A launch ends before the next begins. If none follows, or much later, as in a resumed run,
        use the time of its timed batches.
        """
        logged_s = {
            (entry.name, entry.launch): entry.took_s for entry in log if entry.name in labels
        }
        timed_s: dict[Key, float] = defaultdict(float)
        for record in (*self._dataset.samples, *self._dataset.samples_left_out):
            timed_s[launch_key(record)] += record.loss.timed_s
        starts = self._dataset.starts
        begun_s = [datetime.fromisoformat(start.started).timestamp() for start in starts]
        total_s = sum(logged_s.values())
        for start, (own_s, following_s) in zip(
            starts, pairwise([*begun_s, *begun_s[-1:]]), strict=True
        ):
            key = launch_key(start)
            if start.label in labels and key not in logged_s:
                most_s = _LAUNCH_S + _TIMES_TIMED * timed_s[key]
                total_s += min(max(following_s - own_s, timed_s[key]), most_s)
        return total_s

    def case_elapsed_s(self) -> dict[str, float]:
        """Seconds in the timed batches of each case in its last launch."""
        every = (*self._dataset.samples_left_out, *self._dataset.samples)
        return {r.case: r.loss.timed_s for r in sorted(every, key=lambda record: record.line)}
