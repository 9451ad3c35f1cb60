"""A plan has the calls, bytes and peers of its profile, and a profile of its run has them too."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from halocline.base.errors import UserError
from halocline.mpi.build import abi_driver
from halocline.profile.profile import (
    NO_PEER,
    NOBODY,
    OTHER_WORLD,
    UNKNOWN_PEER,
    Calls,
    Communicator,
    Profile,
)
from halocline.profile.replay.collectives import transported
from halocline.profile.replay.exchanges import Edge, calls_of, circles
from halocline.profile.replay.order import check_order
from halocline.profile.replay.plan import Call, Plan, plan_of
from halocline.profile.replay.rounds import Rounds, rounds_of, spread
from halocline.profile.replay.rows import Deviations, rows_of
from halocline.profile.replay.write import write_experiment
from halocline.profile.run import record
from profiles.made import made
from profiles.model import STEPS, model, truth
from profiles.programs import library_of

Made = Counter[tuple[int, str, int, int, int]]


def calls_and_bytes(profile: Profile, functions: set[str]) -> Made:
    """By rank, function, peer and root: calls, and bytes sent and received."""
    found: Made = Counter()
    for row in rows_of(profile, Deviations()):
        if row.function in functions:
            for what, number in enumerate((row.count, row.sent, row.received)):
                found[row.rank, row.function, row.peer, row.root, what] += number
    return +found


def planned(plan: Plan) -> Counter[tuple[int, str]]:
    """How often each rank calls what."""
    found: Counter[tuple[int, str]] = Counter()
    for block in plan.blocks:
        for rank, calls in block.calls.items():
            for call in calls:
                found[rank, call.function] += block.repeats
    return found


def with_rows(ranks: int, functions: tuple[str, ...], rows: list[dict[str, int]]) -> Profile:
    """A profile of just these calls."""
    names = list(Calls.__dataclass_fields__)
    usual = dict.fromkeys(names, 0) | {"root": NO_PEER, "peer": NO_PEER}
    columns = {name: [(usual | row)[name] for row in rows] for name in names}
    return replace(
        made(ranks),
        functions=functions,
        moves=("none",) * len(functions),
        communicators=(Communicator("world", tuple(range(ranks))),),
        calls=Calls.of(**columns),
    )


@pytest.mark.parametrize("ranks", [1, 2, 5])
def test_a_plan_has_every_call_and_byte_and_repeats_the_steps(ranks: int) -> None:
    profile = model(ranks)
    plan = plan_of(profile)
    assert plan.deviations == ()
    assert plan.moved_bytes == truth(ranks).bytes
    assert [block.repeats for block in plan.blocks] == [STEPS - 1, 1]
    found = planned(plan)
    for row in rows_of(profile, Deviations()):
        if row.function not in ("Init", "Finalize", "Comm_rank"):
            found[row.rank, row.function] -= row.count
    assert set(found.values()) == {0}


def test_uneven_counts_and_sizes_are_made_to_the_byte() -> None:
    sends = {"function": 0, "rank": 0, "peer": 1, "count": 7, "messages": 7, "bytes_sent": 100}
    receives = {"function": 1, "rank": 1, "peer": 0, "count": 7, "bytes_received": 120}
    plan = plan_of(with_rows(2, ("MPI_Send", "MPI_Recv"), [sends, receives]))
    sent = sum(block.repeats * call.values[3] for block in plan.blocks for call in block.calls[0])
    room = sum(block.repeats * call.values[3] for block in plan.blocks for call in block.calls[1])
    assert (sent, room) == (100, 120)


def test_receives_from_anybody_take_what_no_other_receive_does() -> None:
    sends = [
        {"function": 0, "rank": rank, "peer": 0, "count": 2, "messages": 2, "bytes_sent": 16}
        for rank in (1, 2)
    ]
    named = {"function": 1, "rank": 0, "peer": 1, "count": 1, "bytes_received": 8}
    any_ = {"function": 1, "rank": 0, "peer": -2, "count": 3, "bytes_received": 24}
    plan = plan_of(with_rows(3, ("MPI_Isend", "MPI_Irecv"), [*sends, named, any_]))
    posted = [
        call.values
        for block in plan.blocks
        for call in block.calls[0]
        for _ in range(block.repeats)
    ]
    receives = [values for values in posted if len(values) == 6]
    assert sorted((values[1], values[4]) for values in receives) == [
        (-2, 1),
        (-2, 2),
        (-2, 2),
        (1, 1),
    ]
    assert len({values[2] for values in receives}) == 3  # a tag for each flow
    assert any("MPI_Waitall added" in line for line in plan.deviations)


def test_waits_go_where_there_is_something_to_wait_for() -> None:
    rows = [{"function": 2, "rank": rank, "count": 20} for rank in (0, 1)]
    for count, size_class in ((13, 4), (7, 5)):
        common = {"count": count, "messages": count, "size_class": size_class}
        rows.append(common | {"function": 0, "rank": 0, "peer": 1, "bytes_sent": 8 * count})
        rows.append(common | {"function": 1, "rank": 1, "peer": 0, "bytes_received": 8 * count})
    plan = plan_of(with_rows(2, ("MPI_Isend", "MPI_Irecv", "MPI_Wait"), rows))
    assert plan.deviations == ()
    assert planned(plan) == {(0, "Isend"): 20, (1, "Irecv"): 20, (0, "Wait"): 20, (1, "Wait"): 20}


def test_what_cannot_be_replayed_is_reported() -> None:
    rows = [
        {"function": 0, "rank": rank, "peer": 1 - rank, "count": 3, "messages": 3, "bytes_sent": 9}
        for rank in (0, 1)
    ]
    rows += [
        {"function": 1, "rank": rank, "peer": 1 - rank, "count": 3, "bytes_received": 9}
        for rank in (0, 1)
    ]
    rows += [
        {"function": 2, "rank": 0, "count": 5},
        {"function": 1, "rank": 0, "count": 1, "peer": 1},
    ]
    plan = plan_of(with_rows(2, ("MPI_Irsend", "MPI_Irecv", "MPI_Accumulate"), rows))
    deviations = "\n".join(plan.deviations)
    assert "MPI_Accumulate left out: 5 calls" in deviations
    assert "MPI_Irsend replayed as MPI_Isend: 6 calls" in deviations
    assert "MPI_Irecv without a matching send left out: 1 call" in deviations
    with pytest.raises(
        UserError, match="can be replayed: MPI_Accumulate left out: 1 call; allowed: "
    ):
        plan_of(with_rows(1, ("MPI_Accumulate",), [{"count": 1}]))


def started(rank: int, function: int, bytes_: dict[str, int]) -> dict[str, int]:
    """Messages that MPI_Start or MPI_Startall has started, of a ring of two ranks."""
    return {"function": function, "rank": rank, "peer": 1 - rank, "size_class": 4} | bytes_


@pytest.mark.parametrize("together", [False, True])
def test_persistent_requests_are_made_once_and_started_often(together: bool) -> None:
    names = ("MPI_Send_init", "MPI_Recv_init", "MPI_Start", "MPI_Startall", "MPI_Waitall")
    steps, fields = 20, 3
    rows = []
    for rank in (0, 1):
        for function in (0, 1):
            rows.append({"function": function, "rank": rank, "peer": 1 - rank, "count": fields})
        messages = steps * fields
        for kind in ("bytes_sent", "bytes_received"):
            moved = {"messages": messages, kind: 8 * messages}
            rows.append(started(rank, 3 if together else 2, moved))
        calls = {"function": 3, "count": steps} if together else {"function": 2}
        rows.append({"rank": rank, "count": 2 * messages, **calls})
        rows.append({"function": 4, "rank": rank, "count": steps})
    plan = plan_of(with_rows(2, names, rows))
    assert plan.deviations == ()
    assert [block.repeats for block in plan.blocks] == [1, steps - 1, 1]
    found = planned(plan)
    for rank in (0, 1):
        assert found[rank, "Send_init"] == found[rank, "Recv_init"] == fields
        assert found[rank, "Startall" if together else "Start"] == (
            steps if together else 2 * steps * fields
        )
    numbers = [
        number
        for block in plan.blocks[1:]
        for call in block.calls[0]
        if call.function.startswith("Start")
        for number in call.values * block.repeats
    ]
    assert Counter(numbers) == dict.fromkeys(range(2 * fields), steps)


def test_started_messages_are_matched_by_their_requests_and_nobody_is_started() -> None:
    """Room is larger than what comes; the ranks at the ends have a neighbour that is none."""
    names = ("MPI_Send_init", "MPI_Recv_init", "MPI_Start", "MPI_Waitall")
    steps = 100
    rows = []
    for rank in (0, 1):
        for peer in (1 - rank, NOBODY):
            rows += [
                {"function": made_by, "rank": rank, "peer": peer, "count": 1} for made_by in (0, 1)
            ]
        moved = {"messages": 2 * steps, "bytes_sent": 9 * steps, "bytes_received": 16 * steps}
        rows.append(started(rank, 2, moved | {"size_class": 5}))
        rows.append(started(rank, 2, {"peer": NOBODY, "size_class": 0}))
        rows.append({"function": 2, "rank": rank, "count": 4 * steps})
        rows.append({"function": 3, "rank": rank, "count": steps})
    plan = plan_of(with_rows(2, names, rows))
    assert plan.deviations == ()
    assert planned(plan)[0, "Start"] == 4 * steps
    made_calls = plan.blocks[0].calls[0]
    assert Counter((call.function, call.values[1]) for call in made_calls) == {
        (name, peer): 1 for name in ("Send_init", "Recv_init") for peer in (1, -1)
    }


def test_requests_from_anybody_and_idle_ones() -> None:
    names = ("MPI_Send_init", "MPI_Recv_init", "MPI_Barrier", "MPI_Start")
    rows = [
        {"function": 0, "rank": 0, "peer": 1, "count": 5000},
        {"function": 1, "rank": 1, "peer": UNKNOWN_PEER, "count": 1},
        *({"function": 2, "rank": rank, "count": 1} for rank in (0, 1)),
    ]
    plan = plan_of(with_rows(2, names, rows))
    assert len(plan.blocks[0].calls[0]) == 1000
    assert "MPI_Send_init left out, as fewer are enough: 4000 calls" in plan.deviations
    (idle,) = plan.blocks[0].calls[1]
    assert (idle.function, idle.values[1]) == ("Recv_init", -2)


def test_started_collectives_are_left_out_and_named() -> None:
    rows = [
        {"function": 0, "rank": 0, "count": 5},
        started(0, 0, {"messages": 5, "bytes_sent": 320, "peer": NO_PEER}),
        *({"function": 1, "rank": rank, "count": 1} for rank in (0, 1)),
    ]
    plan = plan_of(with_rows(2, ("MPI_Start", "MPI_Barrier"), rows))
    assert "MPI_Start of a persistent collective left out: 5 calls" in plan.deviations


def test_requests_that_do_not_suffice_are_added_and_reported() -> None:
    names = ("MPI_Ssend_init", "MPI_Irecv", "MPI_Start", "MPI_Waitall", "MPI_Bsend_init")
    rows = [
        {"function": 0, "rank": 0, "peer": 1, "count": 1},
        {"function": 4, "rank": 0, "peer": 0, "count": 2},
        {"function": 2, "rank": 0, "count": 6},
        started(0, 2, {"messages": 6, "bytes_sent": 50}),
        {"function": 1, "rank": 1, "peer": 0, "count": 6, "bytes_received": 60},
        *({"function": 3, "rank": rank, "count": 3} for rank in (0, 1)),
    ]
    plan = plan_of(with_rows(2, names, rows))
    deviations = "\n".join(plan.deviations)
    assert "MPI_Send_init added, as sizes vary or several are in flight" in deviations
    assert "MPI_Bsend_init replayed as MPI_Send_init: 2 calls" in deviations
    made = [call for call in plan.blocks[0].calls[0] if call.function.endswith("_init")]
    assert made[0].function == "Ssend_init" and len(made) > 3
    sent = sum(
        block.repeats * made[call.values[0]].values[3]
        for block in plan.blocks[1:]
        for call in block.calls[0]
        if call.function == "Start"
    )
    assert (planned(plan)[0, "Start"], sent) == (6, 50)


def test_puts_and_gets_between_fences() -> None:
    names = ("MPI_Put", "MPI_Get", "MPI_Win_fence")
    steps = 20
    put = {"function": 0, "rank": 0, "peer": 1, "count": 2 * steps, "bytes_sent": 50 * steps}
    get = {"function": 1, "rank": 1, "peer": 0, "count": steps, "bytes_received": 8 * steps}
    fences = [{"function": 2, "rank": rank, "count": steps + 1} for rank in (0, 1)]
    plan = plan_of(with_rows(2, names, [put, get, *fences]))
    assert plan.deviations == ()
    assert plan.windows == ((0, 25),)
    assert plan.moved_bytes == 58 * steps
    assert [block.repeats for block in plan.blocks] == [1, steps - 1, 1]
    body = [(call.function, call.values) for call in plan.blocks[1].calls[0]]
    assert body == [("Put", (0, 1, 25)), ("Put", (0, 1, 25)), ("Win_fence", (0,))]
    assert planned(plan) == {
        (0, "Put"): 2 * steps,
        (1, "Get"): steps,
        **{(rank, "Win_fence"): steps + 1 for rank in (0, 1)},
    }


def test_accesses_without_fences_of_all_ranks_are_reported() -> None:
    put = {"function": 0, "rank": 0, "peer": 1, "count": 4, "bytes_sent": 32}
    rows = [put, {"function": 1, "rank": 0, "count": 3}, {"function": 1, "rank": 1, "count": 1}]
    rows += [{"function": 2, "rank": rank, "count": 1} for rank in (0, 1)]
    plan = plan_of(with_rows(2, ("MPI_Put", "MPI_Win_fence", "MPI_Barrier"), rows))
    assert plan.deviations == (
        "MPI_Put outside fences left out: 4 calls",
        "MPI_Win_fence not made by all ranks left out: 4 calls",
    )


@pytest.mark.parametrize(
    ("receive", "meeting", "stays"),
    [
        ("MPI_Irecv", "MPI_Barrier", True),
        ("MPI_Irecv", "MPI_Allreduce", True),
        ("MPI_Irecv", "MPI_Reduce", False),
        ("MPI_Recv", "MPI_Barrier", False),
    ],
)
def test_ready_sends_stay_where_their_receives_are_posted(
    receive: str, meeting: str, stays: bool
) -> None:
    names = ("MPI_Rsend", receive, meeting, "MPI_Waitall")
    sends = {"function": 0, "rank": 0, "peer": 1, "count": 6, "messages": 6, "bytes_sent": 48}
    receives = {"function": 1, "rank": 1, "peer": 0, "count": 6, "bytes_received": 48}
    bytes_ = {"bytes_sent": 24, "bytes_received": 24} if meeting != "MPI_Barrier" else {}
    root = {"root": 0} if meeting == "MPI_Reduce" else {}
    meets = [{"function": 2, "rank": rank, "count": 3, **bytes_, **root} for rank in (0, 1)]
    waits = {"function": 3, "rank": 1, "count": 3}
    plan = plan_of(with_rows(2, names, [sends, receives, *meets, waits]))
    assert planned(plan)[0, "Rsend" if stays else "Send"] == 6
    assert ("MPI_Rsend replayed as MPI_Send: 6 calls" in plan.deviations) == (not stays)
    for block in plan.blocks:
        order = [call.function for call in block.calls[0]]
        assert not stays or order.index("Rsend") > order.index(meeting.removeprefix("MPI_"))


def test_calls_over_communicators_that_a_plan_lacks_are_left_out() -> None:
    names = ("MPI_Send", "MPI_Recv")
    rows = [
        {"function": function, "rank": rank, "peer": peer, "count": 3, "messages": 3}
        for function, rank, peer in ((0, 0, 1), (1, 1, 0))
    ]
    whole = with_rows(3, names, rows)
    for communicator, reason in (
        (Communicator("", (0, 1), (2,)), "over an intercommunicator left out"),
        (Communicator("", (0, OTHER_WORLD)), "with ranks of another world left out"),
        (Communicator("", (0, 2)), "with an unknown communicator left out"),
    ):
        strange = replace(whole, communicators=(communicator,))
        with pytest.raises(UserError, match=f"has no call .*: MPI_Recv {reason}: 3 calls"):
            plan_of(strange)


def test_profiles_that_lack_ranks_are_refused() -> None:
    profile = model(3)
    for lacking in (
        replace(profile, ranks=profile.ranks[1:]),
        replace(profile, missing=(3,)),  # the last one of four
    ):
        with pytest.raises(UserError, match="lacks ranks"):
            plan_of(lacking)


def test_ranks_that_wait_for_each_other_are_found() -> None:
    send, receive = (0, 1, 1, 8), (0, 0, 1, 8, 0, 8)
    good = {0: [Call("Send", send)], 1: [Call("Recv", receive)]}
    check_order(good, [(0, 1)])
    back, forth = (0, 0, 2, 8), (0, 1, 2, 8, 1, 8)
    both = {
        0: [Call("Send", send), Call("Recv", forth)],
        1: [Call("Send", back), Call("Recv", receive)],
    }
    with pytest.raises(
        UserError, match="no order without deadlock exists for the calls of ranks 0, 1"
    ):
        check_order(both, [(0, 1)])


def test_exchanges_fall_into_circles() -> None:
    def edge(source: int, destination: int) -> Edge:
        return Edge(source, destination, (0, destination, 1, 8), (0, source, 1, 8, source, 8))

    edges = [edge(*ends) for ends in ((0, 1), (1, 2), (2, 0), (0, 2), (2, 1), (1, 0), (2, 2))]
    found = list(circles(edges))
    assert sorted(map(id, edges)) == sorted(id(each) for circle in found for each in circle)
    calls: dict[int, list[Call]] = {0: [], 1: [], 2: []}
    for circle in found:
        for rank, function, values in calls_of(circle):
            calls[rank].append(Call(function, values))
    check_order(calls, [(0, 1, 2)])
    assert [len(own) for own in calls.values()] == [2, 2, 3]


def test_rounds_and_totals() -> None:
    assert rounds_of([200, 200, 400, 1]) == Rounds(199)
    assert rounds_of([1]) == Rounds(0)
    for count, total in ((7, 100), (200, 12_345), (3, 0), (1, 5)):
        rounds = Rounds(2)
        each, rest = rounds.sizes(count, total)
        assert rounds.repeats * rounds.body(count) * each + sum(rest) == total
        assert rounds.repeats * rounds.body(count) + len(rest) == count
    assert spread(7, 3) == (3, 2, 2)
    moved = transported((10, 0, 7), (3, 13, 1))
    assert moved.sum(axis=1).tolist() == [10, 0, 7] and moved.sum(axis=0).tolist() == [3, 13, 1]


@pytest.mark.launches
def test_a_profile_of_the_replay_is_the_profile(tmp_path: Path) -> None:
    """Of all functions that a plan can have: the driver's example, replayed from its profile."""
    driver, launcher = abi_driver(print), str(library_of("mpich-abi").launcher)
    code, first = record(
        [launcher, "-n", "3", str(driver), "--replay", "example"], tmp_path / "first.profile"
    )
    assert code == 0 and first is not None
    plan = plan_of(first)
    experiment = write_experiment(first, plan, tmp_path / "replay")
    (file,) = experiment.parent.glob("plan-*.txt")
    code, again = record(
        [launcher, "-n", "3", str(driver), "--replay", str(file)], tmp_path / "again.profile"
    )
    assert code == 0 and again is not None
    functions = {name for _, name in planned(plan)}
    assert len(functions) > 30
    assert calls_and_bytes(again, functions) == calls_and_bytes(first, functions)
    assert not [line for line in plan.deviations if not re.match("MPI_(Comm|Win)_", line)]
