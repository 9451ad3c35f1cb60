"""What a case with several pairs of ranks is reduced to: the slowest, the aggregate, and each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from halocline.base.errors import UserError
from halocline.samples.dataset import load
from halocline.specification.cases import Case
from halocline.specification.experiment import Experiment
from halocline.summary.metrics import Metric, of_case
from halocline.summary.summary import CaseSummary, Pair, summarise, to_json
from samples_records import Record, complete, jsonl, samples, start

CASE = Case("pairs", (("bytes", 8), ("protocol", "send_recv")), "mpich", "here", 4)
# Two pairs, each timed by its lower rank; 2 traversals a batch, 8 bytes by each pair in one.
TWO_PAIRS: Record = {
    "repeats": 2,
    "moved_bytes": 16,
    "timed_ranks": [0, 1],
    "pairs": [[0, 2], [1, 3]],
    "elapsed_s": [[2.0, 4.0, 900.0], [8.0, 4.0, 900.0]],
}
ON_TWO_NODES: dict[str, Any] = {"ranks": 4, "hosts": ["n1", "n1", "n1", "n2"], "cpus": [""] * 4}


def found(path: Path, *records: Record) -> CaseSummary:
    file = path / "samples.jsonl"
    file.write_text(jsonl(records), encoding="utf-8")
    experiment = Experiment("pairs", ("pairs",), ranks=(4,))
    (summary,) = summarise(load(file), (CASE,), experiment, {}).cases
    return summary


def launch(number: int, **changes: Any) -> tuple[Record, ...]:
    measured = samples(number, CASE.id, **(TWO_PAIRS | changes))
    return start(number, **ON_TWO_NODES), measured, complete(number)


def medians(metrics: tuple[Metric, ...]) -> dict[str, tuple[str, float, float]]:
    return {metric.name: (metric.unit, metric.median, metric.minimum) for metric in metrics}


def test_several_pairs_give_the_slowest_the_aggregate_and_each(tmp_path: Path) -> None:
    summary = found(tmp_path, *launch(1))
    # Clean batches: pair 0-2 takes 1 s and 2 s a traversal, pair 1-3 takes 4 s and 2 s.
    assert medians(summary.metrics) == {
        "time": ("s", 3.0, 2.0),
        "bandwidth": ("B/s", 8 / 3, 2.0),
        "aggregate bandwidth": ("B/s", (10.0 + 8.0) / 2, 8.0),
        "time of pair 0-2": ("s", 1.5, 1.0),
        "bandwidth of pair 0-2": ("B/s", 8 / 1.5, 4.0),
        "time of pair 1-3": ("s", 3.0, 2.0),
        "bandwidth of pair 1-3": ("B/s", 8 / 3, 2.0),
    }
    assert {metric.samples for metric in summary.metrics} == {2}


def test_each_metric_has_its_interval_over_launches(tmp_path: Path) -> None:
    faster = [[2.0, 2.0, 900.0], [4.0, 4.0, 900.0]]
    summary = found(tmp_path, *launch(1, elapsed_s=faster), *launch(2, elapsed_s=faster))
    for metric in summary.metrics:
        assert (metric.low, metric.median, metric.high) == (metric.median,) * 3
        assert (metric.launches, metric.samples) == (2, 4)
    aggregate = summary.metric("aggregate bandwidth")
    assert aggregate is not None and aggregate.median == 8.0 + 4.0


def test_both_ends_of_a_pair_count_where_both_are_timed(tmp_path: Path) -> None:
    both_ways = {
        "repeats": 1,
        "moved_bytes": 32,
        "timed_ranks": [0, 2, 1, 3],
        "elapsed_s": [[1.0], [2.0], [4.0], [3.0]],
        "preempted": [0],
    }
    summary = found(tmp_path, *launch(1, **both_ways))
    times = {metric.name: metric.median for metric in summary.metrics if metric.unit == "s"}
    assert times == {"time": 4.0, "time of pair 0-2": 2.0, "time of pair 1-3": 4.0}


def test_empty_messages_have_times_alone(tmp_path: Path) -> None:
    summary = found(tmp_path, *launch(1, moved_bytes=0))
    assert [metric.name for metric in summary.metrics] == [
        "time",
        "time of pair 0-2",
        "time of pair 1-3",
    ]


def test_one_pair_is_its_case(tmp_path: Path) -> None:
    one = {"timed_ranks": [0], "pairs": [[0, 3]], "elapsed_s": [[4.0, 4.0, 4.0]], "moved_bytes": 8}
    summary = found(tmp_path, *launch(1, **one))
    assert medians(summary.metrics) == {"time": ("s", 2.0, 2.0), "bandwidth": ("B/s", 4.0, 4.0)}
    assert summary.pairs == (Pair((0, 3), True),)


def test_pairs_off_node_are_known(tmp_path: Path) -> None:
    summary = found(tmp_path, *launch(1))
    assert summary.pairs == (Pair((0, 2), False), Pair((1, 3), True))
    experiment = Experiment("pairs", ("pairs",), ranks=(4,))
    content = to_json(summarise(load(tmp_path / "samples.jsonl"), (CASE,), experiment, {}))
    assert content["cases"][0]["pairs"] == [
        {"ranks": (0, 2), "off_node": False},
        {"ranks": (1, 3), "off_node": True},
    ]


def test_what_was_measured_without_pairs_has_none(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    records = (start(1), samples(1), complete(1))
    path.write_text(jsonl(records), encoding="utf-8")
    assert set(medians(of_case(load(path).usable("a"), 0.0, 0.0))) == {"time", "bandwidth"}


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"timed_ranks": [0]}, "timed_ranks needs one rank per row of elapsed_s"),
        ({"pairs": [[0, 2], [2, 3]]}, "a pair has no timed rank"),
    ],
)
def test_pairs_that_nobody_timed_are_malformed(
    tmp_path: Path, changes: dict[str, Any], wrong: str
) -> None:
    with pytest.raises(UserError, match=wrong):
        found(tmp_path, *launch(1, **changes))


def test_what_computes_has_a_rate_and_the_slowest_decides(tmp_path: Path) -> None:
    rows = [[2.0, 4.0, 900.0], [8.0, 4.0, 900.0]]
    summary = found(tmp_path, *launch(1, elapsed_s=rows, moved_bytes=0, operations=12, pairs=[]))
    assert medians(summary.metrics) == {"time": ("s", 3.0, 2.0), "rate": ("flop/s", 4.0, 3.0)}


def test_other_facts_of_a_case_are_metrics_without_width(tmp_path: Path) -> None:
    facts = [{"name": "route memory", "unit": "B", "value": 416.0}]
    one = {"timed_ranks": [0], "pairs": [], "elapsed_s": [[4.0, 4.0, 4.0]], "moved_bytes": 0}
    fields = one | {"facts": facts}
    summary = found(tmp_path, *launch(1, **fields), *launch(2, **fields))
    memory = summary.metric("route memory")
    assert memory is not None
    assert (memory.unit, memory.low, memory.median, memory.high) == ("B", 416, 416, 416)


def test_a_fact_that_differs_between_launches_has_its_extremes_as_bounds(tmp_path: Path) -> None:
    one = {"timed_ranks": [0], "pairs": [], "elapsed_s": [[4.0, 4.0, 4.0]], "moved_bytes": 0}
    facts = [[{"name": "checksum", "unit": "", "value": value}] for value in (8.0, 7.0, 9.0, 7.0)]
    launches = [launch(at, **one, facts=each) for at, each in enumerate(facts, 1)]
    checksum = found(tmp_path, *(record for each in launches for record in each)).metric("checksum")
    assert checksum is not None
    assert (checksum.low, checksum.median, checksum.high, checksum.minimum) == (7, 7, 9, 7)


def test_a_model_that_steps_simulates_years_a_day(tmp_path: Path) -> None:
    step = {"timed_ranks": [0], "pairs": [], "moved_bytes": 0, "repeats": 1, "preempted": [0, 0]}
    step |= {"facts": [{"name": "steps_per_day", "unit": "", "value": 24}]}
    rows = [[[0.5, 0.5]], [[0.25, 0.25]], [[1.0, 1.0]]]
    launches = [launch(at, **step, elapsed_s=row) for at, row in enumerate(rows, 1)]
    summary = found(tmp_path, *(record for each in launches for record in each))
    time, years = summary.metric("time"), summary.metric("simulated years a day")
    assert time is not None and time.low is not None and time.high is not None
    assert years is not None and years.unit == "years/day"
    # 86400 s a day hold 172800 steps: 7200 days of the model.
    assert years.median == pytest.approx(7200 / 365)
    assert years.minimum == pytest.approx(7200 / 365 / 2)
    # The inverse of the time: its ends change places.
    assert years.low == pytest.approx(years.median * time.median / time.high)
    assert years.high == pytest.approx(years.median * time.median / time.low)
    assert years.low is not None and years.high is not None
    assert years.low < years.median < years.high


def test_ranks_that_begin_at_one_moment_have_a_skew(tmp_path: Path) -> None:
    late = {"late_s": [1e-8, 3e-8, 5e-6], "late_allowed_s": 2e-7, "preempted": [0, 0, 0]}
    summary = found(tmp_path, *launch(1, moved_bytes=0, pairs=[], **late))
    assert medians(summary.metrics) == {"time": ("s", 3.0, 2.0), "skew": ("s", 2e-8, 1e-8)}


def test_a_skew_of_nothing_is_no_metric(tmp_path: Path) -> None:
    late = {"late_s": [0.0, 0.0, 1e-9]}
    summary = found(tmp_path, *launch(1, moved_bytes=0, pairs=[], **late))
    assert [metric.name for metric in summary.metrics] == ["time"]
