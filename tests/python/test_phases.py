"""Phases of a step: read from samples, and reduced to times, shares, imbalance and rates."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from halocline.base.errors import UserError
from halocline.samples.dataset import load
from halocline.specification.cases import Case
from halocline.specification.experiment import Experiment
from halocline.summary.bounds import Work
from halocline.summary.phases import OfBound, PhaseSummary, UsualBatch
from halocline.summary.summary import CaseSummary, Summary, summarise, to_json
from samples_records import Record, complete, jsonl, samples, start

CASE = Case("model", (("size", 4),), "mpich", "here", 2)
TRIAD = Case("stream_triad", (("active", "all"), ("bytes", 2**26)), "mpich", "here", 2)
DGEMM = Case("dgemm", (("active", "all"), ("n", 512)), "mpich", "here", 2)

# Two steps a batch; the last batch was preempted. Rank 1 is never in the second phase.
PHASES: list[Record] = [
    {
        "name": "dynamics",
        "operations": [40, 20],
        "memory_bytes": [0, 0],
        "sent_bytes": [8, 16],
        "elapsed_s": [[2.0, 4.0, 900.0], [6.0, 8.0, 900.0]],
    },
    {
        "name": "halo",
        "operations": [0, 0],
        "memory_bytes": [100, 300],
        "sent_bytes": [0, 0],
        "elapsed_s": [[4.0, 4.0, 0.0], [0.0, 0.0, 0.0]],
    },
]
STEP: Record = {
    "repeats": 2,
    "moved_bytes": 0,
    "elapsed_s": [[8.0, 10.0, 900.0]],
    "timed_ranks": [0],
    "phases": PHASES,
}


def of(path: Path, *records: Record, cases: tuple[Case, ...] = (CASE,)) -> Summary:
    file = path / "samples.jsonl"
    file.write_text(jsonl(records), encoding="utf-8")
    experiment = Experiment("model", ("model",), ranks=(2,))
    return summarise(load(file), cases, experiment, {})


def launch(number: int, **changes: Any) -> tuple[Record, ...]:
    return start(number), samples(number, CASE.id, **(STEP | changes)), complete(number)


def only(path: Path, *records: Record) -> CaseSummary:
    (case,) = of(path, *records).cases
    return case


def medians(phase: PhaseSummary) -> dict[str, float]:
    return {metric.name: metric.median for metric in phase.metrics}


def test_times_are_of_one_step_and_over_all_ranks(tmp_path: Path) -> None:
    dynamics, halo = only(tmp_path, *launch(1)).phases
    # Clean batches: the ranks take 1 s and 3 s, then 2 s and 4 s a step, of 4 s and 5 s.
    assert medians(dynamics) == {
        "time": 2.5,
        "slowest": 3.5,
        "share": (2 / 4 + 3 / 5) / 2,
        "imbalance": (3 / 2 + 4 / 3) / 2,
        "rate": (30 / 2 + 30 / 3) / 2,
    }
    assert dynamics.rank_s == (1.5, 3.5)
    assert (dynamics.operations, dynamics.sent_bytes) == (Work(60, 40), Work(24, 16))
    assert dynamics.time.samples == 2 and dynamics.time.minimum == 2.0
    assert medians(halo) == {
        "time": 1.0,
        "slowest": 2.0,
        "share": (1 / 4 + 1 / 5) / 2,
        "imbalance": 2.0,
        "bandwidth": 200.0,
    }


def test_ranks_that_rest_count_for_nothing(tmp_path: Path) -> None:
    """With active=one the kernel runs on rank 0 alone, but all ranks count its work."""
    kernel = PHASES[0] | {"operations": [40, 40], "elapsed_s": [[2.0, 4.0, 900.0], [0.0] * 3]}
    (phase,) = only(tmp_path, *launch(1, phases=[kernel])).phases
    known = medians(phase)
    assert (known["time"], known["imbalance"], phase.rank_s) == (1.5, 1.0, (1.5,))
    assert known["rate"] == (40 / 1 + 40 / 2) / 2


def test_the_usual_batch_is_one_that_was_measured(tmp_path: Path) -> None:
    usual = only(tmp_path, *launch(1)).usual_batch
    # Of two clean steps of 4 s and 5 s, as far from their median: the first.
    dynamics, halo = (1.0, 3.0), (2.0, 0.0)
    assert usual == UsualBatch(1, 1, 4.0, {"dynamics": dynamics, "halo": halo})
    disturbed = launch(1, preempted=[1, 0, 1])
    usual = only(tmp_path, *disturbed, *launch(2)).usual_batch
    assert usual and (usual.launch, usual.number, usual.step_s) == (2, 1, 4.0)


def test_mean_times_of_all_phases_are_within_the_step(tmp_path: Path) -> None:
    assert sum(phase.share.median for phase in only(tmp_path, *launch(1)).phases) <= 1


def test_the_interval_is_over_launches(tmp_path: Path) -> None:
    slower = [PHASES[0] | {"elapsed_s": [[4.0, 8.0, 0.0], [12.0, 16.0, 0.0]]}, PHASES[1]]
    dynamics, _ = only(tmp_path, *launch(1), *launch(2, phases=slower)).phases
    assert (dynamics.time.median, dynamics.time.launches) == (3.75, 2)
    assert dynamics.time.low is not None and dynamics.time.low < 2.5
    dynamics, _ = only(tmp_path, *launch(1), *launch(2)).phases
    assert (dynamics.time.low, dynamics.time.high) == (2.5, 2.5)


def test_a_phase_that_no_rank_was_in_has_no_time(tmp_path: Path) -> None:
    never = PHASES[0] | {"elapsed_s": [[0.0] * 3] * 2}
    (phase,) = only(tmp_path, *launch(1, phases=[never]), *launch(2, phases=[never])).phases
    assert medians(phase) == {"time": 0.0, "slowest": 0.0, "share": 0.0, "imbalance": 1.0}
    assert phase.time.low is None and phase.share.half_width_relative is None


def kernels(bandwidth: float, rate: float) -> tuple[Record, ...]:
    """One traversal a second on both ranks."""
    both: Record = {"repeats": 1, "elapsed_s": [[1.0], [1.0]], "preempted": [0], "pairs": []}
    return (
        samples(1, TRIAD.id, **both, moved_bytes=int(bandwidth)),
        samples(1, DGEMM.id, **both, moved_bytes=0, operations=int(rate)),
    )


def test_shares_of_the_bounds_that_the_same_run_measured(tmp_path: Path) -> None:
    begin, step, end = launch(1)
    records = (begin, step, *kernels(400, 50), end)
    model, *_ = of(tmp_path, *records, cases=(CASE, TRIAD, DGEMM)).cases
    dynamics, halo = model.phases
    assert dynamics.of_arithmetic == OfBound("dgemm n=512", 0.25, None, None)
    assert dynamics.of_memory is None  # it reads nothing
    assert halo.of_memory == OfBound("stream_triad 64 MiB", 0.5, None, None)
    assert model.unbounded == ()


def test_what_lacks_for_the_bounds_is_named(tmp_path: Path) -> None:
    assert only(tmp_path, *launch(1)).unbounded == (
        "shares of the memory bandwidth: stream_triad active=all bytes=64MiB on 2 ranks",
        "shares of the arithmetic: dgemm active=all on 2 ranks",
    )


def test_arrays_within_the_caches_are_no_bound(tmp_path: Path) -> None:
    begin, step, end = launch(1)
    file = tmp_path / "samples.jsonl"
    records = (begin, step, *kernels(400, 50), end)
    file.write_text(jsonl(records), encoding="utf-8")
    large = {"processor": {"caches": [{"size_bytes": 600 * 2**20}]}}
    experiment = Experiment("model", ("model",), ranks=(2,))
    model, *_ = summarise(load(file), (CASE, TRIAD, DGEMM), experiment, large).cases
    assert model.phases[1].of_memory is None
    assert model.unbounded == (
        "shares of the memory bandwidth: stream_triad active=all bytes=200MiB on 2 ranks",
    )


def test_data_that_stay_in_a_cache_are_bounded_by_a_triad_as_large(tmp_path: Path) -> None:
    """The triad of 64 MiB passes over 192 MiB, which two ranks' caches of 600 MiB can keep."""
    file = tmp_path / "samples.jsonl"
    large = {"processor": {"caches": [{"size_bytes": 600 * 2**20}]}}
    experiment = Experiment("model", ("model",), ranks=(2,))

    def of_halo(resident_bytes: int) -> tuple[OfBound | None, tuple[str, ...]]:
        phases = [PHASES[0], PHASES[1] | {"resident_bytes": [0, resident_bytes]}]
        records = (*launch(1, phases=phases)[:2], *kernels(400, 50), complete(1))
        file.write_text(jsonl(records), encoding="utf-8")
        model, *_ = summarise(load(file), (CASE, TRIAD, DGEMM), experiment, large).cases
        assert model.phases[1].resident_bytes == Work(resident_bytes, resident_bytes)
        return model.phases[1].of_memory, model.unbounded

    for mebibytes in (130, 280):  # within a factor of 1.5 of 192
        share, missing = of_halo(mebibytes * 2**20)
        assert share == OfBound("stream_triad 64 MiB", 0.5, None, None)
        assert missing == ()
    for mebibytes, wanted in ((120, 32), (12, 4), (3, 1), (290, 128), (601, 200)):
        share, missing = of_halo(mebibytes * 2**20)
        assert share is None
        assert missing == (
            f"shares of the memory bandwidth: stream_triad active=all bytes={wanted}MiB on 2 ranks",
        )


