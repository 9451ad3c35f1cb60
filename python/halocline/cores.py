"""How far apart the ranks' cores were: which measurements belong to another state of the machine.

The driver probes, before and after each case, the time of a cache line between the cores of ranks 0
and 1, without MPI. A hypervisor that moves a virtual core, or a kernel that moves an unbound rank,
changes it by much more than its noise, and the figures of every library with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

TOLERANCE = 0.2  # of the usual time; probes of one placement agree to a few percent
# Two ranks that take turns on one core pass a line at the scheduler's pace: that is no distance.
SLOWEST_LINE_S = 2e-6
# Where a label was this often in the run's commonest state, that is its usual one too: libraries
# are compared in the same state of the machine.
SHARED = 0.2


def usual_lines_s(probes: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """The usual time of a cache line between the two cores, for each label that was probed.

    The commonest of the run, unless a label hardly met it: launchers may place ranks otherwise.
    """
    found = {
        label: near
        for label, times in probes.items()
        if (near := [time for time in times if time <= SLOWEST_LINE_S])
    }
    if not found:
        return {}
    common_s = _commonest([time for times in found.values() for time in times])
    return {
        label: common_s if _share(times, common_s) >= SHARED else _commonest(times)
        for label, times in found.items()
    }


def _commonest(times: Sequence[float]) -> float:
    """The median of the times around the one that has most others within the tolerance."""
    ordered = np.sort(np.asarray(times))
    begin = np.searchsorted(ordered, (1 - TOLERANCE) * ordered)
    end = np.searchsorted(ordered, (1 + TOLERANCE) * ordered, side="right")
    most = int(np.argmax(end - begin))
    return float(np.median(ordered[begin[most] : end[most]]))


def _share(times: Sequence[float], usual_s: float) -> float:
    return sum(not displaced((time,), usual_s) for time in times) / len(times)


def displaced(probes: Sequence[float], usual_s: float | None) -> bool:
    """Whether the cores were elsewhere than usual before or after a case."""
    if usual_s is None:
        return False
    return any(abs(probe - usual_s) > TOLERANCE * usual_s for probe in probes)
