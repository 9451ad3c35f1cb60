"""When a program reads or writes in bursts, and how fast."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halocline.profile.totals import InputOutput

_PAUSE = 0.05  # fraction of the run; shorter pauses do not separate bursts
_FINEST = 1024


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
    width_s = float(begins_s[1] - begins_s[0]) if len(begins_s) > 1 else files.bin_ns / 1e9
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
