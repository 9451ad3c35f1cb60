"""Sides that took turns beside other work: it shifts both, so their ratio holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from halocline.compare import history
from halocline.compare.comparison import Comparison, of_turns
from halocline.compare.gate import judgement, junit
from halocline.samples.dataset import Dataset, load
from halocline.specification.cases import Case
from samples_records import complete, jsonl, samples, start

CASE = Case("pingpong", (("bytes", 8),), "mpich", "here", 2)
LAUNCHES = 12


def side(file: Path, time_s: float) -> Dataset:
    """Four blocks of five batches in each launch, the last one preempted for 8 ms."""
    block = [time_s * 1.01, time_s * 0.99, time_s, time_s, 8e-3]
    records = []
    for launch in range(1, LAUNCHES + 1):
        jitter = 1 + 0.001 * (launch % 3)
        record = samples(
            launch,
            CASE.id,
            repeats=1,
            block_batches=5,
            elapsed_s=[[jitter * batch for batch in 4 * block]],
            preempted=4 * [0, 0, 0, 0, 1],
        )
        records += [start(launch), record, complete(launch)]
    file.write_text(jsonl(records))
    return load(file)


@pytest.fixture
def compared(tmp_path: Path) -> Comparison:
    sides = side(tmp_path / "a.jsonl", 1e-4), side(tmp_path / "b.jsonl", 1.05e-4)
    assert all(len(each.under_load) == LAUNCHES for each in sides)
    return of_turns(("a", "b"), sides, [(CASE, CASE)])


def test_the_ratio_and_the_times_are_reported(compared: Comparison) -> None:
    (row,) = compared.rows
    assert row.ratio.ratio == pytest.approx(1.05)
    assert row.ratio.verdict == "slower"
    assert (row.baseline_s, row.other_s) == pytest.approx((1.001e-4, 1.05105e-4))


def test_a_gate_keeps_its_history(compared: Comparison, tmp_path: Path) -> None:
    judged = judgement([compared, compared], 0.03)
    history.append(tmp_path / "history", judged, "c0ffee")
    (entry,) = history.read(tmp_path / "history")
    assert entry.time_s == pytest.approx(1.05105e-4)
    assert entry.regressed
    assert "None" not in junit(judged)
