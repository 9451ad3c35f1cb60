"""How far apart the ranks' cores were: which measurements belong to another state of the machine.

The driver probes, before and after each case, the time of a cache line between the cores of ranks 0
and 1, without MPI. A hypervisor that moves a virtual core, or a kernel that moves an unbound rank,
changes it by much more than its noise, and the figures of every library with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from halocline.stats import modes

TOLERANCE = 0.2  # of the usual time; probes of one placement agree to a few percent
# Two ranks that take turns on one core pass a line at the scheduler's pace: that is no distance.
SLOWEST_LINE_S = 2e-6


def usual_line_s(probes: Iterable[float]) -> float | None:
    """The commonest time of a cache line between the two cores; None where none was probed."""
    found = np.array([probe for probe in probes if probe <= SLOWEST_LINE_S])
    return max(modes(found), key=lambda mode: mode.share).value if found.size else None


def displaced(probes: Sequence[float], usual_s: float | None) -> bool:
    """Whether the cores were elsewhere than usual before or after a case."""
    if usual_s is None:
        return False
    return any(abs(probe - usual_s) > TOLERANCE * usual_s for probe in probes)
