"""The processes' file activity, merged on one time grid."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.profile.profile import FileInput, Integers

OTHER = "(other files)"
_MOST_BINS = 1024


@dataclass(frozen=True)
class FilesOf:
    """One process: its table, bin width in ticks, file names and clock."""

    rank: int
    table: NDArray[Any]  # of parts.FILE_ROW
    bin_ticks: int
    names: Mapping[int, str]
    clock: Callable[[Any], Integers]

    def time(self, bins: NDArray[np.uint64]) -> Integers:
        """Start times of the bins."""
        return self.clock(bins * np.uint64(self.bin_ticks))


def merged_files(processes: Sequence[FilesOf]) -> tuple[tuple[str, ...], FileInput, int]:
    """The names of all files, the operations on them over time, and the bins' length in ns."""
    used = [process for process in processes if len(process.table)]
    if not used:
        return (), FileInput.of(), 0
    numbers: dict[str, int] = {}
    begins = [process.time(process.table["bin"]) for process in used]
    ends = [process.time(process.table["bin"] + np.uint64(1)) for process in used]
    first = min(int(begin.min()) for begin in begins)
    whole = max(int(end.max()) for end in ends) - first
    widest = max(int((end - begin).max()) for begin, end in zip(begins, ends, strict=True))
    width = max(widest, -(-whole // _MOST_BINS))
    keys, values = [], []
    for process, begin, end in zip(used, begins, ends, strict=True):
        table = process.table
        local = [
            numbers.setdefault(process.names.get(number, OTHER), len(numbers))
            for number in range(int(table["file"].max()) + 1)
        ]
        cell = (begin - first) // width
        key = np.stack(
            [
                np.full(len(table), process.rank),
                np.array(local)[table["file"]],
                table["operation"].astype(np.int64),
                cell,
            ]
        )
        split = np.clip((first + (cell + 1) * width - begin) / (end - begin), 0.0, 1.0)
        amounts = np.stack([table[name].astype(np.int64) for name in ("count", "bytes", "ticks")])
        amounts[2] = np.rint(amounts[2] * ((end - begin) / process.bin_ticks)).astype(np.int64)
        here = np.rint(amounts * split).astype(np.int64)
        here[0] = amounts[0]
        keys += [key, key + np.array([[0], [0], [0], [1]])]
        values += [here, amounts - here]
    names, activity = _named(
        numbers, np.concatenate(keys, 1), np.concatenate(values, 1), first, width
    )
    return names, activity, width


def _named(
    numbers: Mapping[str, int], keys: Integers, values: Integers, first: int, width: int
) -> tuple[tuple[str, ...], FileInput]:
    kept = values.any(0)
    cells, which = np.unique(keys[:, kept], axis=1, return_inverse=True)
    sums = np.zeros((3, cells.shape[1]), np.int64)
    for total, amounts in zip(sums, values[:, kept], strict=True):
        np.add.at(total, which.ravel(), amounts)
    used = np.unique(cells[1])
    names = {number: name for name, number in numbers.items()}
    return tuple(names[int(number)] for number in used), FileInput(
        rank=cells[0],
        file=np.searchsorted(used, cells[1]),
        operation=cells[2],
        bin_start_ns=first + cells[3] * width,
        count=sums[0],
        bytes=sums[1],
        time_ns=sums[2],
    )
