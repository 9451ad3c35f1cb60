"""What a run has measured so far, read from its samples file as that grows."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import numpy as np

from halocline.cores import displaced, usual_line_s
from halocline.plan import Measured
from halocline.records import Failure, Record, Samples, Start, read


class Ledger:
    """Figures for each case and launch numbers for each label; batches are not kept."""

    def __init__(self, samples: Path) -> None:
        self._samples = samples
        self._offset = 0
        self._launches: dict[str, int] = defaultdict(int)
        self._figures: dict[str, list[tuple[float, tuple[float, ...]]]] = defaultdict(list)
        self._probes: list[float] = []
        self._usual_line_s: float | None = None
        self._settled: set[str] = set()
        self._last_launch: dict[str, int] = defaultdict(int)
        self._elapsed_s: dict[str, float] = defaultdict(float)
        self.failed_cases: dict[str, str] = {}  # case id to reason
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
        self._usual_line_s = usual_line_s(self._probes)

    def measured(self, case: str) -> Measured:
        """What is known of a case."""
        figures = tuple(
            figure
            for figure, probes in self._figures.get(case, ())
            if not displaced(probes, self._usual_line_s)
        )
        return Measured(self._launches.get(case, 0), figures, case in self._settled)

    def next_launch(self, label: str) -> int:
        """The number of a label's next launch: the same is never used twice."""
        return self._last_launch[label] + 1

    def elapsed_s(self, label: str) -> float:
        """Seconds in the timed batches of a label: less than what its launches took."""
        return self._elapsed_s[label]

    def _take(self, record: Record) -> None:
        if isinstance(record, Start | Failure):
            last = self._last_launch[record.label]
            self._last_launch[record.label] = max(last, record.launch)
        elif isinstance(record, Samples):
            self._launches[record.case] += 1
            if record.status != "measured":
                self._settled.add(record.case)
            if record.status == "failed":
                self.failed_cases[record.case] = record.reason
            if record.clean_traversal_s.size:
                figure = float(np.median(record.clean_traversal_s))
                self._figures[record.case].append((figure, record.line_s))
            self._probes += record.line_s
            if record.elapsed_s.size:
                self._elapsed_s[record.label] += float(record.elapsed_s.max(axis=0).sum())
