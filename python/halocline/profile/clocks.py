"""The clock of each host, and one for all: collectives say how far they differ."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from halocline.profile.parts import Part
from halocline.profile.profile import Arrivals, Integers

_SEQUENCE_BITS = 40
_FINE_NS = 1_000_000  # clocks of hosts that a time server sets differ by about as much
_DRIFT = 10_000  # clocks without a time server drift apart by less than one in this
# No rank leaves them before all have entered, if they move anything.
_SYNCHRONIZING = ("Barrier", "Allreduce", "Allreduce_c")


@dataclass(frozen=True)
class Clock:
    """Converts ticks of a host's processor to nanoseconds since the job started."""

    ticks: int
    at_ns: int
    ns_per_tick: float

    def __call__(self, ticks: Any) -> Integers:
        return self.ns(np.asarray(ticks).astype(np.int64) - self.ticks) + self.at_ns

    def ns(self, ticks: Any) -> Integers:
        """The duration of a number of ticks."""
        passed: Integers = np.rint(np.asarray(ticks) * self.ns_per_tick).astype(np.int64)
        return passed

    def shifted(self, by_ns: int) -> Clock:
        return replace(self, at_ns=self.at_ns + by_ns)

    def spent(self, ticks: Any) -> Integers:
        """The same for summed times; short ones may be negative if cores' counters differ."""
        return self.ns(np.maximum(np.asarray(ticks, np.uint64).astype(np.int64), 0))


def clocks_of(parts: Iterable[Part]) -> tuple[dict[str, Clock], int]:
    """Each host's clock, and the job's start in wall-clock time."""
    by_host = defaultdict(list)
    for part in parts:
        by_host[part.text("host")].append(part.header)
    begin_ns = min(
        int(header["start"]["realtime_ns"]) for all_ in by_host.values() for header in all_
    )
    clocks = {}
    for host, headers in by_host.items():
        start = min((header["start"] for header in headers), key=lambda moment: moment["ticks"])
        latest = max((header["latest"] for header in headers), key=lambda moment: moment["ticks"])
        ticks = int(latest["ticks"]) - int(start["ticks"])
        passed_ns = int(latest["monotonic_ns"]) - int(start["monotonic_ns"])
        clocks[host] = Clock(
            ticks=int(start["ticks"]),
            at_ns=int(start["realtime_ns"]) - begin_ns,
            ns_per_tick=passed_ns / ticks if ticks > 0 else 1.0,
        )
    return clocks, begin_ns


def host_shifts_ns(
    clocks: Mapping[str, Clock],
    host_of: Mapping[int, str],
    arrivals: Arrivals,
    names: Sequence[str],
) -> dict[str, int]:
    """What to add to the times of each host, so that no rank leaves a collective before another has
    entered it; the earliest still starts at 0.

    `host_of` gives the host of each rank, and `names` those of the functions.
    """
    functions = [at for at, name in enumerate(names) if name in _SYNCHRONIZING]
    met = arrivals.where((arrivals.communicator >= 0) & np.isin(arrivals.function, functions))
    number = {host: at for at, host in enumerate(clocks)}
    hosts = np.array([number[host_of[rank]] for rank in met.rank.tolist()], np.int64)
    found = dict(zip(clocks, shifts_ns(met, hosts, len(clocks)).tolist(), strict=True))
    begin_ns = min(clock.at_ns + found[host] for host, clock in clocks.items())
    return {host: shift - begin_ns for host, shift in found.items()}


def shifted(arrivals: Arrivals, shift_of: Mapping[int, int]) -> Arrivals:
    """The arrivals with the times of each rank later by so many ns."""
    later = np.array([shift_of[rank] for rank in arrivals.rank.tolist()], np.int64)
    return replace(arrivals, enter_ns=arrivals.enter_ns + later, leave_ns=arrivals.leave_ns + later)


def shifts_ns(arrivals: Arrivals, host_of: Integers, hosts: int) -> Integers:
    """What to add to the times of each host; 0 for the first, and where nothing is known.

    `arrivals` are of collectives that no rank leaves before all have entered; `host_of` gives the
    host of each arrival. Between two hosts this bounds the shift from both sides. If the bounds lie
    close together it is their middle, else the smallest shift within them; none if they contradict
    each other.
    """
    shifts = np.zeros(hosts, np.int64)
    which = arrivals.communicator << _SEQUENCE_BITS | arrivals.sequence
    _, meeting = np.unique(which, return_inverse=True)
    meetings = int(meeting.max(initial=-1)) + 1
    last_enter = np.full(meetings, np.iinfo(np.int64).min)
    first_leave = np.full(meetings, np.iinfo(np.int64).max)
    known = np.zeros(meetings, bool)
    rows_of = [np.flatnonzero(host_of == host) for host in range(hosts)]
    left = list(range(hosts))
    while left:
        host = next((host for host in left if known[meeting[rows_of[host]]].any()), left[0])
        left.remove(host)
        rows = rows_of[host]
        shared = rows[known[meeting[rows]]]
        if len(shared):
            at = meeting[shared]
            least = int((last_enter[at] - arrivals.leave_ns[shared]).max())
            most = int((first_leave[at] - arrivals.enter_ns[shared]).min())
            span = int(np.ptp(arrivals.enter_ns[shared]))
            shifts[host] = _between(least, most, _FINE_NS + span // _DRIFT)
        np.maximum.at(last_enter, meeting[rows], arrivals.enter_ns[rows] + shifts[host])
        np.minimum.at(first_leave, meeting[rows], arrivals.leave_ns[rows] + shifts[host])
        known[meeting[rows]] = True
    return shifts


def _between(least: int, most: int, apart: int) -> int:
    """Bounds that cross by up to `apart` are of clocks that drift, and as close as any."""
    if most < least - apart:
        return 0
    if most - least <= _FINE_NS:
        return (least + most) // 2
    return min(max(0, least), most)
