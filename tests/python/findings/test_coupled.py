"""C9: what each of two libraries ran, and how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from findings.made_up import summary
from halocline.findings.claim import Verdict
from halocline.findings.rows import c9
from halocline.findings.verdicts import answer
from halocline.model.components import COMPONENTS
from halocline.samples.dataset import load
from halocline.summary.metrics import of_case
from halocline.summary.summary import CaseSummary
from model.coupled_runs import coupled
from samples_records import Record, complete, jsonl, samples, start

ALL = dict.fromkeys(COMPONENTS, 0.1)


def with_library(
    name: str, run_s: Mapping[str, float] = ALL, coupling_s: float = 0.05, checksum: float = 7.0
) -> CaseSummary:
    ranks = dict.fromkeys(COMPONENTS, 1)
    found = coupled("mixed", 0.5, ranks, run_s, coupling_s, checksum=checksum)
    return replace(found, case=replace(found.case, mpi=name))


def verdict(*cases: CaseSummary) -> Verdict:
    return answer(c9.claim, {"coupled": summary(*cases)}).verdict


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (with_library("intel"), "reproduced"),
        (with_library("intel", checksum=8.0), "differs"),
        (with_library("intel", {**ALL, "ice": 0.0}), "differs"),
        (with_library("intel", coupling_s=0.0), "differs"),
        (with_library("openmpi"), "cannot be answered"),
    ],
)
def test_both_libraries_run_all_to_the_same_end(other: CaseSummary, expected: Verdict) -> None:
    assert verdict(with_library("mpich"), other) == expected


def test_what_was_not_measured_has_its_reason() -> None:
    lost = replace(with_library("intel"), status="skipped", reason="no such library", metrics=())
    found = answer(c9.claim, {"coupled": summary(with_library("mpich"), lost)})
    assert found.verdict == "cannot be answered"
    assert "no such library" in found.because


def test_a_phase_that_is_missing_answers_nothing() -> None:
    lost = replace(with_library("intel"), phases=())
    found = answer(c9.claim, {"coupled": summary(with_library("mpich"), lost)})
    assert found.verdict == "cannot be answered"
    assert "with intel has no time of land_run" in found.because


def test_launches_that_end_otherwise_answer_nothing(tmp_path: Path) -> None:
    records: list[Record] = []
    for launch, checksum in enumerate((7.0, 8.0), 1):
        facts = [{"name": "checksum", "unit": "", "value": checksum}]
        batches: Record = {"elapsed_s": [[4.0]], "preempted": [0], "facts": facts}
        records += [start(launch), samples(launch, **batches), complete(launch)]
    file = tmp_path / "samples.jsonl"
    file.write_text(jsonl(records), encoding="utf-8")
    unsure = replace(with_library("intel"), metrics=of_case(load(file).usable("a"), 0.0, 0.0))
    found = answer(c9.claim, {"coupled": summary(with_library("mpich"), unsure)})
    assert found.verdict == "cannot be answered"
    assert "with intel has another checksum in other launches" in found.because
