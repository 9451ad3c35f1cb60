"""The profile of a workload has the bytes that the workload says it moves, and not one more."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from halocline.cli import here
from halocline.mpi.build import abi_driver
from halocline.profile.profile import Profile, size_class
from halocline.profile.run import record
from halocline.profile.totals import Totals
from profiles.programs import library_of

RANKS = 4
SIZE = 100_000  # bytes; nothing that the driver itself sends is as large
LINE = "direction=x grid_y=1 grid_z=1"
HALO = "protocol=isend_irecv words=1024 width=1 grid_y=0"
GRID = "protocol=isend_irecv grid=64x128x16 layouts=table1 fields=8 packing=rank bundle=whole"
# Workloads of messages between single ranks: on how many, and their axes.
MESSAGES = {
    "pingpong": (2, f"protocol=isend_irecv bytes={SIZE}"),
    "pingping": (2, f"protocol=isend_irecv bytes={SIZE}"),
    "pairs persistent": (RANKS, f"protocol=persistent bytes={SIZE} pattern=pingping pairs=0"),
    "put": (2, f"synchronisation=fence bytes={SIZE}"),
    "get": (2, f"synchronisation=fence bytes={SIZE}"),
    "pairs": (RANKS, f"protocol=isend_irecv bytes={SIZE} pattern=pingping pairs=0"),
    "distance": (
        RANKS,
        f"protocol=isend_irecv bytes={SIZE} pattern=pingpong distance=2 from=0 {LINE}",
    ),
    "contention": (
        RANKS,
        f"protocol=isend_irecv bytes={SIZE} pattern=pingpong stride=1 pairs=0 {LINE}",
    ),
    "halo": (RANKS, HALO),
    "redistribution": (RANKS, f"{GRID} memory=user near=messages"),
}
# Collectives: the function, and what all ranks together bring and take in one of them, in sizes.
COLLECTIVES = {
    "allreduce": ("Allreduce", RANKS, RANKS),
    "reduce": ("Reduce", RANKS, 1),
    "bcast": ("Bcast", 1, RANKS - 1),
    "allgather": ("Allgather", RANKS, RANKS**2),
    "alltoall": ("Alltoall", RANKS**2, RANKS**2),
    "alltoallv": ("Alltoallv", RANKS**2, RANKS**2),
}
# The probe's attempts are no traversals; the others, as kernels, send only the driver's messages.
NOTHING = {"eager_probe", "barrier", "redistribution_store"}
# Half steps, checks and iterations until convergence: their messages are no multiple of a step's.
# Their tests in C++ compare them with one rank.
MODELS = {"shallow_water", "barotropic", "ocean", "atmosphere", "gyrokinetic", "coupled"}
REPLAYS = {"replay"}  # what a plan says, which test_replay.py holds against its profile


@pytest.mark.launches
def test_all_workloads_are_here() -> None:
    known = here.known().catalogue.workloads
    kernels = {each.name for each in known if each.axis("active") and not each.axis("protocol")}
    assert {workload.name for workload in known} - kernels == {
        *(name.split()[0] for name in MESSAGES),
        *COLLECTIVES,
        *NOTHING,
        *MODELS,
        *REPLAYS,
    }


def profiled(workload: str, axes: str, ranks: int, folder: Path) -> tuple[Profile, int]:
    """The profile of one case, and the bytes that one traversal of it moves."""
    cases, output = folder / "cases.txt", folder / "samples.jsonl"
    cases.write_text(f"case {workload} {axes}\n", encoding="utf-8")
    words = ["--cases", cases, "--output", output, "--label", "x", "--launch", "1"]
    words += ["--case-seconds", "0.02", "--path", "recorded", "--shared-cores"]
    launcher = [library_of("mpich-abi").launcher, "-n", ranks, abi_driver(print)]
    code, profile = record([str(word) for word in (*launcher, *words)], folder / "p.profile")
    assert code == 0 and profile is not None
    lines = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    (path,) = (line["mpi"]["library_path"] for line in lines if line["type"] == "start")
    assert Path(path).name == profile.mpi.library  # not the profiler's
    (moved,) = (line["moved_bytes"] for line in lines if line["type"] == "samples")
    totals = Totals(profile)
    given = int(totals.rank_bytes_sent.sum())
    assert given == totals.bytes == sum(size.bytes for size in totals.sizes())
    assert given == totals.matrix().sum() + totals.rank_collective_bytes.sum()
    return profile, moved


@pytest.mark.launches
@pytest.mark.parametrize("workload", MESSAGES)
def test_messages_move_what_their_workload_says(workload: str, tmp_path: Path) -> None:
    ranks, axes = MESSAGES[workload]
    profile, moved = profiled(workload.split(maxsplit=1)[0], axes, ranks, tmp_path)
    times, rest = divmod(int(Totals(profile).matrix().sum()), moved)
    assert times > 1 and rest == 0
    if f"bytes={SIZE}" in axes:
        large = profile.calls.where(profile.calls.size_class == size_class(SIZE))
        sent, received = int(large.bytes_sent.sum()), int(large.bytes_received.sum())
        assert {sent, received} <= {times * moved, 0} and sent + received > 0
        assert sent + received == SIZE * int(large.messages.sum())


@pytest.mark.launches
@pytest.mark.parametrize("workload", COLLECTIVES)
def test_collectives_bring_and_take_what_they_are(workload: str, tmp_path: Path) -> None:
    function, brought, taken = COLLECTIVES[workload]
    axes = f"bytes={SIZE} timing=synchronised structure=flat"
    profile, _ = profiled(workload, axes, RANKS, tmp_path)
    large = profile.calls.where(profile.calls.size_class >= size_class(SIZE))
    assert {profile.functions[each] for each in large.function.tolist()} == {f"MPI_{function}"}
    times, rest = divmod(int(large.count.sum()), RANKS)
    assert times > 1 and rest == 0
    assert int(large.bytes_sent.sum()) == times * brought * SIZE
    assert int(large.bytes_received.sum()) == times * taken * SIZE


@pytest.mark.launches
def test_a_barrier_moves_nothing(tmp_path: Path) -> None:
    profile, moved = profiled("barrier", "timing=synchronised structure=flat", RANKS, tmp_path)
    assert moved == 0
    assert not profile.calls.where(profile.calls.size_class >= size_class(SIZE)).count.size
