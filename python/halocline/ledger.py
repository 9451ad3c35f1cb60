"""What a run has measured so far, read from its samples file as that grows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from halocline.agreement import Key, left_out
from halocline.cores import displaced, usual_lines_s
from halocline.plan import Measured
from halocline.record_lines import Status
from halocline.records import (
    Completion,
    Failure,
    Loss,
    Record,
    Samples,
    Start,
    launch_key,
    read,
)
from halocline.under_load import launches_under_load

# What a launch takes at most besides its timed batches, and how many times these.
_LAUNCH_S = 5.0
_TIMES_TIMED = 3.0
_NOTHING = Measured()


@dataclass(frozen=True)
class _Entry:
    """One case in one launch, without its batches."""

    launch: Key
    status: Status
    reason: str
    figure_s: float | None
    line_s: tuple[float, ...]
    loss: Loss


class Ledger:
    """Figures for each case and launch numbers for each label; batches are not kept."""

    def __init__(self, samples: Path) -> None:
        self._samples = samples
        self._offset = 0
        self._starts: list[Start] = []
        self._completions: list[Completion] = []
        self._failures: list[Failure] = []
        self._entries: dict[str, list[_Entry]] = defaultdict(list)
        self._left_out: frozenset[Key] = frozenset()
        self._usual_lines_s: Mapping[str, float] = {}
        self._under_load: Mapping[Key, float] = {}
        self._last_launch: dict[str, int] = defaultdict(int)
        self._elapsed_s: dict[Key, float] = defaultdict(float)
        self._case_elapsed_s: dict[str, float] = {}
        self._measured: dict[str, Measured] = {}
        self.update()

    def update(self) -> None:
        """Read the records that were appended since; a record that is cut off is none."""
        if not self._samples.exists():
            return
        with self._samples.open("rb") as file:
            file.seek(self._offset)
            content = file.read()
        whole = content[: content.rfind(b"\n") + 1]
        self._offset += len(whole)
        for record in read(self._samples, whole)[0]:
            self._take(record)
        self._left_out = frozenset(left_out(self._starts, self._completions, self._failures))
        probes: dict[str, list[float]] = defaultdict(list)
        for case in self._entries:
            for entry in self._kept(case):
                probes[entry.launch[0]] += entry.line_s
        self._usual_lines_s = usual_lines_s(probes)
        every = (entry for case in self._entries for entry in self._kept(case))
        self._under_load = launches_under_load((entry.launch, entry.loss) for entry in every)
        for case in self._entries:
            now = self._measured_now(case)
            if self._measured.get(case) != now:  # the same one keeps the intervals it has computed
                self._measured[case] = now

    def measured(self, case: str) -> Measured:
        """What is known of a case."""
        return self._measured.get(case, _NOTHING)

    def _measured_now(self, case: str) -> Measured:
        kept = self._kept(case)
        figures = tuple(
            entry.figure_s
            for entry in kept
            if entry.figure_s is not None
            and entry.launch not in self._under_load
            and not displaced(entry.line_s, self._usual_lines_s.get(entry.launch[0]))
        )
        settled = any(entry.status != "measured" for entry in kept)
        # Launches that are left out count, or they would be made up for without end.
        return Measured(len(self._entries[case]), figures, settled)

    def share_lost(self, label: str, launch: int) -> float | None:
        """What other work had of a launch, if it was too much for the launch to count."""
        return self._under_load.get((label, launch))

    @property
    def failed_cases(self) -> dict[str, str]:
        """Case ids and why they failed."""
        return {
            case: entry.reason
            for case in self._entries
            for entry in self._kept(case)
            if entry.status == "failed"
        }

    def next_launch(self, label: str) -> int:
        """The number of a label's next launch: the same is never used twice."""
        return self._last_launch[label] + 1

    def spent_s(self, labels: Collection[str]) -> float:
        """About the seconds that the launches of some labels took, as far as records tell.

        A launch ends before the next begins. Where none does, or later, as in a run that was
        resumed, what its timed batches took has to do.
        """
        begun_s = [datetime.fromisoformat(start.started).timestamp() for start in self._starts]
        total_s = 0.0
        for index, start in enumerate(self._starts):
            if start.label in labels:
                timed_s = self._elapsed_s[launch_key(start)]
                following = begun_s[index + 1] if index + 1 < len(begun_s) else begun_s[index]
                most_s = _LAUNCH_S + _TIMES_TIMED * timed_s
                total_s += min(max(following - begun_s[index], timed_s), most_s)
        return total_s

    def case_elapsed_s(self, case: str) -> float | None:
        """Seconds in the timed batches of a case in its last launch; None before the first."""
        return self._case_elapsed_s.get(case)

    def _kept(self, case: str) -> list[_Entry]:
        return [e for e in self._entries.get(case, ()) if e.launch not in self._left_out]

    def _take(self, record: Record) -> None:
        match record:
            case Start():
                self._starts.append(record)
            case Completion():
                self._completions.append(record)
            case Failure():
                self._failures.append(record)
            case Samples():
                self._entries[record.case].append(
                    _Entry(
                        launch_key(record),
                        record.status,
                        record.reason,
                        record.figure_s,
                        record.line_s,
                        record.loss,
                    )
                )
                self._elapsed_s[launch_key(record)] += record.loss.timed_s
                self._case_elapsed_s[record.case] = record.loss.timed_s
        self._last_launch[record.label] = max(self._last_launch[record.label], record.launch)
