"""Waiting and transferring in collectives, from the arrival times of ranks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halocline.profile.functions import short
from halocline.profile.profile import FROM_ROOT, TO_ROOT, Arrivals, Integers, Profile, sums

_LATER_ONES = ("Scan", "Exscan")  # a rank waits for the lower ones: who is awaited differs


@dataclass(frozen=True)
class SiteWaiting:
    """The collectives of one function from one place."""

    function: str
    site: int  # index into Profile.sites
    from_root: bool  # ranks wait for the root, else for the last rank
    collectives: int  # whose arrivals are known on all ranks
    waiting_ns: int  # until all arrived that a rank needs, summed over ranks
    transferring_ns: int  # after that
    last_rank: int  # the one that arrives last most often
    last_share: float  # share of collectives in which it does
    latest_ns: int  # median delay between the last rank and the one before it


@dataclass(frozen=True, eq=False)
class Waiting:
    """The analysis of arrivals."""

    sites: tuple[SiteWaiting, ...]  # where the last rank called; those with most waiting first
    callers: tuple[SiteWaiting, ...]  # where any rank called: times of the ranks that did so there
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
    awaited = _awaited(profile, table, which)
    waits = np.clip(np.minimum(awaited, table.leave_ns) - table.enter_ns, 0, None)
    transfers = table.leave_ns - table.enter_ns - waits
    # Sorted by arrival within each collective: the last row is the last rank.
    by_arrival = np.lexsort((table.rank, table.enter_ns, which))
    ends = np.append(np.flatnonzero(np.diff(which[by_arrival])), len(which) - 1)
    last = by_arrival[ends]
    before = by_arrival[np.maximum(ends - 1, 0)]
    gap = table.enter_ns[last] - table.enter_ns[before]
    ranks = profile.size
    every = np.arange(groups)
    spent = (sums(which, waits, groups), sums(which, transfers, groups))
    return Waiting(
        sites=_sites(profile, table, _Calls(last, every, *spent), last, gap),
        callers=_sites(
            profile, table, _Calls(np.arange(len(table)), which, waits, transfers), last, gap
        ),
        rank_waiting_ns=sums(rows, waits, ranks),
        rank_transferring_ns=sums(rows, transfers, ranks),
        collectives=groups,
    )


def _awaited(profile: Profile, table: Arrivals, which: Integers) -> Integers:
    """When all have entered that the rank of each arrival needs."""
    last_enter = np.full(int(which[-1]) + 1, np.iinfo(np.int64).min)
    np.maximum.at(last_enter, which, table.enter_ns)
    of_root = np.zeros(len(last_enter), np.int64)
    root = table.rank == table.root
    of_root[which[root]] = table.enter_ns[root]
    moves = np.array(profile.moves)[table.function]
    own = np.isin(moves, TO_ROOT) & ~root
    return np.select(
        [np.isin(moves, FROM_ROOT), own], [of_root[which], table.enter_ns], last_enter[which]
    )


@dataclass(frozen=True, eq=False)
class _Calls:
    """Arrivals (indices into their table), the collective of each, and the times to sum."""

    rows: Integers
    which: Integers
    waiting_ns: Integers
    transferring_ns: Integers


def _complete(profile: Profile) -> Arrivals:
    """Arrivals at collectives of several ranks that all of them recorded, in order."""
    # Of earlier versions; in neighbourhood collectives a rank waits for its neighbours alone.
    left_out = [
        "Neighbor" in name or short(name).removesuffix("_c") in _LATER_ONES
        for name in profile.functions
    ]
    table = profile.arrivals.where(~np.array(left_out, bool)[profile.arrivals.function])
    rooted = np.isin(np.array(profile.moves)[table.function], (*FROM_ROOT, *TO_ROOT))
    table = table.where(~rooted | (table.root >= 0))
    remote = [bool(communicator.remote) for communicator in profile.communicators]
    sizes = np.array([communicator.size for communicator in profile.communicators] or [0], np.int64)
    table = table.where(table.communicator >= 0)
    table = table.where(~np.array(remote, bool)[table.communicator])
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
    profile: Profile, table: Arrivals, calls: _Calls, last: Integers, gap: Integers
) -> tuple[SiteWaiting, ...]:
    """By function and call site of these calls; `last` and `gap` by collective."""
    places = len(profile.sites) + 1
    keys = table.function[calls.rows] * places + table.site[calls.rows] + 1
    sites = []
    for key in np.unique(keys):
        of_key = np.flatnonzero(keys == key)
        met = np.unique(calls.which[of_key])
        ranks, times = np.unique(table.rank[last[met]], return_counts=True)
        most = int(np.argmax(times))
        sites.append(
            SiteWaiting(
                function=short(profile.functions[key // places]),
                site=int(key % places) - 1,
                from_root=profile.moves[key // places] in FROM_ROOT,
                collectives=len(met),
                waiting_ns=int(calls.waiting_ns[of_key].sum()),
                transferring_ns=int(calls.transferring_ns[of_key].sum()),
                last_rank=int(ranks[most]),
                last_share=float(times[most] / len(met)),
                latest_ns=int(np.median(gap[met])),
            )
        )
    return tuple(sorted(sites, key=lambda each: -each.waiting_ns))
