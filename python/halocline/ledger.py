"""What a run has measured so far, read from its samples file as that grows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from halocline.agreement import Key, left_out
from halocline.cores import displaced, usual_lines_s
from halocline.plan import Measured
from halocline.records import (
    Completion,
    Failure,
    Record,
    Samples,
    Start,
    Status,
    launch_key,
    read,
)


@dataclass(frozen=True)
class _Entry:
    """One case in one launch, without its batches."""

    launch: Key
    status: Status
    reason: str
    figure_s: float | None
    line_s: tuple[float, ...]


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
        self._last_launch: dict[str, int] = defaultdict(int)
        self._elapsed_s: dict[str, float] = defaultdict(float)
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

    def measured(self, case: str) -> Measured:
        """What is known of a case."""
        kept = self._kept(case)
        figures = tuple(
            entry.figure_s
            for entry in kept
            if entry.figure_s is not None
            and not displaced(entry.line_s, self._usual_lines_s.get(entry.launch[0]))
        )
        settled = any(entry.status != "measured" for entry in kept)
        # Launches that are left out count, or they would be made up for without end.
        return Measured(len(self._entries.get(case, ())), figures, settled)

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

    def elapsed_s(self, label: str) -> float:
        """Seconds in the timed batches of a label: less than what its launches took."""
        return self._elapsed_s[label]

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
                    )
                )
                if record.elapsed_s.size:
                    self._elapsed_s[record.label] += float(record.elapsed_s.max(axis=0).sum())
        self._last_launch[record.label] = max(self._last_launch[record.label], record.launch)
