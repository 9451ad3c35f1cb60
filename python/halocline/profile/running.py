"""Whether ranks had a processor: who waits for a core is in MPI for long, and waits for no rank."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halocline.profile.profile import Integers, Profile

_NOTABLE = 0.05  # of the time without a core, from which on it is said
_CLOSE = 0.2  # that its bounds may differ by


@dataclass(frozen=True, eq=False)
class Running:
    """What the ranks had of processors, added up over them."""

    wall_ns: int
    processor_ns: int  # of all threads
    delayed_ns: int | None  # ready to run, without a core; None: not reported by the kernel
    idle_low_ns: int  # without a processor while in MPI: at least, and at most
    idle_high_ns: int
    cores: int  # 0: not known
    rank_idle_ns: Integers  # of each rank, the middle between these
    crowded: bool  # more ranks than cores on some host

    @property
    def share(self) -> float:
        """Of their time that they had a processor."""
        return min(1.0, self.processor_ns / max(1, self.wall_ns))

    @property
    def delayed(self) -> float:
        """Share of their time without a core; at most, where the kernel does not report it."""
        if self.delayed_ns is None:
            return 1 - self.share if self.crowded else 0.0
        return min(1.0, self.delayed_ns / max(1, self.wall_ns))

    @property
    def notable(self) -> bool:
        """Whether times are not what they would be with a core for each rank."""
        return self.delayed > _NOTABLE

    @property
    def divides(self) -> bool:
        """Whether it is known how much of the time in MPI ranks were not running."""
        span = self.idle_high_ns - self.idle_low_ns
        return self.notable and span <= _CLOSE * max(1, self.idle_high_ns)


def running(profile: Profile) -> Running | None:
    """None where it was not recorded."""
    ranks = profile.ranks
    if not ranks or min(each.processor_ns for each in ranks) < 0:
        return None
    wall, processor, inside, threads = (
        np.array([getattr(each, name) for each in ranks], np.int64)
        for name in ("wall_ns", "processor_ns", "mpi_ns", "threads")
    )
    # Of several threads it is not known which of them had the processor.
    idle = np.where(threads == 1, np.clip(wall - processor, 0, None), 0)
    inside = np.minimum(inside, wall)
    low, high = np.clip(idle - (wall - inside), 0, None), np.minimum(idle, inside)
    delays = [each.delayed_ns for each in ranks]
    on_host = np.bincount([each.host for each in ranks], minlength=len(profile.hosts))
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
