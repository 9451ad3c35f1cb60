"""Launches of a run: their order, their failures, interruption and resumption."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest

from halocline.base.errors import Interrupted, RunFailed, UserError, UserErrors
from halocline.launch.completion import append_record
from halocline.launch.job import Deadlines, Job, Outcome, Progress
from halocline.samples.dataset import load
from halocline.samples.run_folder import RunFolder, check_same_environment, measuring_into, open_run
from halocline.specification.catalogue import from_json
from halocline.specification.expand import expand
from halocline.specification.experiment import Axes, Part
from halocline.summary.summary import CaseSummary, of_run
from mock_runs import OnProgress, carry_out, exact
from samples_records import alter, jsonl


def test_libraries_take_turns(begun: Callable[..., RunFolder]) -> None:
    folder = begun(mpi=("a", "b", "c"), launches_minimum=3, launches_maximum=3)
    heard = carry_out(folder)
    assert heard.launches == [
        *("a 1: 3", "b 1: 3", "c 1: 3"),
        *("b 2: 3", "c 2: 3", "a 2: 3"),
        *("c 3: 3", "a 3: 3", "b 3: 3"),
    ]
    assert heard.cases == 27
    assert heard.said == []


def test_jobs_carry_what_the_experiment_says(begun: Callable[..., RunFolder]) -> None:
    folder = begun(half_width=0.05, budget_s=3.2, deadline_s=90.0)
    jobs: list[Job] = []

    def start(job: Job, on_progress: OnProgress) -> Outcome:
        jobs.append(job)
        return exact(job, on_progress)

    carry_out(folder, start)
    lines = {case.driver_line for case in expand(folder.experiment, folder.catalogue)}
    assert [set(job.cases) for job in jobs] == [lines, lines]
    assert [job.launch for job in jobs] == [1, 2]
    for job in jobs:
        assert (job.ranks, job.half_width, job.samples) == (2, 0.025, folder.samples)
        assert job.case_s == 0.2  # a share of the budget for three cases in two launches is more
        assert job.deadlines == Deadlines(start_s=90.0, progress_s=90.0, total_s=900.0)


def test_only_cases_that_are_not_exact_are_launched_again(
    begun: Callable[..., RunFolder],
) -> None:
    folder = begun(launches_maximum=4, axes=(("protocol", ("send_recv",)), ("bytes", (0, 8))))
    noisy = next(c for c in expand(folder.experiment, folder.catalogue) if c.axis("bytes") == 8)

    def start(job: Job, on_progress: OnProgress) -> Outcome:
        outcome = exact(job, on_progress)
        lines = folder.samples.read_text().splitlines()
        folder.samples.write_text(jsonl(noisier(line, job.launch) for line in lines))
        return outcome

    def noisier(line: str, launch: int) -> str:
        record = json.loads(line)
        if record.get("case") != noisy.id or record["launch"] != launch:
            return line
        record["elapsed_s"] = [[launch * time for time in row] for row in record["elapsed_s"]]
        return json.dumps(record)

    heard = carry_out(folder, start)
    assert heard.launches == [*("mpich 1: 2", "mpich 2: 2"), *("mpich 3: 1", "mpich 4: 1")]


# The first complete launch is the measure, even where it is the odd one.
@pytest.mark.parametrize(("odd", "left_out"), [(1, [2, 3]), (2, [2])])
def test_a_launch_elsewhere_is_made_up_for_as_far_as_launches_go(
    begun: Callable[..., RunFolder], odd: int, left_out: list[int]
) -> None:
    folder = begun(launches_maximum=3)

    def start(job: Job, on_progress: OnProgress) -> Outcome:
        outcome = exact(job, on_progress)
        if job.launch == odd:
            before, head, text = folder.samples.read_text().rpartition('{"type":"start"')
            elsewhere = text.replace('"cpus":["",""]', '"cpus":["4","5"]', 1)
            folder.samples.write_text(jsonl((before + head + elsewhere).splitlines()))
        return outcome

    assert carry_out(folder, start).launches == ["mpich 1: 3", "mpich 2: 3", "mpich 3: 3"]
    found = of_run(folder.path)
    assert [line.partition(" left out: cpus ")[0] for line in found.failures] == [
        f"launch {launch} of mpich" for launch in left_out
    ]
    assert {case.metrics[0].launches for case in found.cases} == {3 - len(left_out)}


def test_a_failed_launch_stops_its_library_and_no_other(begun: Callable[..., RunFolder]) -> None:
    folder = begun(mpi=("good", "bad"))

    def start(job: Job, on_progress: OnProgress) -> Outcome:
        if job.toolchain.name == "bad":
            append_record(job, {"type": "failure", "reason": "rank 1 was killed"})
            return Outcome(False, "rank 1 was killed", output="its last words")
        return exact(job, on_progress)

    with pytest.raises(RunFailed) as raised:
        carry_out(folder, start)
    assert str(raised.value) == (
        f"bad: rank 1 was killed; what was measured is saved in {folder.path}; see {folder.jobs}, "
        f"fix the cause, and resume with `halocline run --resume {folder.path}`"
    )
    assert (folder.jobs / "bad-1.log").read_text() == "rank 1 was killed\nits last words\n"
    dataset = load(folder.samples)
    assert [failure.reason for failure in dataset.failures] == ["rank 1 was killed"]
    assert dataset.launches_completed("good") == 2
    heard = carry_out(open_run(folder.path))
    assert heard.launches == ["bad 2: 3", "bad 3: 3"]
    assert of_run(folder.path).complete


def test_a_case_that_crashes_again_costs_no_other(begun: Callable[..., RunFolder]) -> None:
    folder = begun()
    cases = expand(folder.experiment, folder.catalogue)

    def start(job: Job, on_progress: OnProgress) -> Outcome:
        ids = [line.partition(" ")[0] for line in job.cases]
        if cases[0].id not in ids:
            return exact(job, on_progress)
        exact(replace(job, cases=job.cases[: (at := ids.index(cases[0].id))]), on_progress)
        name = job.cases[at].partition(" ")[2]
        reason = f"rank 1 was killed (SIGSEGV) at case {at + 1} of {len(ids)} ({name})"
        append_record(job, {"type": "failure", "reason": reason})
        return Outcome(False, reason)

    failed = r"mpich: rank 1 was killed \(SIGSEGV\)"
    with pytest.raises(RunFailed, match=failed):
        carry_out(folder, start)
    assert len(load(folder.samples).starts) == 1
    with pytest.raises(RunFailed, match=failed):
        carry_out(open_run(folder.path), start)
    assert [len(load(folder.samples).launch_figures(case.id)) for case in cases] == [0, 2, 2]
    # It is tried again whenever the run is resumed.
    assert carry_out(open_run(folder.path)).launches
    assert len(load(folder.samples).launch_figures(cases[0].id)) == 2


@pytest.mark.parametrize(
    ("reason", "out_of_time"), [("no progress for 60 s", True), ("rank 1 was killed", False)]
)
def test_a_launch_that_ran_out_of_time_may_only_take_long(
    begun: Callable[..., RunFolder], reason: str, out_of_time: bool
) -> None:
    def start(job: Job, _: OnProgress) -> Outcome:
        append_record(job, {"type": "failure", "reason": reason})
        return Outcome(False, reason, out_of_time=out_of_time)

    with pytest.raises(RunFailed) as raised:
        carry_out(begun(), start)
    remedy = "if the case is just slow, start a new run with a longer --deadline, otherwise fix"
    assert (remedy in str(raised.value)) == out_of_time


def test_failed_cases_fail_the_run_and_are_not_repeated(begun: Callable[..., RunFolder]) -> None:
    folder = begun()
    cases = expand(folder.experiment, folder.catalogue)

    def start(job: Job, on_progress: OnProgress) -> Outcome:
        outcome = exact(job, on_progress)
        right = f'"case":"{cases[0].id}","status":"measured","reason":""'
        wrong = f'"case":"{cases[0].id}","status":"failed","reason":"byte 3"'
        alter(folder.samples, right, wrong)
        return outcome

    with pytest.raises(RunFailed) as raised:
        carry_out(folder, start)
    assert str(raised.value) == (
        f"1 case failed; the first is {cases[0].id}: byte 3; what was measured is "
        f"saved in {folder.path}; see them with `halocline summary {folder.path}`"
    )
    dataset = load(folder.samples)
    assert [len(dataset.case_samples(case.id)) for case in cases] == [1, 2, 2]


def test_an_interrupted_run_says_how_to_go_on(begun: Callable[..., RunFolder]) -> None:
    folder = begun()

    def start(job: Job, on_progress: OnProgress) -> Outcome:
        if job.launch == 2:
            raise KeyboardInterrupt
        return exact(job, on_progress)

    with pytest.raises(Interrupted) as raised:
        carry_out(folder, start)
    assert str(raised.value) == (
        f"interrupted; what was measured is saved in {folder.path}; "
        f"resume with `halocline run --resume {folder.path}`"
    )
    assert carry_out(open_run(folder.path)).launches == ["mpich 2: 3"]
    assert carry_out(open_run(folder.path)).launches == []


def test_a_full_disk_is_named_with_the_remedy(begun: Callable[..., RunFolder]) -> None:
    folder = begun()

    def start(job: Job, on_progress: OnProgress) -> Outcome:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(job.samples))

    with pytest.raises(RunFailed) as raised:
        carry_out(folder, start)
    assert str(raised.value) == (
        f"no space left on the disk of {folder.samples}; what was measured is saved in "
        f"{folder.path}; free some space, then resume with `halocline run --resume {folder.path}`"
    )


def test_a_budget_that_cannot_be_kept_is_reported(begun: Callable[..., RunFolder]) -> None:
    folder = begun(budget_s=0.005)
    assert carry_out(folder).said == [
        "mpich: measuring 3 cases in 2 launches takes about 0.012 s, "
        "more than the budget of 0.005 s"
    ]


def test_queues_of_all_configurations_take_turns(begun: Callable[..., RunFolder]) -> None:
    settings = (("env.X", ("1",)), ("layout", ("1N2P", "2N1P")))
    folder = begun(mpi=("a", "b"), configuration=settings)
    heard = carry_out(folder)
    assert heard.launches == [
        *("a env.X=1 1: 3", "a env.X=1 layout=2N1P 1: 3"),
        *("b env.X=1 1: 3", "b env.X=1 layout=2N1P 1: 3"),
        *("a env.X=1 layout=2N1P 2: 3", "b env.X=1 2: 3"),
        *("b env.X=1 layout=2N1P 2: 3", "a env.X=1 2: 3"),
    ]
    found = of_run(folder.path)
    assert {name: library.nodes for name, library in found.libraries.items()} == {
        "a env.X=1": 1,
        "a env.X=1 layout=2N1P": 2,
        "b env.X=1": 1,
        "b env.X=1 layout=2N1P": 2,
    }
    assert [(each.mpi, each.value, each.overall.verdict) for each in found.effects] == [
        ("a", "2N1P", "none"),
        ("b", "2N1P", "none"),
    ]


def test_different_numbers_of_ranks_share_the_numbers_of_launches(
    begun: Callable[..., RunFolder], environment: dict[str, Any]
) -> None:
    environment["catalogue"]["workloads"][0]["ranks_maximum"] = 4
    folder = begun(ranks=(2, 4))
    heard = carry_out(folder)
    assert heard.launches == ["mpich 1: 3", "mpich 2: 3", "mpich 3: 3", "mpich 4: 3"]
    assert [start.ranks for start in load(folder.samples).starts] == [2, 4, 4, 2]
    assert {len(case.figures_s) for case in of_run(folder.path).cases} == {2}


def test_settings_on_several_numbers_of_ranks_are_compared_turn_by_turn(
    begun: Callable[..., RunFolder], environment: dict[str, Any]
) -> None:
    environment["catalogue"]["workloads"][0]["ranks_maximum"] = 4
    folder = begun(ranks=(2, 4), configuration=(("env.A", ("0", "1")),))
    carry_out(folder)
    found = of_run(folder.path)
    assert {tuple(case.figures_s) for case in found.cases} == {(1, 2)}
    (effect,) = found.effects
    assert {case.ratio.launches for case in effect.cases} == {2}
    assert len(effect.cases) == len(found.cases) / 2


class Clock:
    """A clock that only launches move."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now_s = 0.0
        monkeypatch.setattr("halocline.campaign.engine.monotonic", lambda: self.now_s)

    def start(self, job: Job, on_progress: OnProgress) -> Outcome:
        """Every case takes as many seconds as it has bytes."""
        sizes = iter([float(case.partition("bytes=")[2].split()[0]) for case in job.cases])
        taken_s = 0.0

        def begun(progress: Progress) -> None:
            nonlocal taken_s
            self.now_s += taken_s
            taken_s = next(sizes)
            on_progress(progress)

        outcome = exact(job, begun)
        self.now_s += taken_s
        return outcome


