"""Phases of two sides: which part of a step differs, in turn and from recorded runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from halocline.cli.compare import show
from halocline.compare.comparison import Comparison, of_turns, to_json
from halocline.compare.recorded import of_runs
from halocline.samples.dataset import Dataset, load
from halocline.specification.cases import Case
from samples_records import complete, jsonl, samples, start

CASE = Case("model", (("size", 4),), "mpich", "here", 2)
LAUNCHES = 10
BATCHES = 20
HALOS_S = (("a", 1e-4), ("b", 1.5e-4))


def side(
    file: Path,
    halo_s: float,
    phases: bool = True,
    launches: int = LAUNCHES,
    steps: int = 0,
    preempted: int = 0,
    failed: int = 0,
) -> Dataset:
    """A step of 1 ms of dynamics and a halo, which rank 1 is not in; jitter of 0.1 %."""
    records = []
    for launch in range(1, launches + 1):
        jitter = 1 + 0.001 * (launch % 3)
        halo, dynamics = jitter * halo_s, jitter * 1e-3
        work = {"operations": [0, 0], "memory_bytes": [0, 0], "sent_bytes": [0, 0]}
        of_phases = [
            {"name": "dynamics", **work, "elapsed_s": [[dynamics] * BATCHES] * 2},
            {"name": "halo", **work, "elapsed_s": [[2 * halo] * BATCHES, [0.0] * BATCHES]},
            {"name": "never", **work, "elapsed_s": [[0.0] * BATCHES] * 2},
        ]
        record = samples(
            launch,
            CASE.id,
            repeats=1,
            block_batches=5,
            elapsed_s=[[dynamics + 2 * halo] * BATCHES],
            preempted=[preempted] * BATCHES,
            phases=of_phases if phases else [],
            **({"status": "failed", "reason": "wrong payload"} if launch == failed else {}),
            facts=[{"name": "steps_per_day", "unit": "", "value": steps}] if steps else [],
        )
        records += [start(launch), record, complete(launch)]
    file.write_text(jsonl(records))
    return load(file)


@pytest.fixture
def sides(tmp_path: Path) -> tuple[Dataset, Dataset]:
    return side(tmp_path / "a.jsonl", 1e-4), side(tmp_path / "b.jsonl", 1.5e-4)


def compared(sides: tuple[Dataset, Dataset], turns: bool) -> Comparison:
    compare = of_turns if turns else of_runs
    return compare(("a", "b"), sides, [(CASE, CASE)])


@pytest.mark.parametrize("turns", [True, False])
def test_the_phase_that_differs_is_found_and_no_other(
    sides: tuple[Dataset, Dataset], turns: bool
) -> None:
    dynamics, halo, never = compared(sides, turns).phases
    assert halo.ratio.verdict == "slower"
    assert halo.ratio.ratio == pytest.approx(1.5)
    assert (halo.baseline_s, halo.other_s) == pytest.approx((1.001e-4, 1.5015e-4))
    # Runs measured one after the other differ by more than 3 % of themselves.
    assert dynamics.ratio.verdict == ("none" if turns else "unknown")
    assert never.reason == "launches with a time in the phase: 0, needed: 8"
    assert (never.low, never.ratio.verdict) == (None, "unknown")


def test_few_launches_claim_nothing(tmp_path: Path) -> None:
    few = side(tmp_path / "a.jsonl", 1e-4, launches=3), side(tmp_path / "b.jsonl", 2e-4, launches=3)
    assert compared(few, turns=True).phases == ()  # nor of the case
    _, halo, _ = compared(few, turns=False).phases
    assert (halo.ratio.verdict, halo.low) == ("unknown", None)


def test_phases_of_recorded_launches_without_a_figure_claim_nothing(tmp_path: Path) -> None:
    refused = (
        side(tmp_path / "a.jsonl", 1e-4),
        side(tmp_path / "b.jsonl", 1.5e-4, preempted=1),
    )
    _, halo, _ = compared(refused, turns=False).phases
    assert (halo.ratio.verdict, halo.low) == ("unknown", None)
    assert halo.reason == "launches with a time in the phase: 0, needed: 8"


def test_a_case_that_failed_claims_nothing_of_its_phases(tmp_path: Path) -> None:
    wrong = side(tmp_path / "a.jsonl", 1e-4), side(tmp_path / "b.jsonl", 2e-4, failed=3)
    for turns in (True, False):
        found = compared(wrong, turns)
        assert found.rows[0].failed
        assert found.phases == ()


def test_sides_that_have_no_phase_in_common_have_no_table(tmp_path: Path) -> None:
    apart = side(tmp_path / "a.jsonl", 1e-4), side(tmp_path / "b.jsonl", 1e-4, phases=False)
    assert compared(apart, turns=True).phases == compared(apart, turns=False).phases == ()


def test_phases_are_reported(
    sides: tuple[Dataset, Dataset], capsys: pytest.CaptureFixture[str]
) -> None:
    found = compared(sides, turns=True)
    phases = json.loads(json.dumps(to_json(found, ""), allow_nan=False))["phases"]
    assert [(each["phase"], each["ratio"]["verdict"]) for each in phases] == [
        ("dynamics", "none"),
        ("halo", "slower"),
        ("never", "unknown"),
    ]
    show(found)
    printed = capsys.readouterr().out
    assert "Phases: mean time of the ranks in one step" in printed
    (line,) = [line for line in printed.splitlines() if " halo " in line]
    assert "0.1001 ms" in line and "0.1501 ms" in line and "slower by 50" in line


def test_models_that_step_have_their_years_a_day(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    both = [side(tmp_path / f"{name}.jsonl", halo_s, steps=24) for name, halo_s in HALOS_S]
    found = compared((both[0], both[1]), turns=True)
    years = [86400 / (365 * 24 * 1.001 * (1e-3 + 2 * halo_s)) for _, halo_s in HALOS_S]
    assert found.rows[0].years_a_day == pytest.approx(tuple(years))
    assert json.loads(json.dumps(to_json(found, "")))["cases"][0]["years_a_day"] == pytest.approx(
        years
    )
    show(found)
    assert "simulated years a day: a 8211, b 7579" in capsys.readouterr().out


def test_sides_of_which_one_steps_have_none(tmp_path: Path) -> None:
    one = side(tmp_path / "a.jsonl", 1e-4, steps=24), side(tmp_path / "b.jsonl", 1e-4)
    assert compared(one, turns=True).rows[0].years_a_day is None