def test_what_has_no_phases_has_none(tmp_path: Path) -> None:
    case = only(tmp_path, *launch(1, phases=[]))
    assert (case.phases, case.unbounded) == ((), ())
    record = samples(1, CASE.id)
    assert "phases" not in record  # as runs of before are
    assert only(tmp_path, start(1), record, complete(1)).phases == ()


def test_json_has_every_phase(tmp_path: Path) -> None:
    (case,) = to_json(of(tmp_path, *launch(1)))["cases"]
    dynamics, halo = json.loads(json.dumps(case["phases"], allow_nan=False))
    assert (dynamics["name"], halo["name"]) == ("dynamics", "halo")
    assert dynamics["time"]["median"] == 2.5
    assert dynamics["rank_s"] == [1.5, 3.5]
    assert dynamics["operations"] == {"total": 60, "largest": 40}
    assert (dynamics["bandwidth"], dynamics["of_memory"]) == (None, None)


@pytest.mark.parametrize(
    ("phases", "wrong"),
    [
        ([PHASES[0], PHASES[0]], "a name is listed twice"),
        ([PHASES[0] | {"operations": [1]}], "phase 'dynamics' needs one entry per rank"),
        ([PHASES[0] | {"elapsed_s": [[1.0], [1.0]]}], "rows of elapsed_s as long as preempted"),
        ([PHASES[0] | {"elapsed_s": []}], "phase 'dynamics' needs one entry per rank"),
        ([PHASES[0] | {"name": ""}], "name"),
        ([PHASES[0] | {"sent_bytes": [-1, 0]}], "sent_bytes"),
        ([PHASES[0] | {"elapsed_s": [[-1.0, 0, 0], [0, 0, 0]]}], "elapsed_s"),
        (
            [{**PHASES[0], **{key: PHASES[0][key][:1] for key in PHASES[0] if key != "name"}}],
            "has phases of 1 ranks, but 2 ranks",
        ),
    ],
)
def test_damaged_phases_are_refused_with_their_line(
    tmp_path: Path, phases: list[Record], wrong: str
) -> None:
    with pytest.raises(UserError, match=wrong) as caught:
        only(tmp_path, *launch(1, phases=phases))
    assert "samples.jsonl:2" in str(caught.value)


