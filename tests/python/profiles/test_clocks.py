"""Clocks of hosts agree with what collectives allow."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from halocline.profile.clocks import Clock, host_shifts_ns, shifted, shifts_ns
from halocline.profile.profile import Arrivals

MS, US = 1_000_000, 1_000


def _met(offsets_ns: list[int], latest: list[int], took_ns: int) -> tuple[Arrivals, np.ndarray]:
    """Barriers of one rank on each host, whose clocks are ahead; `latest` is last by 3 ms."""
    hosts = len(offsets_ns)
    meeting, host = (grid.ravel() for grid in np.mgrid[: len(latest), :hosts])
    last = meeting * 20 * MS
    ahead = np.array(offsets_ns)[host]
    enter = last - np.where(host == np.array(latest)[meeting], 0, 3 * MS) + ahead
    table = Arrivals.of(
        rank=host,
        function=0 * host,
        communicator=0 * host,
        sequence=meeting,
        site=0 * host,
        root=0 * host,
        enter_ns=enter,
        leave_ns=last + took_ns + ahead,
    )
    return table, host


def test_a_clock_is_known_to_half_of_the_fastest_barrier() -> None:
    table, host = _met([0, 7 * MS, -5 * MS], [0, 1, 2] * 4, took_ns=20 * US)
    shifts = shifts_ns(table, host, 3)
    assert shifts == pytest.approx([0, -7 * MS, 5 * MS], abs=20 * US)


def test_a_clock_that_nothing_contradicts_stays() -> None:
    table, host = _met([0, MS], [0, 1], took_ns=5 * MS)
    assert shifts_ns(table, host, 2).tolist() == [0, 0]


def test_a_clock_that_is_impossible_is_shifted_by_the_least() -> None:
    table, host = _met([0, 30 * MS], [0, 1], took_ns=2 * MS)
    assert shifts_ns(table, host, 2).tolist() == [0, -28 * MS]


def test_times_of_a_host_that_was_ahead_still_start_at_0() -> None:
    table, _ = _met([0, 7 * MS], [0, 1] * 20, took_ns=20 * US)
    clocks = {"a": Clock(0, 0, 1.0), "b": Clock(0, 2 * MS, 1.0)}
    by_ns = host_shifts_ns(clocks, {0: "a", 1: "b"}, table, ["Barrier"])
    aligned = {host: clock.shifted(by_ns[host]) for host, clock in clocks.items()}
    assert [clock.at_ns for clock in aligned.values()] == pytest.approx([5 * MS, 0], abs=20 * US)
    later = shifted(table, {0: by_ns["a"], 1: by_ns["b"]})
    ends = later.leave_ns.reshape(-1, 2)
    assert (np.ptp(ends, axis=1) <= 20 * US).all()


def test_one_collective_that_cannot_be_moves_no_clock() -> None:
    table, host = _met([0, 7 * MS], [0, 1] * 20, took_ns=20 * US)
    late = np.where((host == 1) & (table.sequence == 5), 4000 * MS, 0)
    odd = replace(table, enter_ns=table.enter_ns + late, leave_ns=table.leave_ns + late)
    assert shifts_ns(odd, host, 2).tolist() == [0, 0]


def test_hosts_that_never_meet_the_first_are_set_by_those_that_do() -> None:
    table, host = _met([0, 7 * MS, -5 * MS], [0, 1, 2] * 4, took_ns=20 * US)
    apart = np.where(table.sequence < 6, host == 2, host == 0)  # 0 with 1, then 1 with 2
    chosen = np.flatnonzero(~apart)
    shifts = shifts_ns(table.where(chosen), host[chosen], 3)
    assert shifts == pytest.approx([0, -7 * MS, 5 * MS], abs=40 * US)


def test_a_host_without_collectives_keeps_its_clock() -> None:
    table, host = _met([0, 7 * MS, -5 * MS], [0, 1, 2] * 4, took_ns=20 * US)
    known = np.flatnonzero(host < 2)
    assert shifts_ns(table.where(known), host[known], 3)[2] == 0