def sized(title: str, *sizes: int) -> Part:
    return Part(title, ("pingpong",), axes=(("bytes", sizes), ("protocol", ("send_recv",))))


def test_what_there_is_no_time_for_is_left_out_aloud(
    begun: Callable[..., RunFolder], monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = (sized("short", 2, 3), sized("long", 60, 70), sized("also short", 4))
    folder = begun(parts=parts, axes=(), budget_s=200.0)
    heard = carry_out(folder, Clock(monkeypatch).start)
    # The long ones are like the short ones but for their size: a launch shows what they take.
    assert heard.launches == ["mpich 1: 2", "mpich 2: 5", "mpich 3: 1"]
    why = "left out for time: 'long' needs about 2 min 10 s more"
    assert heard.said == [f"mpich: {why} for 2 cases; raise --budget"]
    found = of_run(folder.path)
    assert found.complete
    assert [(each.part, len(each.cases)) for each in found.left_out] == [("long", 2)]
    assert [(case.status, case.reason) for case in found.cases] == [
        ("measured", ""),
        ("measured", ""),
        ("measured", f"{why}, after 1 of 2 launches"),
        ("measured", f"{why}, after 1 of 2 launches"),
        ("measured", ""),
    ]


def test_parts_that_are_never_begun_are_skipped_with_the_reason(
    begun: Callable[..., RunFolder], monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = (sized("first", 1, 2), sized("second", *range(100, 200)))
    folder = begun(parts=parts, axes=(), budget_s=2.0)
    heard = carry_out(folder, Clock(monkeypatch).start)
    # The first part is measured in any case; what another one needs is estimated by it.
    assert heard.launches == ["mpich 1: 2", "mpich 2: 2"]
    why = "left out for time: 'second' needs about 10 min 0 s more"
    assert heard.said == [f"mpich: {why} for 100 cases; raise --budget"]
    found = of_run(folder.path).cases
    assert [(case.status, case.reason) for case in found[1:3]] == [
        ("measured", ""),
        ("skipped", why),
    ]


def test_the_time_of_a_workload_that_was_not_started_is_called_a_guess(
    begun: Callable[..., RunFolder], monkeypatch: pytest.MonkeyPatch
) -> None:
    axes: Axes = (("bytes", (1,)), ("protocol", ("send_recv",)))
    parts = (sized("first", 40, 50), Part("other", ("pingping",), axes=axes))
    heard = carry_out(begun(parts=parts, axes=(), budget_s=200.0), Clock(monkeypatch).start)
    assert heard.launches == ["mpich 1: 2", "mpich 2: 2"]
    (said,) = heard.said
    assert "'other' was not started and, judged by other workloads, needs about 5 min 0 s" in said
    assert said.endswith("for 1 case; raise --budget, or put it before longer parts")


def test_a_part_of_which_a_workload_was_measured_is_no_guess(
    begun: Callable[..., RunFolder], monkeypatch: pytest.MonkeyPatch
) -> None:
    axes: Axes = (("bytes", (1,)), ("protocol", ("send_recv",)))
    parts = (sized("first", 40, 50), Part("both", ("pingping", "pingpong"), axes=axes))
    heard = carry_out(begun(parts=parts, axes=(), budget_s=200.0), Clock(monkeypatch).start)
    assert heard.launches == ["mpich 1: 2", "mpich 2: 2"]
    (said,) = heard.said
    assert "'both' needs about" in said
    assert said.endswith("for 2 cases; raise --budget")


def test_two_processes_do_not_measure_into_one_folder(begun: Callable[..., RunFolder]) -> None:
    folder = begun()
    with measuring_into(folder), pytest.raises(UserError, match="another process is measuring"):
        carry_out(folder)
    assert len(carry_out(folder).launches) == 2


def test_a_run_is_not_resumed_elsewhere(
    begun: Callable[..., RunFolder], environment: dict[str, Any]
) -> None:
    library = {"name": "mpich", "library": "MPICH 5.0.2"}
    folder = begun()
    check_same_environment(folder, {**environment, "mpi": [library]}, folder.catalogue)
    before = RunFolder(
        folder.path, folder.experiment, folder.catalogue, {**environment, "mpi": [library]}
    )
    now = {
        "host": "g",
        "processor": {"model": "q"},
        "mpi": [{"name": "mpich", "library": "MPICH 5.0.3"}],
    }
    with pytest.raises(UserErrors) as raised:
        check_same_environment(before, now, folder.catalogue)
    remedy = "a run from another environment cannot be resumed: start a new run"
    assert [str(problem) for problem in raised.value.problems] == [
        f"{folder.path}: host was 'h' and is 'g'; {remedy}",
        f"{folder.path}: processor was 'p' and is 'q'; {remedy}",
        f"{folder.path}: MPI mpich was 'MPICH 5.0.2' and is 'MPICH 5.0.3'; {remedy}",
    ]


def test_a_run_is_not_resumed_with_other_axes(
    begun: Callable[..., RunFolder], environment: dict[str, Any], driver_catalogue: dict[str, Any]
) -> None:
    """As a case of an older Halocline lacks the axis that its driver now requires."""
    folder = begun()
    today = deepcopy(driver_catalogue)
    for workload in today["workloads"]:
        if workload["name"] == "pingpong":
            workload["axes"] = [*workload["axes"], {**workload["axes"][0], "name": "another"}]
    changed = "the axes of pingpong have changed since: another; a run of another version"
    with pytest.raises(UserError, match=changed):
        check_same_environment(folder, {**environment, "mpi": []}, from_json(today))
    others = [each for each in driver_catalogue["workloads"] if each["name"] != "pingpong"]
    gone = from_json({**driver_catalogue, "workloads": others})
    with pytest.raises(UserError, match="the axes of pingpong have changed since: bytes"):
        check_same_environment(folder, {**environment, "mpi": []}, gone)


def test_a_run_on_nodes_goes_on_from_another_front_end(
    begun: Callable[..., RunFolder], environment: dict[str, Any]
) -> None:
    """As a batch job that is requeued gets other nodes, of the same kind."""
    folder = begun(hosts="slurm", configuration=(("layout", ("2N1P",)),))
    check_same_environment(folder, {**environment, "host": "g", "mpi": []}, folder.catalogue)
    with pytest.raises(UserErrors, match="processor was 'p' and is 'q'"):
        now = {**environment, "processor": {"model": "q"}, "mpi": []}
        check_same_environment(folder, now, folder.catalogue)


def renumbered(cases: Sequence[CaseSummary]) -> list[CaseSummary]:
    """With launches numbered from 1: a resumed run never uses a number twice."""
    return [
        replace(case, figures_s=dict(enumerate(case.figures_s.values(), start=1))) for case in cases
    ]


def test_a_run_cut_off_anywhere_is_completed_to_the_same_figures(
    begun: Callable[..., RunFolder],
) -> None:
    folder = begun(mpi=("a", "b"), axes=(("bytes", (8,)), ("protocol", ("send_recv",))))
    carry_out(folder)
    whole, summary = folder.samples.read_bytes(), of_run(folder.path)
    assert summary.complete
    assert [case.metrics[0].launches for case in summary.cases] == [2, 2]
    ends = [index for index, byte in enumerate(whole) if byte == ord("\n")]
    near_ends = {end + beside for end in ends for beside in (-1, 0, 1)}
    for length in sorted(near_ends | set(range(0, len(whole), 37))):
        folder.samples.write_bytes(whole[:length])
        carry_out(open_run(folder.path))
        resumed = of_run(folder.path)
        assert (length, renumbered(resumed.cases)) == (length, renumbered(summary.cases))
        assert resumed.complete
