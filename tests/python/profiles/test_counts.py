"""One shared object counts every call of every MPI library, against programs that know."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

import pytest

from halocline.profile.profile import NO_PEER, NOBODY, UNKNOWN_PEER, Profile
from halocline.profile.replay.plan import plan_of
from halocline.profile.totals import Totals
from halocline.profile.waiting import waiting
from profiles.programs import LIBRARIES, SOURCES, Programs, library_of, total

pytestmark = pytest.mark.launches

RANKS = 4
# Of each rank of sources/mix.c: calls, bytes sent, bytes received.
EACH = {
    "Init": (1, 0, 0),
    "Comm_rank": (2, 0, 0),
    "Comm_size": (1, 0, 0),
    "Comm_split": (1, 0, 0),
    "Irecv": (10, 0, 1000),
    "Isend": (10, 640, 0),
    "Sendrecv": (3, 192, 240),
    "Sendrecv_replace": (3, 41, 41),
    "Recv_init": (1, 0, 0),
    "Send_init": (1, 0, 0),
    "Startall": (4, 160, 160),
    "Start": (4, 80, 80),
    "Waitall": (16, 0, 0),
    "Request_free": (2, 0, 0),
    "Allreduce": (9, 72, 72),
    "Barrier": (5, 0, 0),
    "Type_vector": (2, 0, 0),
    "Type_commit": (2, 0, 0),
    "Type_free": (2, 0, 0),
    "Win_allocate": (1, 0, 0),
    "Win_fence": (2, 0, 0),
    "Put": (6, 48, 0),
    "Win_free": (1, 0, 0),
    "Comm_free": (1, 0, 0),
    "Finalize": (1, 0, 0),
}


def _expected(rank: int) -> dict[str, tuple[int, int, int]]:
    root, others = rank == 0, RANKS - 1
    sends = 1 + (not root) + rank % 2  # to nobody, to rank 0, in a pair
    pair = 1 if rank % 2 else 0
    expected = {
        **EACH,
        "Send": (sends, 8 * (not root) + pair, 0),
        "Bcast": (3, 24 if rank == 1 else 0, 0 if rank == 1 else 24),
        "Gatherv": (1, rank, 6 if root else 0),
        "Alltoallv": (1, 6, 4 * rank),
        "Allgather": (1, 8, 8 * RANKS),
    }
    receives = (others if root else 0) + (1 - pair)
    if receives:
        expected["Recv"] = (receives, 0, 8 * others * root + (1 - pair))
    return expected


def _found(profile: Profile, rank: int) -> dict[str, tuple[int, int, int]]:
    totals: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    calls = profile.calls.where(profile.calls.rank == rank)
    for function, *amounts in zip(
        calls.function, calls.count, calls.bytes_sent, calls.bytes_received, strict=True
    ):
        total = totals[profile.functions[function].removeprefix("MPI_")]
        total[:] = [int(one + more) for one, more in zip(total, amounts, strict=True)]
    return {name: (count, sent, received) for name, (count, sent, received) in totals.items()}


@pytest.mark.parametrize(
    ("library", "flags"),
    [
        *((library, ()) for library in LIBRARIES),
        # Past the table by which the linker knows of calls; and where what it wrote is closed.
        *((library, ("-fno-plt",)) for library in ("mpich-abi", "debian-openmpi")),
        ("mpich-abi", ("-fno-plt", "-no-pie", "-Wl,-z,norelro")),
    ],
)
def test_counts_and_bytes_are_those_of_the_program(
    library: str, flags: tuple[str, ...], programs: Programs, tmp_path: Path
) -> None:
    program = programs.build(library, "mix.c", *flags)
    ended = programs.profile(library, program, ranks=RANKS, folder=tmp_path / "p")
    profile = ended.profile
    assert ended.code == 0, ended.err
    assert profile.mpi.abi == library_of(library).abi
    assert [rank.ended for rank in profile.ranks] == ["finalized"] * RANKS
    assert [_found(profile, rank) for rank in range(RANKS)] == [
        _expected(rank) for rank in range(RANKS)
    ]
    _peers_are_world_ranks(profile)
    _sites_are_lines(profile)


@pytest.mark.parametrize("flags", [(), ("-fno-plt",), ("-no-pie",)], ids=" ".join)
def test_calls_by_pointers_and_of_a_plugin(
    flags: tuple[str, ...], programs: Programs, tmp_path: Path
) -> None:
    plugin = programs.build("mpich-abi", "plugin.c", "-fno-plt", "-fPIC", "-shared")
    program = programs.build("mpich-abi", "pointers.c", *flags)
    words = (program, plugin, tmp_path / "pointers.out")
    ended = programs.profile("mpich-abi", *words, ranks=2, folder=tmp_path / "p")
    assert ended.code == 0, ended.err
    calls = ("Send", "Recv", "Barrier", "Allreduce", "Reduce", "Bcast")
    for rank in range(2):
        found = {name: total(ended.profile, rank, name) for name in calls}
        expected = {"Send": 1 - rank, "Recv": rank, "Barrier": 3, "Allreduce": 4, "Reduce": 5}
        assert found == {**expected, "Bcast": 6}
    assert {Path(file).name for file in ended.profile.files} == {"pointers.out"}
    assert int(ended.profile.io.bytes.sum()) == 2 * 7


def test_reductions_between_groups_have_the_counts_of_their_own_group(
    programs: Programs, tmp_path: Path
) -> None:
    program = programs.build("mpich-abi", "groups.c")
    ended = programs.profile("mpich-abi", program, ranks=4, folder=tmp_path / "p")
    assert ended.code == 0, ended.err
    for rank, blocks in enumerate(((24, 24), (4, 8), (8, 8), (12, 8))):
        found = _found(ended.profile, rank)
        assert found["Reduce_scatter"] == (1, 24, blocks[0])
        assert found["Reduce_scatter_block"] == (1, 24, blocks[1])


@pytest.mark.parametrize("library", ["mpich-abi", "debian-openmpi"])
def test_ends_of_a_line_have_one_neighbour_and_types_may_be_large(
    library: str, programs: Programs, tmp_path: Path
) -> None:
    program = programs.build(library, "grids.c")
    ended = programs.profile(library, program, ranks=RANKS, folder=tmp_path / "p")
    assert ended.code == 0, ended.err
    for rank, below, above in ((0, 0, 1), (1, 1, 1), (2, 1, 1), (3, 1, 0)):
        found = _found(ended.profile, rank)
        there = below + above
        assert found["Neighbor_alltoall"] == (1, 12 * there, 12 * there)
        assert found["Neighbor_allgather"] == (1, 8 * there, 8 * there)
        down, up = 4 * 5, 4 * 7
        moved = (1, below * down + above * up, below * up + above * down)
        assert found["Neighbor_alltoallv"] == moved
        assert found["Bcast"] == (1, 1 << 32, 0)


def test_more_persistent_requests_than_can_be_tracked_end_no_program(
    programs: Programs, tmp_path: Path
) -> None:
    program = programs.build("mpich-abi", "requests.c")
    ended = programs.profile("mpich-abi", program, ranks=1, folder=tmp_path / "p")
    assert ended.code == 0, ended.err
    assert total(ended.profile, 0, "Request_free") == 2 * 70_000
    # Freed requests leave their places to later ones.
    assert ended.profile.ranks[0].untracked == 2 * (70_000 - (1 << 16))


def _peers_are_world_ranks(profile: Profile) -> None:
    for rank in range(RANKS):
        right, left = (rank + 1) % RANKS, (rank - 1) % RANKS
        other = rank + 1 if rank % 2 == 0 else rank - 1
        assert _peers(profile, rank, "Isend") == {right}
        assert _peers(profile, rank, "Irecv") == {left}
        assert _peers(profile, rank, "Startall") == {NO_PEER, left, right}
        assert _peers(profile, rank, "Put") == {right}
        assert _peers(profile, rank, "Allreduce") == {NO_PEER}
        sends = {NOBODY} | ({0} if rank else set()) | ({other} if rank % 2 else set())
        assert _peers(profile, rank, "Send") == sends
        unknown = {UNKNOWN_PEER}  # the receive that is part of it names no source
        assert _peers(profile, rank, "Sendrecv_replace") == {rank, right, left} | unknown


def _peers(profile: Profile, rank: int, name: str) -> set[int]:
    calls = profile.calls
    function = profile.functions.index(f"MPI_{name}")
    chosen = (calls.rank == rank) & (calls.function == function)
    return {int(peer) for peer in calls.peer[chosen]}


def _sites_are_lines(profile: Profile) -> None:
    source = (SOURCES / "mix.c").read_text(encoding="utf-8").splitlines()
    calls = profile.calls
    for function, site in {*zip(calls.function.tolist(), calls.site.tolist(), strict=True)}:
        place = profile.sites[site]
        nearby = "".join(source[place.line - 3 : place.line + 2])
        assert Path(place.file).name == "mix.c"
        assert f"{profile.functions[function]}(" in nearby


def test_started_collectives_are_no_messages_between_ranks(
    programs: Programs, tmp_path: Path
) -> None:
    program = programs.build("mpich-abi", "persistent.c")
    ended = programs.profile("mpich-abi", program, ranks=2, folder=tmp_path / "p")
    assert ended.code == 0, ended.err
    totals = Totals(ended.profile)
    assert totals.pairs() == []
    # Each rank starts both three times, with 64 B, and meets the other in a barrier.
    assert (totals.bytes, totals.messages) == (2 * 6 * 64, 2 * 7)
    assert totals.rank_collective_bytes.tolist() == [6 * 64] * 2
    deviations = plan_of(ended.profile).deviations
    assert "MPI_Start of a persistent collective left out: 12 calls" in deviations


def test_collectives_in_turns_are_all_kept_where_many_are_thinned(
    programs: Programs, tmp_path: Path
) -> None:
    program = programs.build("mpich-abi", "alternating.c")
    profile = programs.profile("mpich-abi", program, ranks=2, folder=tmp_path / "p").profile
    arrivals = profile.arrivals.where(profile.arrivals.rank == 0)
    kept = Counter(profile.functions[function] for function in arrivals.function)
    assert kept.keys() == {"MPI_Bcast", "MPI_Allreduce"}
    assert 70_000 / 4 < sum(kept.values()) < 1 << 16  # none of the sums of nothing
    assert kept["MPI_Bcast"] == pytest.approx(kept["MPI_Allreduce"], rel=0.05)
    broadcasts = profile.functions.index("MPI_Bcast")
    assert set(profile.arrivals.root[profile.arrivals.function == broadcasts]) == {1}
    found = waiting(profile)
    assert found is not None and found.collectives == sum(kept.values())
    assert found.rank_waiting_ns[1] < found.rank_waiting_ns.sum()
