"""The paper's own figure: each run's mean of 50 exchanges, the smallest of ten runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from halocline.samples.dataset import load
from halocline.specification.cases import Case
from halocline.specification.experiment import Experiment
from halocline.summary.esmf import NAME
from halocline.summary.metrics import Metric
from halocline.summary.summary import summarise
from samples_records import Record, complete, jsonl, samples, start


def smallest(path: Path, *launches: list[float], workload: str = "redistribution") -> Metric | None:
    """Of launches whose batches of 25 exchanges take so many seconds each."""
    axes = (("fields", 8), ("grid", "16x32x4"))
    case = Case(workload, axes, "mpich", "here", 2)
    records: list[Record] = []
    for number, batches in enumerate(launches, start=1):
        preempted = [int(len(batches) > 1), *len(batches[1:]) * [0]]
        changes: Record = {"repeats": 25, "elapsed_s": [batches], "preempted": preempted}
        records += [start(number), samples(number, case.id, **changes), complete(number)]
    file = path / "samples.jsonl"
    file.write_text(jsonl(records))
    summary = summarise(load(file), (case,), Experiment("redistribution", (workload,)), {})
    return summary.cases[0].metric(NAME)


def test_each_run_counts_its_first_fifty_also_when_disturbed(tmp_path: Path) -> None:
    found = smallest(tmp_path, [75.0, 25.0, 1.0], [50.0, 30.0, 1.0])
    assert found is not None
    assert found.median == pytest.approx(1.6)
    assert (found.launches, found.samples) == (2, 100)
    assert (found.low, found.high) == (None, None)


def test_no_more_than_ten_runs_count(tmp_path: Path) -> None:
    found = smallest(tmp_path, *10 * [[50.0, 50.0]], [25.0, 25.0])
    assert found is not None
    assert (found.median, found.launches) == (2.0, 10)


def test_fewer_exchanges_are_no_run(tmp_path: Path) -> None:
    assert smallest(tmp_path, [50.0], [50.0]) is None
    found = smallest(tmp_path, [25.0], [50.0, 50.0])
    assert found is not None and found.launches == 1


def test_other_workloads_have_none(tmp_path: Path) -> None:
    assert smallest(tmp_path, [50.0, 50.0], workload="halo") is None
