"""What a run measured: `samples.jsonl` read into an immutable Dataset."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from halocline.cores import displaced, usual_line_s
from halocline.errors import UserError
from halocline.records import Completion, Failure, Samples, Start, Status, malformed, read

# What the launches of one label must agree on, or their figures cannot be pooled.
_AGREED = (
    *("library_version", "library_path", "standard", "abi", "ranks", "nodes", "hosts", "cpus"),
    *("simulated", "clock", "compiler", "flags"),
)


@dataclass(frozen=True, eq=False)
class Dataset:
    """Everything in a samples file, in its order."""

    path: Path
    starts: tuple[Start, ...] = ()
    samples: tuple[Samples, ...] = ()
    completions: tuple[Completion, ...] = ()
    failures: tuple[Failure, ...] = ()
    truncated_lines: int = 0

    @cached_property
    def _by_case(self) -> dict[str, tuple[Samples, ...]]:
        grouped: dict[str, list[Samples]] = defaultdict(list)
        for record in self.samples:
            grouped[record.case].append(record)
        return {case: tuple(records) for case, records in grouped.items()}

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Labels of the launches, in order of appearance."""
        lines = [(r.line, r.label) for r in self.starts] + [
            (r.line, r.label) for r in self.failures
        ]
        return tuple(dict.fromkeys(label for _, label in sorted(lines)))

    def next_launch(self, label: str) -> int:
        """The launch number after the highest that this label has used; numbers begin at 1."""
        used = [r.launch for r in self.starts if r.label == label]
        used += [r.launch for r in self.failures if r.label == label]
        return max(used, default=0) + 1

    def start(self, label: str) -> Start | None:
        """The first start record of a label: the others agree with it."""
        return next((start for start in self.starts if start.label == label), None)

    def launches_completed(self, label: str) -> int:
        """How many launches of a label ended with a completion record."""
        return sum(completion.label == label for completion in self.completions)

    def case_samples(self, case: str) -> tuple[Samples, ...]:
        """The records of one case, a launch each."""
        return self._by_case.get(case, ())

    def statuses(self, case: str) -> tuple[Status, ...]:
        """What each launch said of the case."""
        return tuple(record.status for record in self.case_samples(case))

    @cached_property
    def usual_line_s(self) -> float | None:
        """The commonest time (s) of a cache line between the ranks' cores, if it was probed."""
        return usual_line_s(probe for record in self.samples for probe in record.line_s)

    def launch_figures(self, case: str) -> NDArray[np.float64]:
        """Median time per traversal (s) over the clean batches of each launch that has some.

        Launches in which the cores were displaced give none.
        """
        clean = (record.clean_traversal_s for record in self._undisplaced(case))
        return np.array([np.median(times) for times in clean if times.size], dtype=np.float64)

    def clean_traversal_s(self, case: str) -> NDArray[np.float64]:
        """Times per traversal (s) of all clean batches of all launches that give figures."""
        clean = [record.clean_traversal_s for record in self._undisplaced(case)]
        return np.concatenate(clean) if clean else np.empty(0)

    def preempted_share(self, case: str) -> float:
        """Share of the case's batches, over all launches, during which a rank was preempted."""
        flags = [record.preempted for record in self._measured(case)]
        return float(np.concatenate(flags).mean()) if sum(map(len, flags)) else 0.0

    def displaced_share(self, case: str) -> float:
        """Share of the case's launches in which the ranks' cores were elsewhere than usual."""
        measured = sum(1 for _ in self._measured(case))
        return 1 - sum(1 for _ in self._undisplaced(case)) / measured if measured else 0.0

    def _undisplaced(self, case: str) -> Iterator[Samples]:
        usual_s = self.usual_line_s
        return (r for r in self._measured(case) if not displaced(r.line_s, usual_s))

    def _measured(self, case: str) -> Iterator[Samples]:
        return (record for record in self.case_samples(case) if record.status == "measured")


def load(samples_path: Path) -> Dataset:
    """Read a samples file; a record cut off by the end of its writer is left out and counted.

    UserError names file, line and remedy for anything else that is not a record.
    """
    try:
        content = samples_path.read_bytes()
    except FileNotFoundError:
        remedy = f"measure with `halocline run --resume {samples_path.parent}`"
        raise UserError(f"{samples_path} does not exist", remedy=remedy) from None
    except OSError as error:
        raise UserError(
            f"{samples_path} cannot be read: {error.strerror}", remedy="check its permissions"
        ) from None
    records, truncated_lines = read(samples_path, content)
    dataset = Dataset(
        path=samples_path,
        starts=tuple(r for r in records if isinstance(r, Start)),
        samples=tuple(r for r in records if isinstance(r, Samples)),
        completions=tuple(r for r in records if isinstance(r, Completion)),
        failures=tuple(r for r in records if isinstance(r, Failure)),
        truncated_lines=truncated_lines,
    )
    _check_launches(dataset)
    return dataset


def _check_launches(dataset: Dataset) -> None:
    """Each launch starts once, each label's launches agree, each record belongs to a launch."""
    started: dict[tuple[str, int], int] = {}
    first: dict[str, Start] = {}
    for start in dataset.starts:
        key = (start.label, start.launch)
        if key in started:
            raise malformed(
                dataset.path,
                start.line,
                f"launch {start.launch} of {start.label} began before, at line {started[key]}",
            )
        started[key] = start.line
        _check_agreement(dataset.path, first.setdefault(start.label, start), start)
    seen: set[tuple[str, int, str]] = set()
    for record in dataset.samples:
        name = f"launch {record.launch} of {record.label}"
        if (record.label, record.launch) not in started:
            raise malformed(dataset.path, record.line, f"{name} has no start record")
        if (record.label, record.launch, record.case) in seen:
            raise malformed(dataset.path, record.line, f"{name} has case {record.case} twice")
        seen.add((record.label, record.launch, record.case))


def _check_agreement(path: Path, first: Start, other: Start) -> None:
    for name in _AGREED:
        before, now = getattr(first, name), getattr(other, name)
        if before != now:
            raise UserError(
                f"launch {other.launch} of {other.label} has {name} {now!r}, "
                f"but launch {first.launch} had {before!r}",
                where=f"{path}:{other.line}",
                remedy="measure it into a run folder of its own: the two cannot be pooled",
            )
