"""Distance between the ranks' cores: which measurements belong to another machine state.

Before and after each case, the driver probes the time of a cache line between the cores of ranks 0
and 1, without MPI. A hypervisor that moves a virtual core, or a kernel that moves an unbound rank,
changes it by much more than its noise, and the figures of every library with it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypeVar

import numpy as np

TOLERANCE = 0.2  # of the usual time; probes of one placement agree to a few percent
# Two ranks sharing one core pass a line at the scheduler's pace, which is not a distance.
SLOWEST_LINE_S = 2e-6
# A kind that was this often in the run's most common state takes it as its usual one: libraries
# are compared in the same machine state.
SHARED = 0.2
Kind = TypeVar("Kind")
_CPUS = re.compile(r"(\d{1,6})(?:-(\d{1,6}))?")  # of a kernel list such as `0-3,8`


def usual_lines_s(probes: Mapping[Kind, Sequence[float]]) -> dict[Kind, float]:
    """The usual time of a cache line between the two cores, for each probed kind of launch.

    The most common of the run, unless rare for a kind: launchers may place ranks differently.
    """
    times_of = {
        kind: near
        for kind, times in probes.items()
        if (near := [time for time in times if time <= SLOWEST_LINE_S])
    }
    if not times_of:
        return {}
    common_s = _commonest([time for times in times_of.values() for time in times])
    return {
        kind: common_s if _share(times, common_s) >= SHARED else _commonest(times)
        for kind, times in times_of.items()
    }


def _commonest(times: Sequence[float]) -> float:
    """The median of the times around the one with most others within the tolerance."""
    ordered = np.sort(np.asarray(times))
    begin = np.searchsorted(ordered, (1 - TOLERANCE) * ordered)
    end = np.searchsorted(ordered, (1 + TOLERANCE) * ordered, side="right")
    most = int(np.argmax(end - begin))
    return float(np.median(ordered[begin[most] : end[most]]))


def _share(times: Sequence[float], usual_s: float) -> float:
    return sum(not displaced((time,), usual_s) for time in times) / len(times)


def displaced(probes: Sequence[float], usual_s: float | None) -> bool:
    """Whether the cores differed from the usual ones before or after a case."""
    if usual_s is None:
        return False
    return any(abs(probe - usual_s) > TOLERANCE * usual_s for probe in probes)


def share_cores(allowed: Sequence[str]) -> bool:
    """Whether the ranks of a node outnumber the CPUs that they may use, a kernel list for each.

    Such ranks change places all the time: a probe of two of them measures the scheduler.
    False where a list is missing.
    """
    usable: set[int] = set()
    for ranges in allowed:
        matches = [_CPUS.fullmatch(part) for part in ranges.split(",")]
        for match in matches:
            if match is None:
                return False
            first, last = int(match[1]), int(match[2] or match[1])
            usable.update(range(first, min(last, first + len(allowed)) + 1))
    return len(usable) < len(allowed)
