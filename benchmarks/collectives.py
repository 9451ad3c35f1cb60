"""Collective operations on Intel MPI by Halocline in IMB's way and by IMB-MPI1, in turn.

Next to them what Halocline finds when all ranks begin at one moment.
"""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import trim_mean

from benchmarks.programs import output_of
from benchmarks.table import Row, show
from halocline.base.toolchain import Toolchain
from halocline.launch.job import Job
from halocline.launch.run_job import run_job
from halocline.mpi.registry import toolchain
from halocline.samples.dataset import load
from halocline.samples.records import Samples

RANKS = 2
LAUNCHES = 32
TIME_LIMIT_S = 120
# More than IMB's 1000, which are over within a millisecond.
REPETITIONS = 20_000
TRIMMED_SHARE = 0.2  # at each end
TIMINGS = ("imb", "back_to_back", "synchronised")


@dataclass(frozen=True)
class Operation:
    """One line of IMB-MPI1, and the workload that is the same."""

    imb: str
    workload: str
    size_bytes: int | None

    @property
    def name(self) -> str:
        """As the table shows it."""
        return self.workload if self.size_bytes is None else f"{self.workload} {self.size_bytes} B"

    def case(self, timing: str) -> str:
        """The driver's line."""
        size = "" if self.size_bytes is None else f"bytes={self.size_bytes} "
        name = f"{self.workload}-{self.size_bytes or 0}-{timing}"
        return f"{name} {self.workload} {size}timing={timing} structure=flat"


OPERATIONS = (
    Operation("Allreduce", "allreduce", 8),
    Operation("Alltoall", "alltoall", 8),
    Operation("Alltoall", "alltoall", 4096),
    Operation("Barrier", "barrier", None),
)

Figures = dict[str, float]  # what -> seconds of one operation


def rows() -> list[Row]:
    """For each operation the ratio of the time in IMB's way to IMB's own."""
    intel = toolchain("intel")
    imb: list[Figures] = []
    own: list[Figures] = []
    with tempfile.TemporaryDirectory() as folder:
        for launch in range(LAUNCHES):
            turns = [(imb, _imb), (own, _halocline)]
            for seen, measure in turns if launch % 2 else reversed(turns):
                seen.append(measure(intel, Path(folder)))
    return [_row(operation, own, imb) for operation in OPERATIONS]


def _row(operation: Operation, own: list[Figures], imb: list[Figures]) -> Row:
    times_s = {
        timing: np.array([launch[operation.case(timing).split()[0]] for launch in own])
        for timing in TIMINGS
    }
    imb_s = np.array([launch[operation.name] for launch in imb])
    # The mean of those in the middle, not the median: IMB prints hundredths of a microsecond, and
    # only over launches that differ does a mean know more digits.
    ratio = float(np.exp(trim_mean(np.log(times_s["imb"] / imb_s), TRIMMED_SHARE)))
    figures = [("IMB", imb_s), *times_s.items()]
    evidence = ", ".join(f"{name} {np.median(each) * 1e6:.4g} µs" for name, each in figures)
    return Row(f"{operation.name} in IMB's way / IMB", ratio, 0.97, 1.03, evidence)


def _imb(intel: Toolchain, folder: Path) -> Figures:
    """IMB's average over ranks, of the mean of each."""
    lengths = folder / "lengths"
    sizes = {operation.size_bytes for operation in OPERATIONS if operation.size_bytes is not None}
    lengths.write_text("".join(f"{size}\n" for size in sorted(sizes)))
    names = dict.fromkeys(operation.imb for operation in OPERATIONS)
    program = intel.launcher.with_name("IMB-MPI1")
    options = ["-msglen", str(lengths), "-iter", str(REPETITIONS), "-iter_policy", "off"]
    shown = output_of(
        [intel.launcher, "-n", str(RANKS), program, *names, *options],
        TIME_LIMIT_S,
        {**intel.environment, "I_MPI_PIN_DOMAIN": "core"},
    )
    return _averages(shown)


def _averages(shown: str) -> Figures:
    """The last column of each of IMB's tables, by operation."""
    figures: Figures = {}
    name = ""
    for line in shown.splitlines():
        if title := re.match(r"# Benchmarking (\w+)", line):
            name = title[1]
        words = line.split()
        if not words or not words[0].isdigit():
            continue
        for operation in OPERATIONS:
            columns = 4 if operation.size_bytes is None else 5
            size = None if operation.size_bytes is None else int(words[0])
            if (operation.imb, operation.size_bytes, columns) == (name, size, len(words)):
                figures[operation.name] = float(words[-1]) * 1e-6
    return figures


def _halocline(intel: Toolchain, folder: Path) -> Figures:
    """The same average: over ranks, in the middle batch."""
    samples = folder / "samples.jsonl"
    samples.unlink(missing_ok=True)
    cases = tuple(operation.case(timing) for operation in OPERATIONS for timing in TIMINGS)
    job = Job(intel, RANKS, 1, cases, samples, half_width=0.002, case_s=0.1)
    outcome = run_job(job, lambda progress: None)
    if not outcome.ok:
        raise RuntimeError(outcome.reason)
    return {record.case: _figure(record) for record in load(samples).samples}


def _figure(record: Samples) -> float:
    if record.late_s.size:  # to the last rank's end, as a synchronised operation is understood
        return float(np.median(record.clean_traversal_s))
    # All batches, whatever disturbed them: IMB leaves nothing out either.
    return float(np.median(record.elapsed_s.mean(axis=0) / record.repeats))


if __name__ == "__main__":
    show(rows())
