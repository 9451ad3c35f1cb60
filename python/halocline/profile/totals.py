"""Totals of a profile: pure functions from its tables to the numbers in reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from halocline.profile.functions import SETUP, Kind, is_local, kind_of, moves_data, short
from halocline.profile.input_output import InputOutput
from halocline.profile.profile import (
    CLASSES,
    NO_PEER,
    OTHER_WORLD,
    Integers,
    Profile,
    bin_width,
    class_limit,
    sums,
)
from halocline.profile.running import Running, running


@dataclass(frozen=True)
class FunctionTotal:
    """All calls of one function on all ranks."""

    name: str  # without MPI_ and _c
    kind: Kind
    count: int
    time_ns: int
    bytes: int


@dataclass(frozen=True)
class SiteTotal:
    """All calls of one function from one call site, on all ranks."""

    function: str
    site: int  # index into Profile.sites, -1: unknown
    count: int
    time_ns: int
    bytes: int
    slowest_rank: int
    slowest_ns: int


@dataclass(frozen=True)
class SizeTotal:
    """The messages of one size class."""

    size_class: int
    messages: int
    bytes: int

    @property
    def limits(self) -> tuple[int, int]:
        """The smallest and the largest size in the class, in bytes."""
        return limits_of(self.size_class)


def limits_of(number: int) -> tuple[int, int]:
    """The smallest and the largest size of a class, in bytes."""
    return (class_limit(number - 1) + 1 if number else 0), class_limit(number)


class Totals:
    """The totals of one profile, each computed once.

    A message is counted at its source: the sender, the origin of a one-sided operation, or
    each rank that contributes to a collective. So all byte totals agree.
    """

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self._names = [short(name) for name in profile.functions]
        self._kinds = [kind_of(name) for name in profile.functions]

    @property
    def size(self) -> int:
        """The number of ranks."""
        return self.profile.size

    @cached_property
    def _row_of_rank(self) -> Integers:
        """The index of each world rank among the profile's ranks; -1 for a lost one."""
        numbers = [rank.rank for rank in self.profile.ranks]
        rows = np.full(max(numbers, default=0) + 1, -1, np.int64)
        rows[numbers] = np.arange(len(numbers))
        return rows

    def rows_of(self, ranks: Integers) -> Integers:
        """The indices of these world ranks; -1 for ranks not in the profile."""
        known = (ranks >= 0) & (ranks < len(self._row_of_rank))
        return np.where(known, self._row_of_rank[np.where(known, ranks, 0)], -1)

    def of_kind(self, *kinds: Kind) -> NDArray[np.bool_]:
        """Mask of the call rows of these kinds."""
        wanted = np.array([kind in kinds for kind in self._kinds], bool)
        return self._by_function(wanted)

    def _by_function(self, wanted: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Mask of the call rows whose function is wanted."""
        rows: NDArray[np.bool_] = wanted[self.profile.calls.function]
        return rows

    @cached_property
    def _given(self) -> Integers:
        """The messages and contributions that each call row gives."""
        wanted = np.array([moves_data(kind) for kind in self._kinds], bool)
        calls = self.profile.calls
        # The other half of an exchange has a row of its own.
        received = (calls.count == 0) & (calls.bytes_sent == 0) & self.of_kind(Kind.EXCHANGE)
        given = np.where(self._by_function(wanted) & ~received, calls.messages, 0)
        # Messages to a peer and from it, of one size, that were started may share a row.
        both = calls.bytes_sent + calls.bytes_received
        sent = np.where(both > 0, calls.bytes_sent / np.maximum(1, both), 1.0)
        sent[self._together] = 1.0
        starts = np.rint(calls.messages * sent).astype(np.int64)
        return np.where(self._starts, starts, given)

    @property
    def _starts(self) -> NDArray[np.bool_]:
        """Rows of calls that start persistent or partitioned requests, and of what these move."""
        names = ("Start", "Pready")
        return self._by_function(np.array([name.startswith(names) for name in self._names], bool))

    @cached_property
    def _together(self) -> NDArray[np.bool_]:
        """Rows of collectives, persistent ones that were started included."""
        calls = self.profile.calls
        # Without a communicator they were merged for lack of space: of which peer is unknown.
        started = self._starts & (calls.peer == NO_PEER) & (calls.communicator >= 0)
        rows: NDArray[np.bool_] = self.of_kind(Kind.COLLECTIVE) | started
        return rows

    @property
    def _gives(self) -> NDArray[np.bool_]:
        gives: NDArray[np.bool_] = self._given > 0
        return gives

    @cached_property
    def _fetches(self) -> NDArray[np.bool_]:
        """Rows whose bytes come from the peer, requested by this rank."""
        gets = np.array([name in ("Get", "Rget") for name in self._names], bool)
        return self._by_function(gets)

    @cached_property
    def moved_bytes(self) -> Integers:
        """Bytes sent by each call row, without those written to files."""
        calls = self.profile.calls
        moved = np.where(self._fetches, calls.bytes_received, calls.bytes_sent)
        return np.where(self.of_kind(Kind.FILE), 0, moved)

    @cached_property
    def messages(self) -> int:
        """Messages and contributions to collectives."""
        return int(self._given.sum())

    @cached_property
    def bytes(self) -> int:
        """The bytes sent by all ranks."""
        return int(self.moved_bytes.sum())

    @cached_property
    def wall_ns(self) -> int:
        """From the start of the first rank to the end of the last."""
        return max((rank.started_ns + rank.wall_ns for rank in self.profile.ranks), default=0)

    @cached_property
    def rank_wall_ns(self) -> Integers:
        return np.array([rank.wall_ns for rank in self.profile.ranks], np.int64)

    @cached_property
    def rank_mpi_ns(self) -> Integers:
        return np.array([rank.mpi_ns for rank in self.profile.ranks], np.int64)

    @cached_property
    def mpi_ns(self) -> int:
        """Inside MPI, summed over ranks and threads."""
        return int(self.rank_mpi_ns.sum())

    @cached_property
    def rank_setup_ns(self) -> Integers:
        """Time in MPI_Init, MPI_Finalize and the like."""
        calls = self.profile.calls
        chosen = self._by_function(np.array([name in SETUP for name in self._names], bool))
        spent = sums(self.rows_of(calls.rank[chosen]), calls.time_ns[chosen], self.size)
        return np.minimum(spent, self.rank_wall_ns)

    @cached_property
    def inside_ns(self) -> int:
        """Inside MPI without MPI_Init and MPI_Finalize, summed over ranks and threads."""
        return max(0, self.mpi_ns - int(self.rank_setup_ns.sum()))

    @cached_property
    def rank_program_ns(self) -> Integers:
        """The time between MPI_Init and MPI_Finalize, and before and after them."""
        return self.rank_wall_ns - self.rank_setup_ns

    @cached_property
    def rank_inside_ns(self) -> Integers:
        """In MPI, without MPI_Init and MPI_Finalize; with several threads at most the full time."""
        inside: Integers = np.clip(self.rank_mpi_ns - self.rank_setup_ns, 0, self.rank_program_ns)
        return inside

    @cached_property
    def rank_idle_ns(self) -> Integers:
        """Time inside MPI without a processor, if ranks waited for cores and it is known;
        otherwise 0. MPI_Init and MPI_Finalize take their proportional share of it.
        """
        if self.running is None or not self.running.divides:
            return np.zeros(self.size, np.int64)
        share = self.rank_inside_ns / np.maximum(1, self.rank_mpi_ns)
        idle: Integers = (self.running.rank_idle_ns * share).astype(np.int64)
        return np.minimum(idle, self.rank_inside_ns)

    @cached_property
    def share_of_communication(self) -> float:
        """Time inside MPI over the time of all ranks, both without MPI_Init and MPI_Finalize."""
        return float(self.rank_inside_ns.sum() / max(1, self.rank_program_ns.sum()))

    @cached_property
    def running(self) -> Running | None:
        """The ranks' processor time; None if not recorded."""
        return running(self.profile)

    @cached_property
    def between_worlds(self) -> tuple[int, int]:
        """Messages to ranks of another world, and their bytes."""
        chosen = self._gives & (self.profile.calls.peer == OTHER_WORLD)
        messages = int(self._given[chosen].sum())
        return messages, int(self.moved_bytes[chosen].sum())

    @cached_property
    def functions(self) -> tuple[FunctionTotal, ...]:
        """All called functions, most time first."""
        calls = self.profile.calls
        known = len(self._names)
        counts, times, moved = (
            sums(calls.function, column, known)
            for column in (calls.count, calls.time_ns, self.moved_bytes)
        )
        merged: dict[str, FunctionTotal] = {}
        for index in np.flatnonzero(counts):
            name = self._names[index]
            before = merged.get(name, FunctionTotal(name, self._kinds[index], 0, 0, 0))
            merged[name] = FunctionTotal(
                name,
                before.kind,
                before.count + int(counts[index]),
                before.time_ns + int(times[index]),
                before.bytes + int(moved[index]),
            )
        return tuple(sorted(merged.values(), key=lambda each: (-each.time_ns, each.name)))

    @cached_property
    def calls(self) -> int:
        """All calls of MPI."""
        return int(self.profile.calls.count.sum())

    @cached_property
    def mix(self) -> tuple[FunctionTotal, ...]:
        """The functions that can communicate, the most frequent first."""
        talking = [function for function in self.functions if not is_local(function.name)]
        return tuple(sorted(talking, key=lambda each: (-each.count, each.name)))

    def sizes(self, function: str | None = None) -> tuple[SizeTotal, ...]:
        """The messages by size class, of one function if given."""
        chosen = self._gives
        if function is not None:
            wanted = np.array([name == function for name in self._names], bool)
            chosen = chosen & self._by_function(wanted)
        calls = self.profile.calls
        classes = calls.size_class[chosen]
        messages = sums(classes, self._given[chosen], CLASSES)
        moved = sums(classes, self.moved_bytes[chosen], CLASSES)
        return tuple(
            SizeTotal(int(size_class), int(messages[size_class]), int(moved[size_class]))
            for size_class in np.flatnonzero(messages)
        )

    @cached_property
    def giving_functions(self) -> tuple[str, ...]:
        """The functions with messages of their own, the most frequent first."""
        counts: dict[str, int] = {}
        calls = self.profile.calls
        for index in np.unique(calls.function[self._gives]):
            of_it = self._gives & (calls.function == index)
            name = self._names[index]
            counts[name] = counts.get(name, 0) + int(self._given[of_it].sum())
        return tuple(sorted(counts, key=lambda name: (-counts[name], name)))

    @cached_property
    def _giver(self) -> Integers:
        """The index of the rank that a row's bytes come from."""
        calls = self.profile.calls
        known = self._fetches & (self.rows_of(calls.peer) >= 0)
        return self.rows_of(np.where(known, calls.peer, calls.rank))

    @cached_property
    def rank_bytes_sent(self) -> Integers:
        """The bytes sent by each rank."""
        return sums(self._giver, self.moved_bytes, self.size)

    @cached_property
    def rank_collective_bytes(self) -> Integers:
        """Bytes that each rank sends in collectives."""
        chosen = self._together
        return sums(self._giver[chosen], self.moved_bytes[chosen], self.size)

    @cached_property
    def rank_other_bytes(self) -> Integers:
        """Bytes that each rank sends to ranks that are not known, or of another world."""
        senders, _, moved = self._directed
        directed = sums(senders, moved, self.size)
        return self.rank_bytes_sent - self.rank_collective_bytes - directed

    @cached_property
    def _directed(self) -> tuple[Integers, Integers, Integers]:
        """Sender, receiver and bytes of point-to-point data."""
        calls = self.profile.calls
        peer = self.rows_of(calls.peer)
        talks = (peer >= 0) & ~self._together & ~self.of_kind(Kind.FILE) & (self.moved_bytes > 0)
        fetched, own = self._fetches[talks], self.rows_of(calls.rank[talks])
        partner = peer[talks]
        senders = np.where(fetched, partner, own)
        receivers = np.where(fetched, own, partner)
        return senders, receivers, self.moved_bytes[talks]

    def matrix(self, most: int | None = None) -> Integers:
        """Bytes from each rank (row) to each (column), in at most `most` bins."""
        senders, receivers, moved = self._directed
        width = bin_width(self.size, most)
        bins = -(-self.size // width) if self.size else 0
        cells = (senders // width) * bins + receivers // width
        return sums(cells, moved, bins * bins).reshape(bins, bins)

    def pairs(self) -> list[tuple[int, int, int]]:
        """Sender, receiver (their indices) and bytes of each communicating pair."""
        senders, receivers, moved = self._directed
        keys, which = np.unique(senders * self.size + receivers, return_inverse=True)
        moved = sums(which, moved, len(keys))
        return [
            (key // self.size, key % self.size, total)
            for key, total in zip(keys.tolist(), moved.tolist(), strict=True)
        ]

    @cached_property
    def partners(self) -> int:
        """The number of communicating rank pairs; each direction counts separately."""
        senders, receivers, _ = self._directed
        return len(np.unique(senders * self.size + receivers))

    @cached_property
    def sites(self) -> tuple[SiteTotal, ...]:
        """Call sites, the costliest first."""
        calls = self.profile.calls
        places = len(self.profile.sites) + 1
        keys, which = np.unique(calls.function * places + calls.site + 1, return_inverse=True)
        counts, times, moved = (
            sums(which, column, len(keys))
            for column in (calls.count, calls.time_ns, self.moved_bytes)
        )
        by_rank, rank_of = np.unique(which * self.size + self.rows_of(calls.rank), return_inverse=1)  # type: ignore[call-overload]
        rank_times = sums(rank_of, calls.time_ns, len(by_rank))
        order = np.lexsort((rank_times, by_rank // self.size))
        last = np.append(np.flatnonzero(np.diff(by_rank[order] // self.size)), len(order) - 1)
        slowest = order[last] if len(order) else order
        totals = [
            SiteTotal(
                self._names[key // places],
                int(key % places) - 1,
                int(counts[i]),
                int(times[i]),
                int(moved[i]),
                self.profile.ranks[int(by_rank[slowest[i]] % self.size)].rank,
                int(rank_times[slowest[i]]),
            )
            for i, key in enumerate(keys)
        ]
        return tuple(sorted(totals, key=lambda each: (-each.time_ns, each.function, each.site)))

    @property
    def program_sites(self) -> tuple[SiteTotal, ...]:
        """The same without MPI_Init and MPI_Finalize."""
        return tuple(site for site in self.sites if site.function not in SETUP)

    def site_text(self, site: int) -> str:
        """A call site as text: `model.F90:412`."""
        return str(self.profile.sites[site]) if site >= 0 else "unknown"

    @cached_property
    def input_output(self) -> InputOutput:
        """File input and output over time."""
        return InputOutput(self.profile.io, self.wall_ns, self.profile.io_bin_ns)


def same_functions(totals: Sequence[Totals], most: int, by_time: bool) -> tuple[str, ...]:
    """The most important functions of all profiles, in one order."""
    share: dict[str, float] = {}
    for run in totals:
        shown = run.functions if by_time else run.mix
        whole = sum(f.time_ns if by_time else f.count for f in shown) or 1
        for f in shown:
            part = (f.time_ns if by_time else f.count) / whole
            share[f.name] = max(share.get(f.name, 0.0), part)
    return tuple(sorted(share, key=lambda name: (-share[name], name))[:most])
