"""A summary from a small samples file: exact values, every status, the JSON and the command."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import Command
from halocline.report.run_tables import libraries, troubles
from halocline.samples.dataset import load
from halocline.samples.run_folder import create
from halocline.specification.cases import Case
from halocline.specification.experiment import Experiment
from halocline.summary.summary import CaseSummary, Summary, of_run, summarise, to_json
from samples_records import Record, complete, failure, jsonl, samples, start

CASE = Case("pingpong", (("bytes", 8), ("protocol", "send_recv")), "mpich", "here", 2)
EXPERIMENT = Experiment("Test", ("pingpong",), launches_minimum=2)
LOADED = {"scheduling": {"load": [3.2, 1.0, 0.5]}}
NOTHING: Record = {"elapsed_s": [], "preempted": [], "repeats": 0}

Summarise = Callable[..., Summary]


@pytest.fixture
def summary_of(tmp_path: Path) -> Summarise:
    def of_records(*records: Record, environment: dict[str, Any] = LOADED) -> Summary:
        path = tmp_path / "samples.jsonl"
        path.write_text(jsonl(records))
        return summarise(load(path), [CASE], EXPERIMENT, environment)

    return of_records


def measured(launch: int, *times_s: float, preempted: int = 0) -> Record:
    """Batches of ten messages, the last of them preempted."""
    flags = [0] * (len(times_s) - preempted) + [1] * preempted
    elapsed_s = [[10 * time for time in times_s]]
    return samples(launch, CASE.id, repeats=10, elapsed_s=elapsed_s, preempted=flags)


def only(summary: Summary) -> CaseSummary:
    (case,) = summary.cases
    return case


def test_median_interval_and_minimum_of_two_launches(summary_of: Summarise) -> None:
    summary = summary_of(
        start(1),
        measured(1, 1.0, 2.0, 3.0, 50.0, preempted=1),
        complete(1),
        start(2),
        measured(2, 4.0, 4.0, 7.0),
        complete(2),
    )
    case = only(summary)
    time = case.metric("time")
    assert time is not None and time.low is not None and time.high is not None
    # Launch figures 2 and 4: median 3; logarithms around it, t(0.975; 1) = 12.706.
    centre = (math.log(2 / 3) + math.log(4 / 3)) / 2
    reach = 12.706204736 * math.log(2) / 2
    assert (case.status, case.reason) == ("measured", "")
    assert (time.median, time.minimum, time.launches, time.samples) == (3.0, 1.0, 2, 6)
    assert time.low == pytest.approx(3 * math.exp(centre - reach), rel=1e-9)
    assert time.high == pytest.approx(3 * math.exp(centre + reach), rel=1e-9)
    assert time.preempted_share == case.preempted_share == 1 / 7
    assert [(mode.value, mode.share) for mode in time.modes] == [(3.5, 1.0)]
    assert case.figures_s == {1: 2.0, 2: 4.0}
    assert summary.complete
    assert summary.libraries["mpich"].launches == 2
    assert summary.started == "2026-11-21T11:00:00Z"


def test_bandwidth_is_bytes_over_time(summary_of: Summarise) -> None:
    case = only(summary_of(start(1), measured(1, 2.0, 2.0), start(2), measured(2, 2.0, 4.0, 2.0)))
    rate = case.metric("bandwidth")
    assert rate is not None
    assert (rate.unit, rate.median, rate.low, rate.high, rate.minimum) == ("B/s", 4, 4, 4, 2)


def test_no_bytes_have_no_bandwidth(summary_of: Summarise) -> None:
    empty = measured(1, 2.0) | {"moved_bytes": 0}
    assert [metric.name for metric in only(summary_of(start(1), empty)).metrics] == ["time"]


def test_too_few_launches_are_partial(summary_of: Summarise) -> None:
    summary = summary_of(start(1), measured(1, 1.5, 1.5))
    case = only(summary)
    time = case.metric("time")
    assert (case.status, case.reason) == ("measured", "partial: 1 of 2 launches")
    assert time is not None and (time.median, time.low, time.high) == (1.5, None, None)
    assert not summary.complete


def test_batches_that_began_late_are_not_said_to_be_preempted(summary_of: Summarise) -> None:
    late = {"late_s": [1e-5, 1e-5, 1e-5], "late_allowed_s": 1e-6}
    record = {**measured(1, 1, 1, 1), **late}
    case = only(summary_of(start(1), record))
    assert case.reason.startswith("a rank began 100 % of the batches too late")
    both = {**measured(1, 1, 1, 1, preempted=1), **late}
    case = only(summary_of(start(1), both))
    assert "were preempted by other work, or a rank began them too late" in case.reason


def test_mostly_preempted_is_refused_with_share_and_load(summary_of: Summarise) -> None:
    summary = summary_of(
        start(1), measured(1, 1, 1, 1, preempted=2), start(2), measured(2, 1, 1, preempted=1)
    )
    case = only(summary)
    assert (case.status, case.metrics) == ("refused", ())
    assert case.reason == (
        "60 % of the batches were preempted by other work (load 3.2 when the run started); "
        "measure again on an idle node"
    )
    assert case.preempted_share == 0.6


SHARED: Record = {"cpus": ["0", "0"]}


@pytest.mark.parametrize(
    ("records", "reason"),
    [
        pytest.param(
            [start(1, **SHARED), measured(1, 1, 1, preempted=2)],
            "ranks sharing cores preempted one another in 100 % of the batches; "
            "use no more ranks than cores",
            id="every batch",
        ),
        pytest.param(
            [start(1, **SHARED), measured(1, *[1.0] * 17, 6.0, 6.0, 6.0, preempted=3)],
            "ranks sharing cores waited for each other 43 % of the time; "
            "use no more ranks than cores",
            id="much of the time",
        ),
    ],
)
def test_ranks_that_share_cores_are_no_other_work(
    summary_of: Summarise, records: list[Record], reason: str
) -> None:
    case = only(summary_of(*records))
    assert (case.status, case.reason) == ("refused", reason)


def loaded(launch: int) -> Record:
    """Twenty batches, three of them preempted for as long as the others took together."""
    return measured(launch, *[1.0] * 17, 6.0, 6.0, 6.0, preempted=3)


def test_time_lost_to_other_work_is_refused_however_few_batches_it_took(
    summary_of: Summarise,
) -> None:
    case = only(summary_of(start(1), loaded(1), start(2), loaded(2)))
    assert (case.status, case.metrics) == ("refused", ())
    assert case.reason == (
        "other work took 43 % of the time (load 3.2 when the run started); "
        "measure again on an idle node"
    )
    assert case.preempted_share == 0.15


def test_launches_under_load_are_left_out(summary_of: Summarise) -> None:
    quiet = [measured(launch, 2.0, 2.0) for launch in (2, 3)]
    case = only(summary_of(start(1), loaded(1), start(2), quiet[0], start(3), quiet[1]))
    assert (case.status, case.reason, case.figures_s) == ("measured", "", {2: 2.0, 3: 2.0})


def test_a_case_that_lacks_launches_says_that_load_took_them(summary_of: Summarise) -> None:
    case = only(summary_of(start(1), loaded(1), start(2), measured(2, 2.0, 2.0)))
    reason = "partial: 1 of 2 launches; in 1 other work took too much of the time"
    assert (case.status, case.reason) == ("measured", reason)


@pytest.mark.parametrize(
    "times_s",
    [
        pytest.param([1.0] * 17 + [2.5] * 3, id="little time in several preemptions"),
        pytest.param([1.0] * 18 + [9.0] * 2, id="much time in fewer than three"),
    ],
)
def test_what_an_idle_node_loses_is_no_load(summary_of: Summarise, times_s: list[float]) -> None:
    preempted = sum(time > 1 for time in times_s)
    record = measured(1, *times_s, preempted=preempted)
    assert only(summary_of(start(1), record)).figures_s == {1: 1.0}


def test_half_preempted_is_still_measured(summary_of: Summarise) -> None:
    summary = summary_of(start(1), measured(1, 1, 9, preempted=1), start(2), measured(2, 1, 1))
    assert only(summary).status == "measured"


def test_a_wrong_byte_in_any_launch_fails_the_case(summary_of: Summarise) -> None:
    reason = "byte 3 at rank 1: expected 7, got 0"
    wrong = samples(2, CASE.id, status="failed", reason=reason, **NOTHING)
    case = only(summary_of(start(1), measured(1, 1.0), start(2), wrong))
    assert (case.status, case.reason, case.metrics) == ("failed", reason, ())


def test_skipped_keeps_the_reason(summary_of: Summarise) -> None:
    skipped = samples(1, CASE.id, status="skipped", reason="no MPI_Isendrecv", **NOTHING)
    summary = summary_of(start(1), skipped)
    assert (only(summary).status, only(summary).reason) == ("skipped", "no MPI_Isendrecv")
    assert summary.complete


def test_what_was_not_reached_says_so(summary_of: Summarise) -> None:
    case = only(summary_of(start(1)))
    assert case.status == "skipped"
    assert case.reason == "partial: 0 of 2 launches: not reached yet; resume the run"


def test_what_no_launch_lived_to_reach_failed(summary_of: Summarise) -> None:
    summary = summary_of(start(1), failure(1))
    assert only(summary).status == "failed"
    assert only(summary).reason == "partial: 0 of 2 launches: rank 1 was killed"
    assert summary.failures == ("launch 1 of mpich: rank 1 was killed",)
    assert not summary.complete


def test_what_an_interrupted_or_earlier_launch_did_not_reach_is_not_failed(
    summary_of: Summarise,
) -> None:
    interrupted = {**failure(1), "reason": "interrupted"}
    case = only(summary_of(start(1), interrupted))
    assert (case.status, "not reached yet" in case.reason) == ("skipped", True)
    other = {**start(2), "ranks": 4}
    case = only(summary_of(other, failure(2)))  # the case has two ranks
    assert (case.status, "not reached yet" in case.reason) == ("skipped", True)
    case = only(summary_of(start(1), failure(1), start(2), complete(2)))
    assert (case.status, "not reached yet" in case.reason) == ("skipped", True)


def test_a_failure_before_any_start_record_is_reported(summary_of: Summarise) -> None:
    summary = summary_of(failure(1))
    assert summary.libraries["mpich"].library_version == ""
    assert only(summary).status == "failed"


def test_a_host_without_a_recorded_load_is_no_error(summary_of: Summarise) -> None:
    case = only(summary_of(start(1), measured(1, 1, preempted=1), environment={}))
    assert case.reason.startswith("100 % of the batches were preempted by other work; ")


def test_a_launch_left_out_is_reported(summary_of: Summarise) -> None:
    odd = start(2, cpus=["0", "2"])
    summary = summary_of(
        *(start(1), measured(1, 1.5), complete(1), odd, measured(2, 9.0), complete(2)),
        *(start(3), measured(3, 1.5), complete(3)),
    )
    assert summary.failures == ("launch 2 of mpich left out: cpus '0 | 2', launch 1 had '0 | 1'",)
    assert [metric.median for metric in only(summary).metrics] == [1.5, 8 / 1.5]
    assert summary.libraries["mpich"].launches == 2


def test_displaced_launches_are_counted_for_refused_cases_too(summary_of: Summarise) -> None:
    near, far = {"line_s": [5e-8, 5e-8]}, {"line_s": [5e-8, 2e-7]}
    other = {"case": "another"}
    summary = summary_of(
        *(start(1), measured(1, 1.5) | far, measured(1, 1.5) | near | other, complete(1)),
        *(start(2), measured(2, 1.5) | far, measured(2, 1.5) | near | other, complete(2)),
    )
    assert summary.libraries["mpich"].line_s == 5e-8
    assert (only(summary).status, only(summary).displaced_share) == ("refused", 1.0)
    assert ("launches on other cores", "100.0 %, left out") in libraries([summary])[0].facts


def test_much_preempted_cases_are_troubles_though_measured(summary_of: Summarise) -> None:
    def found(batches: int) -> list[tuple[str, int]]:
        times = [1.5] * batches
        records = [start(1), measured(1, *times, preempted=1), start(2), measured(2, 1.5)]
        return [(t.status, t.count) for t in troubles([summary_of(*records)])]

    assert found(8) == [("disturbed", 1)]  # one of nine
    assert found(9) == []


def test_json_has_the_schema(summary_of: Summarise) -> None:
    records = (start(1), measured(1, 1.5, 1.5), complete(1), start(2), measured(2, 1.5, 1.5))
    content = json.loads(json.dumps(to_json(summary_of(*records)), allow_nan=False))
    assert content["schema"] == 1
    assert content["run"]["launches"] == {"mpich": 1}
    assert content["run"]["complete"] is True
    assert content["environment"] == LOADED
    assert content["cases"] == [
        {
            "id": CASE.id,
            "workload": "pingpong",
            "axes": {"bytes": 8, "protocol": "send_recv"},
            "machine": "here",
            "mpi": "mpich",
            "ranks": 2,
            "status": "measured",
            "reason": "",
            "pairs": [],
            "path": None,
            "metrics": [
                {
                    "name": name,
                    "unit": unit,
                    "median": value,
                    "low": value,
                    "high": value,
                    "minimum": value,
                    "launches": 2,
                    "samples": 4,
                    "modes": [{"value": value, "share": 1.0}],
                    "preempted_share": 0.0,
                    "displaced_share": 0.0,
                }
                for name, unit, value in (("time", "s", 1.5), ("bandwidth", "B/s", 8 / 1.5))
            ],
            "phases": [],
            "of_bound": None,
            "unbounded": ["shares of copies: memory_copy active=one bytes=8 on 2 ranks"],
        }
    ]


@pytest.fixture
def run(tmp_path: Path, driver_catalogue: dict[str, Any]) -> Path:
    """A run of two cases, of which one was measured."""
    experiment = Experiment(
        "Test",
        ("pingpong",),
        axes=(("bytes", (8, 64)), ("protocol", ("send_recv",))),
        launches_minimum=2,
    )
    folder = create(tmp_path / "run", experiment, LOADED | {"catalogue": driver_catalogue})
    records = (start(1), measured(1, 1.5e-6), start(2), measured(2, 1.5e-6))
    folder.samples.write_text(jsonl(records))
    return folder.path


def test_a_run_folder_is_summarised_in_the_order_of_its_experiment(run: Path) -> None:
    assert [(c.case.axis("bytes"), c.status) for c in of_run(run).cases] == [
        (8, "measured"),
        (64, "skipped"),
    ]


def test_the_command_prints_json(command: Command, run: Path) -> None:
    ended = command("summary", run, "--json")
    assert (ended.code, ended.err) == (0, "")
    assert json.loads(ended.out)["cases"][0]["metrics"][0]["median"] == 1.5e-6


def test_a_folder_without_samples_is_one_line(command: Command, run: Path) -> None:
    (run / "samples.jsonl").unlink()
    ended = command("summary", run)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == (
        f"halocline: {run}/samples.jsonl does not exist; "
        f"measure with `halocline run --resume {run}`\n"
    )


def test_a_damaged_line_is_named(command: Command, run: Path) -> None:
    with (run / "samples.jsonl").open("a") as file:
        file.write("nonsense\n")
    ended = command("summary", run, "--json")
    assert (ended.code, ended.out) == (2, "")
    assert f"{run}/samples.jsonl:5: malformed record" in ended.err
