"""Programs without MPI_Init, with several worlds, and with any number of communicators."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from halocline.base.errors import UserError
from halocline.profile.merge import _ranks
from halocline.profile.profile import OTHER_WORLD
from halocline.profile.replay.plan import plan_of
from halocline.profile.totals import Totals
from halocline.profile.words import troubles
from profiles.programs import Programs, total

pytestmark = pytest.mark.launches


def test_sessions_end_well_and_their_messages_have_peers(
    programs: Programs, tmp_path: Path
) -> None:
    program = programs.build("mpich-abi", "sessions.c")
    profile = programs.profile("mpich-abi", program, ranks=2, folder=tmp_path / "p").profile
    totals = Totals(profile)
    assert {each.ended for each in profile.ranks} == {"finalized"}
    assert sorted(totals.pairs()) == [(0, 0, 30), (0, 1, 64), (1, 0, 64), (1, 1, 30)]
    assert sorted(each.members for each in profile.communicators) == [(0,), (0, 1), (1,)]
    assert not troubles(totals)
    plan = plan_of(profile)
    assert plan.moved_bytes == 2 * (30 + 64)


def test_ranks_of_sessions_are_known_without_a_communicator_of_all(
    programs: Programs, tmp_path: Path
) -> None:
    program = programs.build("mpich-abi", "sessions.c")
    profile = programs.profile("mpich-abi", program, "two", ranks=2, folder=tmp_path / "p").profile
    assert sorted(Totals(profile).pairs()) == [(0, 1, 5), (1, 0, 5)]
    assert sorted((each.members, each.remote) for each in profile.communicators) == [
        ((0,), (1,)),
        ((1,), (0,)),
    ]


def test_messages_between_worlds_are_reported(programs: Programs, tmp_path: Path) -> None:
    program = programs.build("mpich-abi", "spawn.c")
    profile = programs.profile("mpich-abi", program, ranks=1, folder=tmp_path / "p").profile
    assert [each.world for each in profile.ranks] == [0, 1, 1]
    assert int((profile.calls.peer == OTHER_WORLD).sum()) == 8
    worlds, messages = (
        line.replace("\N{NO-BREAK SPACE}", " ") for line in troubles(Totals(profile))
    )
    assert worlds.startswith("2 MPI worlds ran under the command")
    assert f"rank 0 of {program.name}; ranks 1, 2 of {program.name}" in worlds
    assert messages.startswith("4 messages with 220 B went to ranks of another world")
    try:
        plan_of(profile)
    except UserError as error:
        assert "MPI_Send with ranks of another world left out: 4 calls" in str(error)
    else:
        raise AssertionError("messages between worlds were planned")


def test_communicators_may_come_and_go(programs: Programs, tmp_path: Path) -> None:
    program = programs.build("mpich-abi", "communicators.c")
    profile = programs.profile("mpich-abi", program, ranks=2, folder=tmp_path / "p").profile
    assert [total(profile, rank, "Iprobe") for rank in (0, 1)] == [10_000, 10_000]
    assert sum(each.untracked for each in profile.ranks) == 0
    # Of the same ranks they are the same, but for those that there are at once.
    assert len(profile.communicators) == 2 + 2 * 4
    probes = profile.calls.where(profile.calls.communicator >= 0)
    assert int(probes.count.sum()) >= 20_000


@pytest.mark.parametrize("stages", [1, 0])  # with MPI_Init, and with a session
def test_processes_that_start_at_once_belong_with_their_program(stages: int) -> None:
    started = [("a", 0), ("b", 0), ("b", 1), ("a", 1)]
    parts: Any = [
        SimpleNamespace(
            rank=rank,
            header={"start": {"realtime_ns": at}, "size": 2, "stages": stages},
            text={"program": program, "host": "node0"}.__getitem__,
        )
        for at, (program, rank) in enumerate(started)
    ]
    placed = [(each.world, each.part.text("program")) for each in _ranks(parts)]
    assert placed == [(0, "a"), (0, "a"), (1, "b"), (1, "b")]


def test_a_child_that_asks_for_mpi_is_no_rank(programs: Programs, tmp_path: Path) -> None:
    program = programs.build("mpich-abi", "forked.c")
    ended = programs.profile("mpich-abi", program, ranks=2, folder=tmp_path / "p")
    assert ended.code == 0, ended.err
    assert [(rank.rank, rank.world) for rank in ended.profile.ranks] == [(0, 0), (1, 0)]
    assert not troubles(Totals(ended.profile))
