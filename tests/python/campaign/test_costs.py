"""What launches cost, from their reports of progress."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from halocline.campaign.costs import Costs, Watch
from halocline.campaign.engine import Times
from halocline.campaign.plan import Span

WORKLOADS = {"a": "pingpong", "b": "pingpong", "c": "halo"}


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The times that are read, one after the other."""
    times: list[float] = []
    ticks: Iterator[float] = iter(times)
    monkeypatch.setattr("halocline.campaign.engine.monotonic", lambda: next(ticks))
    return times


def launched(watch: Watch, cases: int) -> Times:
    """A launch that begins so many cases."""
    times = Times()
    for _ in range(cases):
        times.case()
    times.end()
    watch.end(times)
    return times


def test_before_anything_was_seen() -> None:
    assert Costs(WORKLOADS, several_nodes=False).expected_s() == dict.fromkeys("abc", 0.01)
    assert Costs(WORKLOADS, several_nodes=True).expected_s() == dict.fromkeys("abc", 0.05)
    assert Costs(WORKLOADS, several_nodes=False).start_s == 0.5


def test_a_launch_reports_what_its_start_and_its_cases_take(clock: list[float]) -> None:
    costs = Costs(WORKLOADS, several_nodes=False)
    clock += [100.0, 102.0, 105.0, 106.0, 111.0]
    assert launched(costs.watch(["c", "a", "b"]), 3).took_s == 11.0
    # c took 3 s, a 1 s, b is taken for an average 2 s: 5 s are left for start and end.
    assert costs.start_s == 5.0
    assert costs.expected_s() == {"a": 1.0, "b": 1.5, "c": 3.0}


def test_cases_may_take_more_than_those_that_were_seen(
    clock: list[float],
) -> None:
    costs = Costs(WORKLOADS, several_nodes=False)
    clock += [0.0, 1.0, 3.0, 5.0]
    launched(costs.watch(["a", "b"]), 2)
    assert costs.expected_s() == {"a": 2.0, "b": 3.0, "c": 6.0}


def test_launches_that_fail_at_once(clock: list[float]) -> None:
    costs = Costs(WORKLOADS, several_nodes=False)
    clock += [0.0, 7.0]
    assert launched(costs.watch(["a"]), 0).took_s == 7.0
    assert costs.start_s == 7.0
    assert costs.expected_s() == dict.fromkeys("abc", 0.01)


def test_a_launch_of_one_case(clock: list[float]) -> None:
    costs = Costs(WORKLOADS, several_nodes=False)
    costs.assume("a", 0.25)
    clock += [0.0, 1.0, 1.5]
    assert launched(costs.watch(["a"]), 1).took_s == 1.5
    assert costs.start_s == 1.0
    assert costs.expected_s() == {"a": 0.5, "b": 0.75, "c": 1.5}


def test_a_case_that_is_alone_in_its_launches_is_known_after_one(clock: list[float]) -> None:
    costs = Costs(WORKLOADS, several_nodes=False)
    clock += [0.0, 1.0, 1.5]
    launched(costs.watch(["c"]), 1)
    assert costs.guessed == {"a", "b"}


def test_a_launch_says_how_much_slower_it_is_than_planned(clock: list[float]) -> None:
    costs = Costs({**WORKLOADS, "d": "pingpong"}, several_nodes=False)
    clock += [100.0, 101.0, 102.0, 105.0]
    watch = costs.watch(["a", "b", "c", "d"], guess_s=0.5)
    times = Times()
    assert watch.planned == Span(4 * 0.5, 0.5)
    for slower, rest_s in ((None, 2.0), (None, 1.5), (4.0, 1.0)):
        times.case()  # the first one begins after a second, its end says how long it took
        assert (watch.slower(times), watch.rest_s(times)) == (slower, rest_s)
    assert costs.guessed == {"a", "b", "c", "d"}
