"""The engine on the mock machine: order, budget, resume, lost launches, interruption."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from halocline.base.errors import Interrupted, RunFailed, UserError
from halocline.base.progress import Estimate
from halocline.base.toolchain import Family, Toolchain
from halocline.campaign.engine import Launch, OnCase, Policy, Times, carry_out
from halocline.campaign.log import Launched, Log, of_turns, read
from halocline.campaign.starters import mocked
from halocline.launch.job import Job, NodeMemory, Outcome, Progress
from halocline.samples.dataset import load
from mock_runs import Heard

REMEDY = "resume it"
MOCK = Toolchain("mpich", Family.MPICH, "mock", Path("/nonexistent"), Path("/nonexistent"))
MakeJob = Callable[..., Job]


@pytest.fixture
def make_job(tmp_path: Path) -> MakeJob:
    def make(launch: int, cases: tuple[str, ...] = ("0a pingpong bytes=8",)) -> Job:
        return Job(MOCK, 2, launch, cases, tmp_path / "samples.jsonl")

    return make


def exact(make_job: MakeJob, log: Log, launches: int) -> Policy[Job]:
    """As many launches, those of the log included."""
    while (number := 1 + len(log.entries)) <= launches:
        job = make_job(launch=number, cases=("0a pingpong bytes=8", "0b pingpong bytes=64"))
        done = yield Launch("mpich", number, (job,), 2, Estimate(1.0), turn=number)
        assert [each.ok for each in done.outcomes] == [True]
        assert len(done.times.cases_s) == 2


def measured(make_job: MakeJob, folder: Path, launches: int) -> Heard:
    heard, log = Heard(), Log(folder)
    carry_out(exact(make_job, log, launches), mocked([1e-6]), heard, log, REMEDY)
    return heard


def test_a_policy_of_a_few_lines_measures_and_resumes(make_job: MakeJob, tmp_path: Path) -> None:
    assert measured(make_job, tmp_path, 2).launches == ["mpich 1: 2", "mpich 2: 2"]
    assert measured(make_job, tmp_path, 3).launches == ["mpich 3: 2"]
    assert [(each.launch, each.cases, each.whole) for each in read(tmp_path)] == [
        (launch, 2, True) for launch in (1, 2, 3)
    ]
    assert load(make_job(launch=1).samples).launches_completed("mpich") == 3


@pytest.mark.parametrize(
    ("percent", "said"),
    [
        (13, ["mpich: ocean takes 3.0 GiB, 13 % of a node's memory"]),
        (9, []),  # hardly worth a line
    ],
)
def test_a_case_that_takes_much_memory_says_so_once_before_it_starts(
    make_job: MakeJob, tmp_path: Path, percent: int, said: list[str]
) -> None:
    def twice() -> Policy[Job]:
        for number in (2, 3):  # a run that is resumed says it again
            done = yield Launch("mpich", number, (make_job(launch=number),), 3, None)
            assert len(done.times.cases_s) == 1  # the memory is no case

    def start(launch: Launch[Job], on_case: OnCase) -> tuple[Outcome, ...]:
        on_case(Progress(2, 3))
        on_case(Progress(2, 3, NodeMemory("ocean", 3 * 1024**3, percent)))
        return (Outcome(True, "complete"),)

    heard = Heard()
    carry_out(twice(), start, heard, Log(tmp_path), REMEDY)
    assert heard.said == said


def test_a_budget_counts_launches_of_earlier_processes(
    make_job: MakeJob, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter(range(1000))
    monkeypatch.setattr("halocline.campaign.engine.monotonic", lambda: float(next(clock)))

    def until(budget_s: float, log: Log) -> Policy[Job]:
        while log.spent_s < budget_s:
            number = 1 + len(log.entries)
            yield Launch("mpich", number, (make_job(launch=number),), 1, None)

    for budget_s, launches in ((4.0, 2), (7.0, 4)):  # each takes 2 s
        log = Log(tmp_path)
        carry_out(until(budget_s, log), mocked([1e-6]), Heard(), log, REMEDY)
        assert len(read(tmp_path)) == launches


def test_a_launch_that_failed_is_logged_before_the_policy_gives_up(
    make_job: MakeJob, tmp_path: Path
) -> None:
    def giving_up() -> Policy[Job]:
        done = yield Launch(
            "mpich", 1, (make_job(launch=1),), 1, None, out=lambda outcomes: {"a": "crashed"}
        )
        raise RunFailed(done.outcomes[0].reason, remedy=REMEDY)

    def crashing(launch: Launch[Job], on_case: OnCase) -> tuple[Outcome, ...]:
        return (Outcome(False, "crashed"),)

    with pytest.raises(RunFailed, match="crashed; resume it"):
        carry_out(giving_up(), crashing, Heard(), Log(tmp_path), REMEDY)
    (entry,) = read(tmp_path)
    assert (entry.whole, entry.out, entry.starting_s) == (False, {"a": "crashed"}, 0.0)


@pytest.mark.parametrize(
    ("stop", "ended", "said"),
    [
        (KeyboardInterrupt(), Interrupted, "interrupted; what was measured is saved in {}"),
        (
            OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "a/samples"),
            RunFailed,
            "no space left on the disk of a/samples; what was measured is saved in {}; free some",
        ),
    ],
)
def test_what_stops_it_names_the_folder_and_ends_the_policy(
    stop: BaseException,
    ended: type[Exception],
    said: str,
    make_job: MakeJob,
    tmp_path: Path,
) -> None:
    closed = []

    def policy() -> Policy[Job]:
        try:
            yield Launch("mpich", 1, (make_job(launch=1),), 1, None)
        finally:
            closed.append(True)

    def stopping(launch: Launch[Job], on_case: OnCase) -> tuple[Outcome, ...]:
        raise stop

    with pytest.raises(ended) as raised:
        carry_out(policy(), stopping, Heard(), Log(tmp_path), REMEDY)
    assert str(raised.value).startswith(said.format(tmp_path))
    assert REMEDY in str(raised.value)
    assert closed == [True]
    assert read(tmp_path) == ()


def test_the_estimate_is_corrected_case_by_case(make_job: MakeJob, tmp_path: Path) -> None:
    seen: list[int] = []

    def policy() -> Policy[Job]:
        def estimate(times: Times) -> None:
            seen.append(len(times.cases_s))

        job = make_job(launch=1, cases=("0a pingpong bytes=8", "0b pingpong bytes=64"))
        yield Launch("mpich", 1, (job,), 2, None, estimate=estimate)

    carry_out(policy(), mocked([1e-6]), Heard(), Log(tmp_path), REMEDY)
    assert seen == [1, 2]


def entry(launch: int, turn: int, of_turn: int = 2, *, whole: bool = True) -> Launched:
    return Launched(
        launch=launch,
        cases=3,
        starting_s=0.5,
        whole=whole,
        took_s=2.0,
        turn=turn,
        of_turn=of_turn,
    )


def test_a_turn_that_lacks_a_launch_counts_for_its_time_only() -> None:
    entries = [entry(1, 1), entry(1, 1), entry(2, 2), entry(3, 3), entry(3, 3, whole=False)]
    found = of_turns(entries)
    assert [(each.whole, each.cases, each.took_s) for each in found] == [
        (True, 6, 4.0),
        (False, 3, 2.0),
        (False, 6, 4.0),
    ]


def test_logs_from_before_are_read(tmp_path: Path) -> None:
    of_compare = '{"launch": 1, "cases": 4, "took_s": 2.5, "starting_s": 0.5, "whole": true}\n'
    of_tune = (
        '{"launch": 2, "rung": 1, "jobs": 2, "cases": 4, "seconds": 3.5, "starting_s": 0.5, '
        '"whole": false, "out": {"a": "why"}}\n'
    )
    (tmp_path / "launches.jsonl").write_text(of_compare + of_tune + '{"laun')
    first, second = Log(tmp_path).entries
    assert (first.took_s, first.whole, first.of_turn) == (2.5, True, 1)
    assert (second.took_s, second.rung, second.out) == (3.5, 1, {"a": "why"})
    assert [each.whole for each in of_turns((first, second))] == [True, False]
    (tmp_path / "launches.jsonl").write_text(of_compare.replace("took_s", "took"))
    with pytest.raises(UserError, match=r"launches\.jsonl:1: not a launch: .*took_s"):
        read(tmp_path)
