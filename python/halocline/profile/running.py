"""Whether ranks had a processor: a rank waiting for a core seems to wait inside MPI."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halocline.profile.profile import Integers, Profile

_NOTABLE = 0.05  # of the time without a core, above which it is reported
_CLOSE = 0.2  # maximum relative difference of its bounds


@dataclass(frozen=True, eq=False)
class Running:
    """Processor time of the ranks, summed."""

    wall_ns: int
    processor_ns: int  # of all threads
    delayed_ns: int | None  # runnable without a core; None: not reported by the kernel
    idle_low_ns: int  # without a processor while in MPI: lower and upper bound
    idle_high_ns: int
    cores: int  # 0: unknown
    rank_idle_ns: Integers  # per rank, the middle between these
    crowded: bool  # more ranks than cores on some host

    @property
    def share(self) -> float:
        """Share of their time on a processor."""
        return min(1.0, self.processor_ns / max(1, self.wall_ns))

    @property
    def delayed(self) -> float:
        """Share of their time without a core; an upper bound if not reported by the kernel."""
        if self.delayed_ns is None:
            return 1 - self.share if self.crowded else 0.0
        return min(1.0, self.delayed_ns / max(1, self.wall_ns))

    @property
    def notable(self) -> bool:
        """Whether times differ notably from those with one core per rank."""
        return self.delayed > _NOTABLE

    @property
    def divides(self) -> bool:
        """Whether the time in MPI without a processor is known."""
        span = self.idle_high_ns - self.idle_low_ns
        return self.notable and span <= _CLOSE * max(1, self.idle_high_ns)


def running(profile: Profile) -> Running | None:
    """None if not recorded."""
    ranks = profile.ranks
    if not ranks or min(rank.processor_ns for rank in ranks) < 0:
        return None
    wall, processor, inside, threads = (
        np.array([getattr(rank, name) for rank in ranks], np.int64)
        for name in ("wall_ns", "processor_ns", "mpi_ns", "threads")
    )
    # With several threads it is unknown which of them had the processor.
    idle = np.where(threads == 1, np.clip(wall - processor, 0, None), 0)
    inside = np.minimum(inside, wall)
    low, high = np.clip(idle - (wall - inside), 0, None), np.minimum(idle, inside)
    delays = [rank.delayed_ns for rank in ranks]
    on_host = np.bincount([rank.host for rank in ranks], minlength=len(profile.hosts))
    return Running(
        wall_ns=int(wall.sum()),
        processor_ns=int(processor.sum()),
        delayed_ns=None if min(delays) < 0 else sum(delays),
        idle_low_ns=int(low.sum()),
        idle_high_ns=int(high.sum()),
        rank_idle_ns=(low + high) // 2,
        cores=sum(profile.cores),
        crowded=bool(profile.cores) and bool((on_host > np.array(profile.cores)).any()),
    )
