"""The budget of a comparison is kept by fewer cases, never by fewer launches than say something."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from halocline.campaign.log import Launched
from halocline.campaign.pace import PROBED, Limits, Pace


class Clock:
    """A clock that the test advances by the time of each launch."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now_s = 0.0
        monkeypatch.setattr("halocline.campaign.pace.monotonic", lambda: self.now_s)


def taken(
    cases: int, took_s: float, starting_s: float, *, whole: bool = True, launch: int = 1
) -> Launched:
    """A turn that took so long."""
    return Launched(launch=launch, cases=cases, took_s=took_s, starting_s=starting_s, whole=whole)


def run(
    clock: Clock,
    parts: tuple[int, ...],
    budget_s: float,
    case_s: float,
    starts_s: Callable[[int], float] = lambda _: 1.0,
) -> tuple[Pace, dict[int, int]]:
    """Launches until all is done, each case at this cost; how often each was measured.

    `starts_s`: what a launch with so many before it takes to start.
    """
    pace = Pace(Limits(8, 20, budget_s), parts, began_s=0.0)
    launches: dict[int, int] = {}
    while due := pace.due():
        starting_s = starts_s(pace.done)
        took_s = starting_s + case_s * len(due)
        clock.now_s += took_s
        for case in due:
            launches[case] = launches.get(case, 0) + 1
        pace.launched(taken(len(due), took_s, starting_s))
    return pace, launches


@pytest.mark.parametrize("case_s", [0.01, 0.05, 0.4, 1.3])
def test_the_budget_is_kept_whatever_a_case_costs(
    case_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(monkeypatch)
    pace, launches = run(clock, (12, 100, 300, 600), 240.0, case_s)
    assert clock.now_s <= 240.0 * 1.15
    assert pace.kept >= 12
    assert all(launches[case] >= 8 for case in range(pace.kept))


def test_cases_that_all_fit_get_as_many_launches_as_there_is_time_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Clock(monkeypatch)
    pace, launches = run(clock, (4,), 1000.0, 0.05)
    assert pace.kept == 4
    assert set(launches.values()) == {20}
    again = Clock(monkeypatch)  # from 0 again
    _, fewer = run(again, (4,), 15.0, 0.05)
    assert set(fewer.values()) == {12}


def test_cases_that_a_side_skips_take_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    pace = Pace(Limits(10, 20, 240.0), (100,), began_s=0.0)
    while due := set(pace.due()) - pace.unable:
        pace.unable |= {case for case in due if case % 3 == 0}
        measured = len(due - pace.unable)
        clock.now_s += 1.0 + 0.25 * measured
        pace.launched(taken(len(due), 1.0 + 0.25 * measured, 1.0))
    assert pace.kept == 100
    assert clock.now_s <= 240.0 * 1.15


def test_a_launch_that_failed_does_not_count() -> None:
    pace = Pace(Limits(8, 8, 240.0), (4,))
    for whole in (True, False, True):
        pace.launched(taken(4, 1.0, 0.5, whole=whole))
    assert pace.done == 2


def test_the_first_launch_of_many_cases_measures_a_few(monkeypatch: pytest.MonkeyPatch) -> None:
    Clock(monkeypatch)
    pace = Pace(Limits(8, 20, 240.0), (12, 500), began_s=0.0)
    first = pace.due()
    assert PROBED <= len(first) <= 2 * PROBED
    assert first[-1] > 400


def test_no_case_is_left_out_because_launches_are_slow_to_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """To leave it out would save nothing."""
    clock = Clock(monkeypatch)
    pace, launches = run(clock, (4,), 20.0, 0.05, lambda done: 5.0 if done == 0 else 2.5)
    assert pace.kept == 4
    assert set(launches.values()) == {8}


def test_a_single_launch_that_was_held_up_leaves_nothing_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Clock(monkeypatch)
    pace, _ = run(clock, (4, 40), 36.0, 0.05, lambda done: 9.0 if done == 3 else 1.0)
    assert pace.kept == 40
    for slow in (0, 1):
        again = Clock(monkeypatch)
        pace, _ = run(again, (4,), 20.0, 0.2, lambda done: 6.0 if done == slow else 1.0)  # noqa: B023
        assert pace.kept == 4


def test_what_was_stopped_goes_on_as_if_it_had_not_been(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    whole, _ = run(clock, (12, 500), 100.0, 0.1)
    clock.now_s = 0.0
    launches: list[Launched] = []
    first = Pace(Limits(8, 20, 100.0), (12, 500), began_s=0.0)
    for _ in range(5):
        due = len(first.due())
        took_s = 1.0 + 0.1 * due
        clock.now_s += took_s
        launches.append(taken(due, took_s, 1.0))
        first.launched(launches[-1])
    clock.now_s += 3600.0  # nobody measured
    second = Pace(Limits(8, 20, 100.0), (12, 500), began_s=clock.now_s)
    second.replay(launches)
    assert (second.kept, second.done) == (first.kept, 5)
    assert second.left.seconds == pytest.approx(left(first))
    assert second.kept == whole.kept


def test_what_a_side_skips_takes_no_room_after_a_stop_either(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Clock(monkeypatch)
    unable = set(range(0, 400, 2))  # every other case
    since: dict[int, int] = {}  # the launch that showed it
    launches: list[Launched] = []
    first = Pace(Limits(8, 20, 100.0), (100, 400), began_s=0.0)
    for _ in range(4):
        due = set(first.due()) - first.unable
        since |= dict.fromkeys(unable & due, len(launches) + 1)
        first.unable |= unable & due
        took_s = 1.0 + 0.05 * len(due)
        clock.now_s += took_s
        launches.append(taken(len(due), took_s, 1.0, launch=len(launches) + 1))
        first.launched(launches[-1])
    second = Pace(Limits(8, 20, 100.0), (100, 400), began_s=clock.now_s)
    second.replay(launches, since)
    assert (second.kept, second.done, second.unable) == (first.kept, 4, first.unable)


def left(pace: Pace) -> float:
    """The seconds left, were it now."""
    pace.began_s += 3600.0
    return pace.left.seconds


def test_one_case_is_measured_however_long_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    _, launches = run(Clock(monkeypatch), (3,), 2.0, 5.0)
    assert launches[0] == 8


def test_what_is_left_is_never_more_than_the_budget_unless_the_fewest_launches_are() -> None:
    pace = Pace(Limits(8, 400, 240.0), (4,))
    assert pace.left.at_most
    assert pace.left.seconds <= 240.0
    for _ in range(3):
        pace.launched(taken(4, 60.0, 1.0))
    assert not pace.left.at_most
    pace = Pace(Limits(8, 8, 1.0), (1,))
    for _ in range(3):
        pace.launched(taken(1, 60.0, 1.0))
    assert pace.left.seconds == pytest.approx(5 * 60.0)
