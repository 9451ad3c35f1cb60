"""What a program reads and writes over time, and in which bursts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halocline.profile.profile import FileInput, bin_width, sums

Numbers = NDArray[np.float64]

_PAUSE = 0.05  # fraction of the run; shorter pauses do not separate bursts
_FINEST = 1024


class InputOutput:
    """Bytes read and written over time; without the bins' length it is taken from their starts."""

    def __init__(self, table: FileInput, wall_ns: int, bin_ns: int = 0) -> None:
        self._table = table
        starts = np.unique(table.bin_start_ns)
        steps = np.diff(starts)
        self.bin_ns = bin_ns or (int(np.gcd.reduce(steps)) if len(steps) else max(1, wall_ns))
        self._first = int(starts[0]) if len(starts) else 0
        self.bins = int((starts[-1] - self._first) // self.bin_ns) + 1 if len(starts) else 0

    def total_bytes(self, operation: str) -> int:
        """All bytes read or written."""
        return int(self._table.bytes[self._of(operation)].sum())

    def time_ns(self) -> int:
        """Time in file calls, summed over ranks."""
        return int(self._table.time_ns.sum())

    def over_time(self, operation: str, most: int = 200) -> tuple[Numbers, Numbers]:
        """The start of each bin in seconds, and its rate in bytes per second."""
        width = bin_width(self.bins, most)
        bins = -(-self.bins // width) if self.bins else 0
        chosen = self._of(operation)
        place = (self._table.bin_start_ns[chosen] - self._first) // (self.bin_ns * width)
        moved = sums(place, self._table.bytes[chosen], bins)
        seconds = self.step_s(most)
        begins: Numbers = self._first / 1e9 + np.arange(bins, dtype=np.float64) * seconds
        return begins, moved / seconds

    def step_s(self, most: int = 200) -> float:
        """How long each of these bins is."""
        return self.bin_ns * bin_width(self.bins, most) / 1e9

    def by_file(self) -> list[tuple[int, int, int, int]]:
        """For each file its index, bytes read, bytes written and calls; most bytes first."""
        files = []
        for file in np.unique(self._table.file):
            of_it = self._table.where(self._table.file == file)
            moved = [
                int(of_it.bytes[of_it.operation == FileInput.OPERATIONS.index(name)].sum())
                for name in ("read", "write")
            ]
            files.append((int(file), moved[0], moved[1], int(of_it.count.sum())))
        return sorted(files, key=lambda each: (-(each[1] + each[2]), each[0]))

    def _of(self, operation: str) -> NDArray[np.bool_]:
        wanted: NDArray[np.bool_] = self._table.operation == FileInput.OPERATIONS.index(operation)
        return wanted


@dataclass(frozen=True)
class Burst:
    """A period in which bytes move, with only short pauses."""

    begin_s: float
    end_s: float
    bytes: int

    @property
    def rate(self) -> float:
        """In bytes per second."""
        return self.bytes / (self.end_s - self.begin_s)

    @property
    def middle_s(self) -> float:
        return (self.begin_s + self.end_s) / 2


def bursts(files: InputOutput, operation: str, wall_s: float) -> tuple[Burst, ...]:
    """The bursts in time order; together they hold all bytes."""
    begins_s, rates = files.over_time(operation, most=_FINEST)
    used = np.flatnonzero(rates)
    if not len(used):
        return ()
    width_s = files.step_s(most=_FINEST)
    pause = max(2, round(_PAUSE * wall_s / width_s))
    parted = np.flatnonzero(np.diff(used) > pause)
    firsts = np.concatenate((used[:1], used[parted + 1]))
    lasts = np.concatenate((used[parted], used[-1:]))
    return tuple(
        Burst(
            float(begins_s[first]),
            float(begins_s[last]) + width_s,
            round(float(rates[first : last + 1].sum()) * width_s),
        )
        for first, last in zip(firsts, lasts, strict=True)
    )
