"""Waiting and transferring in collectives, from the arrival times of ranks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halocline.profile.functions import short
from halocline.profile.profile import Arrivals, Integers, Profile


@dataclass(frozen=True)
class SiteWaiting:
    """The collectives of one function from one place."""

    function: str
    site: int  # of the rank that arrived last most often; index into Profile.sites
    collectives: int  # whose arrivals are known on all ranks
    waiting_ns: int  # until the last rank arrives, summed over ranks
    transferring_ns: int  # after that
    last_rank: int  # the one that arrives last most often
    last_share: float  # share of collectives in which it does
    latest_ns: int  # median delay between the last rank and the one before it


@dataclass(frozen=True, eq=False)
class Waiting:
    """The analysis of arrivals."""

    sites: tuple[SiteWaiting, ...]  # those with most waiting first
    rank_waiting_ns: Integers  # indexed like the profile's ranks
    rank_transferring_ns: Integers
    collectives: int

    @property
    def waiting_ns(self) -> int:
        return int(self.rank_waiting_ns.sum())

    @property
    def transferring_ns(self) -> int:
        return int(self.rank_transferring_ns.sum())


def waiting(profile: Profile) -> Waiting | None:
    """None if no collective was recorded at all ranks of its communicator."""
    table = _complete(profile)
    if not len(table):
        return None
    place = {process.rank: row for row, process in enumerate(profile.ranks)}
    rows = np.array([place[rank] for rank in table.rank.tolist()], np.int64)
    first = _first_of_each(table)
    which = np.cumsum(first) - 1
    groups = int(which[-1]) + 1
    last_enter = np.full(groups, np.iinfo(np.int64).min)
    np.maximum.at(last_enter, which, table.enter_ns)
    waits = np.clip(np.minimum(last_enter[which], table.leave_ns) - table.enter_ns, 0, None)
    transfers = table.leave_ns - table.enter_ns - waits
    # Sorted by arrival within each collective: the last row is the last rank.
    by_arrival = np.lexsort((table.rank, table.enter_ns, which))
    ends = np.append(np.flatnonzero(np.diff(which[by_arrival])), len(which) - 1)
    last = by_arrival[ends]
    before = by_arrival[np.maximum(ends - 1, 0)]
    gap = table.enter_ns[last] - table.enter_ns[before]
    ranks = profile.size
    return Waiting(
        sites=_sites(
            profile,
            table,
            (_summed(which, waits, groups), _summed(which, transfers, groups)),
            last,
            gap,
        ),
        rank_waiting_ns=_summed(rows, waits, ranks),
        rank_transferring_ns=_summed(rows, transfers, ranks),
        collectives=groups,
    )


def _complete(profile: Profile) -> Arrivals:
    """Arrivals at collectives of several ranks that all of them recorded, in order."""
    # Of earlier versions; in neighbourhood collectives a rank waits for its neighbours alone.
    neighbours = np.array(["Neighbor" in name for name in profile.functions], bool)
    table = profile.arrivals.where(~neighbours[profile.arrivals.function])
    sizes = np.array([communicator.size for communicator in profile.communicators] or [0], np.int64)
    table = table.where(table.communicator >= 0)
    table = table.where(np.lexsort((table.rank, table.sequence, table.communicator)))
    if not len(table):
        return table
    which = np.cumsum(_first_of_each(table)) - 1
    there = np.bincount(which)[which]
    return table.where((there == sizes[table.communicator]) & (there > 1))


def _first_of_each(table: Arrivals) -> Integers:
    """1 where a new collective begins."""
    changes = (np.diff(table.communicator) != 0) | (np.diff(table.sequence) != 0)
    return np.concatenate(([1], changes)).astype(np.int64)


def _sites(
    profile: Profile,
    table: Arrivals,
    spent: tuple[Integers, Integers],
    last: Integers,
    gap: Integers,
) -> tuple[SiteWaiting, ...]:
    """By function and call site of the last rank; `spent`, `last` and `gap` by collective."""
    places = len(profile.sites) + 1
    keys = table.function[last] * places + table.site[last] + 1
    sites = []
    for key in np.unique(keys):
        of_key = np.flatnonzero(keys == key)
        ranks, times = np.unique(table.rank[last[of_key]], return_counts=True)
        most = int(np.argmax(times))
        sites.append(
            SiteWaiting(
                function=short(profile.functions[key // places]),
                site=int(key % places) - 1,
                collectives=len(of_key),
                waiting_ns=int(spent[0][of_key].sum()),
                transferring_ns=int(spent[1][of_key].sum()),
                last_rank=int(ranks[most]),
                last_share=float(times[most] / len(of_key)),
                latest_ns=int(np.median(gap[of_key])),
            )
        )
    return tuple(sorted(sites, key=lambda each: -each.waiting_ns))


def _summed(place: Integers, values: Integers, length: int) -> Integers:
    sums = np.zeros(length, np.int64)
    np.add.at(sums, place, values)
    return sums
