"""Launches that do not count: what is said, when a run stops early, and how it ends."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

import pytest

from halocline.base.errors import RunFailed
from halocline.launch.completion import append_record
from halocline.launch.job import Job, Outcome
from halocline.samples.run_folder import RunFolder, open_run
from halocline.summary.summary import of_run
from mock_runs import Heard, OnProgress, Start, carry_out, exact, under_load
from samples_records import alter

Begin = Callable[..., RunFolder]

ALL_LOST = "other work took 100 % of the time"
AT_ONCE = (
    f"mpich launch 1 is discarded: {ALL_LOST}. While that work runs, nothing can be "
    "measured on one node: end it (`top` shows it), or run `halocline compare A B`, whose sides "
    "take turns and share the load"
)
NO_MORE = "3 launches in a row were discarded (12 s): no more are started on one node"


@pytest.fixture(autouse=True)
def two_cores_and_a_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A launch of three cases takes 4 s."""
    monkeypatch.setattr("halocline.campaign.lost.cores_of_a_node", lambda *_: 2)
    monkeypatch.setattr("halocline.campaign.engine.monotonic", map(float, count()).__next__)


def failed(folder: RunFolder, start: Start, heard: Heard) -> str:
    with pytest.raises(RunFailed) as raised:
        carry_out(folder, start, heard)
    return str(raised.value)


def disturbed(*launches: int, label: str = "") -> Start:
    """These launches are under load, of any label or of one."""

    def start(job: Job, on_progress: OnProgress) -> Outcome:
        lost = job.launch in launches and label in ("", job.label)
        return (under_load if lost else exact)(job, on_progress)

    return start


def test_a_run_of_which_nothing_counts_stops_early_and_fails(begun: Begin) -> None:
    folder, heard = begun(launches_maximum=100, budget_s=100.0), Heard()
    assert failed(folder, under_load, heard) == (
        f"no figure for 3 of 3 cases: {ALL_LOST}; what was measured is saved in {folder.path}; "
        f"end that work and resume with `halocline run --resume {folder.path}`"
    )
    assert heard.launches == ["mpich 1: 3", "mpich 2: 3", "mpich 3: 3"]
    assert heard.said[-2:] == [AT_ONCE, NO_MORE]
    for case in of_run(folder.path).cases:
        assert case.status == "refused"
        assert case.reason.startswith(ALL_LOST)


def test_it_can_be_resumed_once_the_other_work_has_ended(begun: Begin) -> None:
    folder = begun(launches_minimum=4, launches_maximum=8, budget_s=100.0)
    failed(folder, under_load, Heard())
    carry_out(open_run(folder.path))
    assert {case.status for case in of_run(folder.path).cases} == {"measured"}


def test_with_two_libraries_the_comparison_is_named(begun: Begin) -> None:
    folder, heard = begun(mpi=("a", "b"), launches_maximum=9), Heard()
    failed(folder, under_load, heard)
    (said,) = [line for line in heard.said if "is discarded" in line]
    assert "run `halocline compare a b`, whose" in said


def test_launches_lost_now_and_then_are_made_up_for_and_reported_once(begun: Begin) -> None:
    folder = begun(launches_minimum=9, launches_maximum=30, budget_s=600.0)
    heard = carry_out(folder, disturbed(1, 2, 4, 5, 7, 8))
    assert heard.said == [AT_ONCE]
    assert {len(case.figures_s) for case in of_run(folder.path).cases} == {9}


def test_what_is_given_up_on_a_node_is_tried_again_after_what_is_between(begun: Begin) -> None:
    settings = (("layout", ("1N2P", "2N1P")),)
    folder = begun(configuration=settings, launches_minimum=9, launches_maximum=20, budget_s=118.0)
    heard = carry_out(folder, disturbed(1, 2, 3, label="mpich"))
    assert heard.said[-2:] == [AT_ONCE, NO_MORE]
    names = [line.partition(":")[0] for line in heard.launches]
    between = "mpich layout=2N1P 9"
    assert names[names.index(between) + 1 :] == [f"mpich {launch}" for launch in range(4, 13)]
    assert {len(case.figures_s) for case in of_run(folder.path).cases} == {9}


def test_cases_that_other_work_left_without_a_figure_fail_the_run(begun: Begin) -> None:
    settings = (("layout", ("1N2P", "2N1P")),)
    folder, heard = begun(configuration=settings, launches_maximum=100, budget_s=100.0), Heard()
    lost = disturbed(*range(1, 100), label="mpich")
    assert failed(folder, lost, heard).startswith(f"no figure for 3 of 6 cases: {ALL_LOST}; ")
    assert sum(line.startswith("mpich ") and "layout" not in line for line in heard.launches) == 4


def test_more_ranks_than_cores_are_named_as_the_cause(
    begun: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("halocline.campaign.lost.cores_of_a_node", lambda *_: 1)
    folder, heard = begun(launches_maximum=100, budget_s=100.0), Heard()
    assert failed(folder, under_load, heard).startswith("no figure for any of 3 cases (refused: ")
    assert heard.said[-2:] == [
        "mpich launch 1 is discarded: ranks sharing cores waited for each other 100 % of the "
        "time. Use no more ranks than cores",
        f"{NO_MORE} with more ranks than cores",
    ]


def test_a_run_whose_cases_are_all_skipped_fails_with_the_reason(begun: Begin) -> None:
    folder = begun()

    def start(job: Job, on_progress: OnProgress) -> Outcome:
        outcome = exact(job, on_progress)
        skipped = '"status":"skipped","reason":"no shared memory"'
        alter(folder.samples, '"status":"measured","reason":""', skipped)
        return outcome

    why = "no figure for any of 3 cases (skipped: no shared memory); what was measured is saved in"
    assert failed(folder, start, Heard()).startswith(why)


def test_a_launch_that_failed_is_no_launch_under_load(begun: Begin) -> None:
    folder, heard = begun(), Heard()

    def start(job: Job, on_progress: OnProgress) -> Outcome:
        append_record(job, {"type": "failure", "reason": "killed"})
        return Outcome(False, "killed")

    assert failed(folder, start, heard).startswith("mpich: killed; ")
    assert heard.said == ["mpich launch 1 failed: killed"]
