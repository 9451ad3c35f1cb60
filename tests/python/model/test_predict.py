"""Messages of workloads by their definition, and what models make of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from findings.made_up import summary
from halocline.base.errors import UserError
from halocline.model.messages import curves
from halocline.model.model import Accuracy, Model, model
from halocline.model.parameters import NO_PROBE
from halocline.model.predict import HOCKNEY, LOGGP, MAX_RATE, NO_RATES, SHARED
from halocline.model.workloads import Copies, Demand, Untold, copies, demand
from halocline.specification.cases import AxisValue
from halocline.summary.summary import CaseSummary
from model.machine import EAGER, QUIET, RENDEZVOUS, case, messages, probes, time_s

NONE = Copies()
BOTH: dict[str, AxisValue] = {"pattern": "pingpong", "protocol": "isend_irecv"}
WHOLE: dict[str, AxisValue] = {
    "packing": "rank",
    "bundle": "whole",
    "grid": "64x128x16",
    "fields": 8,
}
OVERHEADS_S = 8e-7  # 2 o, by the probe


def halo(words: int, time: float = 1e-5, ranks: int = 2, **axes: AxisValue) -> CaseSummary:
    shape: dict[str, AxisValue] = {"width": 1, "grid_y": 0, "protocol": "isend_irecv", **axes}
    return case("halo", [time] * 8, shape, ranks=ranks, words=words)


def collective(workload: str, size: int, time: float = 1e-5, ranks: int = 2) -> CaseSummary:
    shape = {"timing": "synchronised", "structure": "flat"}
    return case(workload, [time] * 8, shape, ranks=ranks, bytes=size)


@pytest.mark.parametrize(
    ("asked", "phases"),
    [
        (halo(64), ((256, 256),)),
        (halo(64, grid_y=2), ((264, 264),)),
        (halo(64, ranks=6, width=2), ((512, 512), (544, 544))),
        (collective("alltoall", 64), ((64,),)),
        (collective("alltoall", 64, ranks=4), ((64, 64, 64),)),
        (collective("alltoallv", 64), ((85,),)),
        (collective("alltoallv", 1), ((1,),)),
        (collective("alltoallv", 40, ranks=3), ((40, 60),)),
        (
            case("redistribution", [1e-3], WHOLE, moved=2**20, protocol="persistent"),
            ((2**19,),),
        ),
    ],
)
def test_messages_of_workloads(asked: CaseSummary, phases: tuple[tuple[int, ...], ...]) -> None:
    found = demand(asked, NONE)
    assert found.phases == phases
    assert found.protocol == dict(asked.case.axes).get("protocol", "isend_irecv")
    assert found.left_out.startswith("copies are left out: ")


@pytest.mark.parametrize(
    ("packing", "moved", "ranks", "why"),
    [
        ("box", 64, 2, "only packing=rank bundle=whole is one message to each rank"),
        ("rank", 0, 2, "nothing moves between ranks"),
        ("rank", 64, 4, "who sends what to whom is known for two ranks only"),
    ],
)
def test_cases_without_a_prediction_say_why(packing: str, moved: int, ranks: int, why: str) -> None:
    shape = {**WHOLE, "packing": packing, "protocol": "persistent"}
    with pytest.raises(Untold, match=why):
        demand(case("redistribution", [1e-3], shape, moved=moved, ranks=ranks), NONE)


def test_copies_are_those_that_the_run_measured() -> None:
    alone = [halo(words, time, ranks=1) for words, time in ((1, 1e-6), (64, 3e-6))]
    plain = {"active": "all", "stores": "plain"}
    copied = [case("memory_copy", [each * 1e-10] * 8, plain, bytes=each) for each in (64, 2**20)]
    known = copies(summary(*alone, *copied))
    # A column is packed and unpacked where it is copied once on one rank; a row is in one piece.
    assert demand(halo(64), known).copies_s == pytest.approx(5e-6)
    assert demand(halo(64, grid_y=2), known).copies_s == pytest.approx(3e-6)
    assert demand(halo(65), known).left_out != ""
    between = demand(collective("alltoall", 1024), known)
    assert between.copies_s == pytest.approx(1024e-10)
    assert between == Demand(((1024,),), "isend_irecv", between.copies_s)
    # Of a block of 8 MiB half of half is sent: packed, unpacked, and the rest copied.
    moved = case("redistribution", [1e-3], WHOLE, moved=2**22, protocol="persistent")
    block = 64 * 128 * 16 * 8 * 8 // 2
    expected = (2 * 2**21 + block - 2**21) * 1e-10
    assert demand(moved, known).copies_s == pytest.approx(expected)


def test_copies_have_the_settings_and_ranks_of_their_case() -> None:
    """Whatever was measured last: other pages and more ranks copy at other speeds."""

    def with_pages(found: CaseSummary, pages: str) -> CaseSummary:
        settings = (("layout", "1N2P"), ("pages", pages))
        return replace(found, case=replace(found.case, configuration=settings))

    plain = {"active": "all", "stores": "plain"}
    copied = [
        with_pages(found, pages)
        for pages, ranks, slower in (("base", 2, 1.0), ("base", 4, 3.0), ("huge", 2, 0.5))
        for found in (
            *(
                case("memory_copy", [slower * size * 1e-10] * 8, plain, bytes=size, ranks=ranks)
                for size in (64, 2**20)
            ),
            *(halo(words, slower * words * 1e-6, ranks=1) for words in (1, 64)),
        )
    ]
    known = copies(summary(*copied[:4], *copied[8:]))
    for pages, faster in (("base", 1.0), ("huge", 0.5)):
        found = demand(with_pages(collective("alltoall", 1024), pages), known)
        assert found.copies_s == pytest.approx(faster * 1024e-10)
        assert demand(with_pages(halo(64), pages), known).copies_s == pytest.approx(faster * 127e-6)
    many = with_pages(collective("alltoall", 1024, ranks=4), "base")
    assert demand(many, known).left_out.endswith("active=all on 4 ranks with these settings")
    assert demand(many, copies(summary(*copied))).copies_s == pytest.approx(3 * 1024e-10)


def accuracies(found: Model) -> dict[tuple[str, str], Accuracy]:
    return {(each.workload, each.model): each for each in found.accuracies}


def test_each_model_says_what_its_assumptions_give() -> None:
    """Exact times: the second message of a phase costs its overheads and its bytes."""
    one, both = time_s(4096), time_s(4096, slower=2)
    extra = OVERHEADS_S + 4096 * EAGER[1]
    truth = both + OVERHEADS_S + 2 * 4096 * EAGER[1]
    found = model(
        summary(*messages(noise=QUIET), *probes(), halo(1024, truth), collective("alltoall", 4096))
    )
    first, second = found.predicted
    times_s = {name: each.time_s for name, each in first.by_model.items()}
    assert times_s[HOCKNEY] == pytest.approx(2 * one, rel=1e-6)
    assert times_s[LOGGP] == pytest.approx(one + extra, rel=1e-6)
    assert times_s[SHARED] == pytest.approx(truth, rel=1e-6)
    # So small messages do not fill the node: it carries two of the large ones.
    assert times_s[MAX_RATE] == pytest.approx(times_s[LOGGP], rel=1e-6)
    assert second.by_model[SHARED].time_s == pytest.approx(both, rel=1e-6)
    judged = accuracies(found)["halo", SHARED]
    assert (judged.cases, judged.rejected) == (1, "")
    assert judged.median_error == pytest.approx(0, abs=1e-6)


def test_messages_share_what_the_node_carries() -> None:
    """Two at once take twice as long: four, which were never measured, take four times."""
    size = 2**20
    found = model(
        summary(
            *messages(noise=QUIET),
            collective("alltoall", size),
            collective("alltoall", size, ranks=4),
        )
    )
    first, second = found.predicted
    assert first.by_model[MAX_RATE].time_s == pytest.approx(time_s(size, slower=2), rel=1e-3)
    assert second.by_model[MAX_RATE].reason == NO_PROBE
    assert second.by_model[SHARED].reason == "no times of 4 messages at once"
    probed = model(
        summary(*messages(noise=QUIET), *probes(), collective("alltoall", size, ranks=4))
    )
    (only,) = probed.predicted
    each, extra = time_s(size, slower=4), OVERHEADS_S + 4 * size * RENDEZVOUS[1]
    assert only.by_model[MAX_RATE].time_s == pytest.approx(each + 2 * extra, rel=1e-3)


def test_without_contention_there_are_no_rates() -> None:
    alone = [each for each in messages(noise=QUIET) if each.case.workload == "pingpong"]
    (only,) = model(summary(*alone, collective("alltoall", 64))).predicted
    assert only.by_model[MAX_RATE].reason == NO_RATES


def test_copies_within_a_node_are_no_messages() -> None:
    shape = {**WHOLE, "near": "shared", "protocol": "persistent"}
    asked = case("redistribution", [1e-3], shape, moved=2**20)
    with pytest.raises(Untold, match="near=shared copies within a node"):
        demand(asked, NONE, off_node=False)
    assert demand(asked, NONE, off_node=True).phases == ((2**19,),)


def test_pairs_of_several_nodes_do_not_share_one() -> None:
    """Two pairs between four nodes: each node has one of their messages."""
    pairs = [
        case("pairs", [1e-5] * 8, BOTH, ranks=4, layout=layout, off_node=True, pairs=2, bytes=size)
        for layout in ("4N1P", "2N2P")
        for size in (64, 128)
    ]
    at_once = {place.name: sorted(found) for (place, _), found in curves(summary(*pairs)).items()}
    assert at_once == {"mpich, between nodes": [2]}


def test_a_model_that_is_too_far_off_may_not_be_used() -> None:
    truth = time_s(4096, slower=2)
    found = model(
        summary(*messages(noise=QUIET), *probes(), collective("alltoall", 4096, truth / 0.7))
    )
    judged = accuracies(found)["alltoall", SHARED]
    assert judged.rejected == "its median error is 30 %; 15 % are allowed"
    assert judged.worst_error == pytest.approx(0.3)


def test_a_protocol_in_turns_waits_for_both_ways() -> None:
    turned = [
        case(
            each.case.workload,
            list(each.figures_s.values()),
            bytes=int(each.case.axis("bytes")),
            protocol="send_recv",
        )
        for each in messages(noise=QUIET)
    ]
    (first,) = model(summary(*turned, halo(1024, protocol="send_recv"))).predicted
    assert first.by_model[HOCKNEY].time_s == pytest.approx(4 * time_s(4096), rel=1e-6)
    assert first.by_model[SHARED].time_s == pytest.approx(2 * time_s(4096, slower=2), rel=1e-6)


def test_without_a_probe_a_second_message_cannot_be_predicted() -> None:
    found = model(summary(*messages(noise=QUIET), halo(1024), collective("alltoall", 64)))
    assert accuracies(found)["halo", LOGGP].rejected == NO_PROBE
    assert accuracies(found)["alltoall", LOGGP].cases == 1


def test_places_are_kept_apart() -> None:
    there = messages(noise=QUIET, layout="2N1P", off_node=True)
    found = model(summary(*messages(noise=QUIET, off_node=False), *there, halo(16)))
    assert [each.place.name for each in found.messages] == [
        "mpich, on node",
        "mpich, between nodes",
    ]
    assert {each.place.off_node for each in found.predicted} == {False}


def test_cases_without_messages_are_reported() -> None:
    found = model(summary(*messages(noise=QUIET), halo(16, protocol="persistent")))
    assert found.unpredicted == {"halo, mpich, on node: no times of messages over persistent": 1}
    with pytest.raises(UserError, match="no times of single messages"):
        model(summary(halo(16)))
