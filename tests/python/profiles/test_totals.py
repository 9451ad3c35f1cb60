"""Every total of bytes is the same sum, and it is what the program moves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from halocline.profile.functions import Kind, is_local, kind_of
from halocline.profile.merge import profile_ranks
from halocline.profile.profile import (
    FROM_ROOT,
    NO_PEER,
    OTHER_WORLD,
    UNKNOWN_PEER,
    Arrivals,
    Calls,
    Profile,
)
from halocline.profile.totals import Totals, limits_of
from halocline.profile.waiting import waiting
from halocline.profile.words import words
from profiles.made import CALL_NS, IRECV, ISEND, made
from profiles.model import ARRIVALS, BURST_BYTES, HALOS, STEPS, WALL_NS, died, model, truth


@pytest.mark.parametrize("ranks", [1, 2, 3, 8])
def test_totals_of_matrix_sizes_ranks_and_functions_are_the_truth(ranks: int) -> None:
    totals, known = Totals(model(ranks)), truth(ranks)
    sizes = totals.sizes()
    assert totals.messages == known.messages == sum(each.messages for each in sizes)
    assert totals.bytes == known.bytes == sum(each.bytes for each in sizes)
    assert totals.bytes == sum(each.bytes for each in totals.functions)
    assert totals.bytes == sum(each.bytes for each in totals.sites)
    assert totals.bytes == totals.rank_bytes_sent.sum()
    assert totals.bytes == totals.matrix().sum() + totals.rank_collective_bytes.sum()
    assert totals.rank_bytes_sent[1:].tolist() == [known.bytes_of_rank] * (ranks - 1)
    by_call = [totals.sizes(function) for function in totals.giving_functions]
    assert totals.messages == sum(each.messages for found in by_call for each in found)


def test_the_matrix_says_who_sends_to_whom_and_bins_keep_the_sum() -> None:
    totals = Totals(made(5, calls=10, size_bytes=100))
    expected = np.roll(1000 * np.eye(5, dtype=np.int64), 1, axis=1)
    assert (totals.matrix() == expected).all()
    assert totals.pairs() == [(rank, (rank + 1) % 5, 1000) for rank in range(5)]
    binned = totals.matrix(2)
    assert binned.shape == (2, 2) and binned.sum() == 5000
    assert binned.tolist() == [[2000, 1000], [1000, 1000]]


def with_calls(profile: Profile, **columns: int) -> Profile:
    """The profile with one row of calls alone."""
    row = dict.fromkeys(Calls.__dataclass_fields__, 0) | columns
    return replace(profile, calls=Calls.of(**{name: [value] for name, value in row.items()}))


def test_what_is_fetched_counts_at_the_rank_that_it_comes_from() -> None:
    profile = replace(made(3), functions=("MPI_Get",))
    got = with_calls(profile, rank=0, peer=2, count=1, messages=1, bytes_received=64, size_class=7)
    totals = Totals(got)
    assert totals.matrix()[2, 0] == totals.bytes == 64
    assert totals.rank_bytes_sent.tolist() == [0, 0, 64]


def test_the_other_half_of_an_exchange_is_no_message_of_its_own() -> None:
    profile = replace(made(2), functions=("MPI_Sendrecv",))
    columns = {"rank": [0, 0], "peer": [1, 1], "count": [3, 0], "messages": [3, 3]}
    columns |= {"bytes_sent": [24, 0], "bytes_received": [0, 24], "size_class": [4, 4]}
    zero = {name: [0, 0] for name in Calls.__dataclass_fields__}
    totals = Totals(replace(profile, calls=Calls.of(**zero | columns)))
    assert (totals.messages, totals.bytes, totals.calls) == (3, 24, 3)


def test_what_files_take_is_no_communication() -> None:
    profile = replace(made(2), functions=("MPI_File_write",))
    wrote = with_calls(profile, rank=0, peer=NO_PEER, count=1, messages=1, bytes_sent=4096)
    assert (Totals(wrote).bytes, Totals(wrote).messages) == (0, 0)


def test_peers_that_are_not_known_are_in_the_totals_but_in_no_pair() -> None:
    sent = with_calls(
        made(2), function=ISEND, rank=1, peer=UNKNOWN_PEER, count=1, messages=1, bytes_sent=8
    )
    totals = Totals(sent)
    assert (totals.bytes, totals.pairs(), totals.rank_other_bytes.tolist()) == (8, [], [0, 8])
    assert totals.rank_collective_bytes.tolist() == [0, 0]
    evidence = "".join(sentence.evidence for sentence in words(totals)).replace("\xa0", " ")
    assert "0 % in collectives, 100 % to ranks that are unknown or of another world" in evidence


def test_started_collectives_count_each_rank_and_are_in_no_pair() -> None:
    """`MPI_Allgather_init` of 64 B on 8 ranks: a start sends them once, and receives 8 times."""
    profile = replace(made(8), functions=("MPI_Start",))
    columns = {"peer": NO_PEER, "messages": 3, "bytes_sent": 192, "bytes_received": 1536}
    totals = Totals(with_calls(profile, rank=1, size_class=7, **columns))
    (size,) = totals.sizes()
    assert (size.messages, size.bytes, totals.messages, totals.bytes) == (3, 192, 3, 192)
    assert totals.rank_collective_bytes.tolist() == [0, 192, *[0] * 6]
    assert totals.pairs() == []


def test_started_messages_that_were_merged_are_not_taken_for_collectives() -> None:
    profile = replace(made(2), functions=("MPI_Start",))
    columns = {"messages": 6, "bytes_sent": 192, "bytes_received": 192, "size_class": 7}
    totals = Totals(with_calls(profile, rank=1, peer=NO_PEER, communicator=-1, **columns))
    assert (totals.messages, totals.bytes) == (3, 192)
    assert totals.rank_collective_bytes.tolist() == [0, 0]
    assert totals.rank_other_bytes.tolist() == [0, 192]


def test_the_slowest_rank_of_each_place() -> None:
    profile = made(4)
    slow = profile.calls.time_ns.copy()
    slow[(profile.calls.rank == 2) & (profile.calls.function == IRECV)] = 10**9
    totals = Totals(replace(profile, calls=replace(profile.calls, time_ns=slow)))
    first = totals.sites[0]
    assert (first.function, first.slowest_rank, first.slowest_ns) == ("Irecv", 2, 10**9)
    assert totals.site_text(first.site) == "model.F90:411"


def test_waiting_ends_when_the_last_rank_arrives() -> None:
    found = waiting(made(4, calls=10))
    assert found is not None
    assert found.collectives == 10
    assert found.rank_waiting_ns.tolist() == [10 * CALL_NS] * 3 + [0]
    assert found.rank_transferring_ns.tolist() == [10 * CALL_NS] * 4
    (site,) = found.sites
    assert (site.function, site.last_rank, site.last_share) == ("Barrier", 3, 1.0)
    assert (site.latest_ns, site.waiting_ns) == (CALL_NS, 30 * CALL_NS)


def test_waiting_is_summed_by_the_call_site_of_the_last_rank() -> None:
    profile = made(4, calls=10)
    arrivals = profile.arrivals
    first = replace(arrivals, site=np.where(arrivals.sequence < 3, 2, arrivals.site))
    found = waiting(replace(profile, arrivals=first))
    assert found is not None
    assert [(site.site, site.collectives, site.waiting_ns) for site in found.sites] == [
        (3, 7, 21 * CALL_NS),
        (2, 3, 9 * CALL_NS),
    ]
    assert sum(site.transferring_ns for site in found.sites) == found.transferring_ns


def test_collectives_that_are_not_known_at_all_ranks_say_nothing_of_waiting() -> None:
    profile = made(4, calls=10)
    lost = profile.arrivals.where(profile.arrivals.rank != 1)
    assert waiting(replace(profile, arrivals=lost)) is None
    some = profile.arrivals.where((profile.arrivals.rank != 1) | (profile.arrivals.sequence < 4))
    found = waiting(replace(profile, arrivals=some))
    assert found is not None and found.collectives == 4


ROOT, OTHER = 1, 2  # of three ranks, which enter 0, 4 and 9 call times after the first


@pytest.mark.parametrize(
    ("function", "move", "waits"),
    [
        ("MPI_Allreduce", "all_reduce", [9, 5, 0]),
        ("MPI_Bcast", "broadcast", [4, 0, 0]),
        ("MPI_Scatterv", "scatter", [4, 0, 0]),
        ("MPI_Reduce", "reduce", [0, 5, 0]),
        ("MPI_Gather_c", "gather", [0, 5, 0]),
    ],
)
def test_ranks_wait_for_those_that_they_need(function: str, move: str, waits: list[int]) -> None:
    profile = _entering_late(function, move, ROOT)
    found = waiting(profile)
    assert found is not None
    assert (found.rank_waiting_ns // CALL_NS).tolist() == waits
    whole = (profile.arrivals.leave_ns - profile.arrivals.enter_ns).sum()
    assert found.waiting_ns + found.transferring_ns == whole
    (site,) = found.sites
    assert (site.last_rank, site.from_root) == (OTHER, move in FROM_ROOT)


@pytest.mark.parametrize(
    ("function", "move", "root"),
    [
        ("MPI_Scan", "all_reduce", NO_PEER),
        ("MPI_Exscan_c", "all_reduce", NO_PEER),
        ("MPI_Bcast", "broadcast", UNKNOWN_PEER),
    ],
)
def test_where_it_is_not_known_whom_ranks_need_nothing_is_said(
    function: str, move: str, root: int
) -> None:
    assert waiting(_entering_late(function, move, root)) is None


def _entering_late(function: str, move: str, root: int) -> Profile:
    """One collective of three ranks, which leave together."""
    rank = np.arange(3)
    return replace(
        made(3),
        functions=(function,),
        moves=(move,),
        arrivals=Arrivals.of(
            rank=rank,
            function=0 * rank,
            communicator=0 * rank,
            sequence=0 * rank,
            site=0 * rank,
            root=np.full(3, root),
            enter_ns=np.array([0, 4, 9]) * CALL_NS,
            leave_ns=np.full(3, 10) * CALL_NS,
        ),
    )


def test_files_over_time_hold_every_byte() -> None:
    files = Totals(model(2)).input_output
    for most in (3, 200):
        begins_s, rates = files.over_time("write", most)
        step_s = begins_s[1] - begins_s[0]
        assert rates.sum() * step_s == pytest.approx(3 * BURST_BYTES)
    assert files.total_bytes("read") == 2000


def test_the_share_of_communication_is_never_more_than_all() -> None:
    profile = made(2)
    busy = tuple(replace(each, mpi_ns=3 * each.wall_ns, threads=4) for each in profile.ranks)
    assert Totals(replace(profile, ranks=busy)).share_of_communication == 1


def test_a_profile_without_calls_has_totals() -> None:
    profile = replace(made(2), calls=Calls.of())
    totals = Totals(profile)
    assert (totals.bytes, totals.messages, totals.calls, totals.sites) == (0, 0, 0, ())
    assert totals.matrix().sum() == 0


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        *((name, Kind.SEND) for name in ("MPI_Send", "MPI_Ibsend", "MPI_Rsend", "MPI_Isend_c")),
        *((name, Kind.RECEIVE) for name in ("MPI_Recv", "MPI_Imrecv", "MPI_Precv_init")),
        *((name, Kind.EXCHANGE) for name in ("MPI_Sendrecv", "MPI_Isendrecv_replace")),
        *((name, Kind.PROBE) for name in ("MPI_Probe", "MPI_Improbe")),
        *((name, Kind.COMPLETION) for name in ("MPI_Waitall", "MPI_Test", "MPI_Startall")),
        *((name, Kind.COLLECTIVE) for name in ("MPI_Ibarrier", "MPI_Allreduce", "MPI_Exscan")),
        *((name, Kind.COLLECTIVE) for name in ("MPI_Neighbor_alltoallw", "MPI_Allgatherv_c")),
        *((name, Kind.ONE_SIDED) for name in ("MPI_Put", "MPI_Raccumulate", "MPI_Win_fence")),
        *((name, Kind.FILE) for name in ("MPI_File_open", "MPI_File_write_all")),
        *((name, Kind.OTHER) for name in ("MPI_Init", "MPI_Comm_dup", "MPI_Win_create")),
    ],
)
def test_kinds_of_functions(function: str, kind: Kind) -> None:
    assert kind_of(function) is kind


def test_calls_that_only_ask_the_library() -> None:
    local = [name for name in ("MPI_Comm_rank", "MPI_Wtime", "MPI_Get_count") if is_local(name)]
    assert len(local) == 3
    assert not any(map(is_local, ("MPI_Init", "MPI_Comm_dup", "MPI_Barrier", "MPI_Isend")))


def test_classes_of_sizes() -> None:
    assert [limits_of(number) for number in (0, 1, 2, 7)] == [(0, 0), (1, 1), (2, 2), (33, 64)]


def test_the_model_is_what_it_says() -> None:
    profile = died(4)
    assert profile.ranks[3].ended == "signal 11"
    assert len(profile.arrivals) == 4 * ARRIVALS
    assert profile.ranks[0].wall_ns == WALL_NS
    assert truth(4).bytes_of_rank > STEPS * sum(HALOS)


def test_older_profiles_of_sessions_name_the_rank_itself() -> None:
    members = np.array([0, -2, -1], np.int32)
    assert profile_ranks(members, own=5, offset=4).tolist() == [4, 5, OTHER_WORLD]