@pytest.mark.launches
def test_a_launch_has_the_time_of_every_rank_in_each_phase(tmp_path: Path) -> None:
    """Of the plan that comes with the workload, which has calls of every kind."""
    home = os.environ.get("HALOCLINE_HOME") or str(tmp_path / "home")
    words = "run replay plan=example --ranks 2 --launches 2 --budget 20s --output run"
    # It exits with 1 where other work left no figure: what was measured is there nevertheless.
    subprocess.run(
        [Path(sys.executable).with_name("halocline"), *words.split()],
        cwd=tmp_path,
        env={**os.environ, "HALOCLINE_HOME": home},
        capture_output=True,
        check=False,
    )
    measured = load(tmp_path / "run/samples.jsonl").samples
    assert len(measured) == 2
    for record in measured:
        names = ["messages", "waiting", "collectives", "one_sided"]
        assert [phase.name for phase in record.phases] == names
        # Two rounds of 11 messages and a put, of 24 bytes each.
        assert [phase.sent_bytes.tolist() for phase in record.phases] == [
            *([528, 528], [0, 0], [0, 0], [48, 48]),
        ]
        for phase in record.phases:
            assert phase.elapsed_s.shape == (2, record.preempted.size)
            assert (phase.elapsed_s > 0).all()
        inside_s = np.sum([phase.elapsed_s for phase in record.phases], axis=0)
        assert (inside_s <= record.elapsed_s).all()  # all ranks are timed
