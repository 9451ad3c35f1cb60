"""The claims: every verdict follows from the numbers, and none from anything else."""

from __future__ import annotations

import json
import math
import re
import tomllib
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from conftest import Command
from documents import CHECKOUT
from findings.made_up import OFF_NODE, ON_NODE, measured, skipped, summary
from findings.models import spectral
from findings.redistributed import copied
from findings.scenarios import SCENARIOS
from halocline.base.errors import RunFailed, UserError
from halocline.cli.here import own_catalogue
from halocline.findings.claim import Answer, Number, chosen, claims
from halocline.findings.evidence import OTHER_WAY
from halocline.findings.measured import (
    answers,
    experiment_file,
    folder,
    newest,
    profiles_in,
    refused_in,
    summary_in,
    within_cores,
)
from halocline.findings.rows import e5, h4, h7, h8, x14
from halocline.findings.text import number_text, to_json
from halocline.findings.verdicts import answer
from halocline.hosts import RATE
from halocline.launch.machine import machines
from halocline.profile.workloads import CaseProfile
from halocline.samples.run_folder import create
from halocline.specification.catalogue import from_json
from halocline.specification.expand import expand
from halocline.specification.experiment import Experiment, Part
from halocline.specification.spec import Known, load
from halocline.store.paper import GRID
from halocline.summary.summary import Summary
from samples_records import complete, failure, jsonl, samples, start


def verdict(found: Summary, row: ModuleType) -> Answer:
    return answer(row.claim, {row.claim.experiments[0]: found})


ROWS = {"C": 11, "E": 14, "H": 12, "U": 13, "X": 20}  # of the papers, by their letter


def test_every_row_of_the_papers_is_a_claim() -> None:
    rows = [f"{letter}{number}" for letter, last in ROWS.items() for number in range(1, last + 1)]
    assert [claim.id for claim in claims()] == rows


def test_every_claim_names_its_paper_and_how_it_is_measured_or_what_is_lacking() -> None:
    for claim in claims():
        assert claim.paper
        if claim.judge:
            measured = claim.experiments + claim.profiles
            assert all(experiment_file(name).exists() for name in measured)
            assert measured and claim.criteria
        else:
            assert claim.lacks


def test_a_claim_that_nothing_here_answers_says_what_would() -> None:
    lacking = {claim.id: claim for claim in claims() if claim.judge is None}
    assert {"E11", "E12", "H10", "H11", "H12", "X19", "U9", "U13"} <= lacking.keys()
    for claim, result, _ in answers(tuple(lacking.values())):
        assert (result.verdict, result.because) == ("cannot be answered", claim.lacks)
        assert re.match("needs |describes the paper's machine", claim.lacks)
        for words in re.findall("`halocline run ([^`]*)`", claim.lacks):
            assert "layout=" in words and "--hosts" in words  # else on a single node


def test_a_claim_that_compares_libraries_measures_several() -> None:
    compared = [claim for claim in claims() if claim.compares_libraries]
    assert [claim.id for claim in compared] == ["C9", "U8"]
    for claim in compared:
        for name in claim.experiments:
            content = tomllib.loads(experiment_file(name).read_text(encoding="utf-8"))
            assert len(content["experiment"]["mpi"]) > 1


def test_every_experiment_can_be_read() -> None:
    machines_here = tuple(machine.name for machine in machines())
    vocabulary = Known(
        from_json(own_catalogue()), ("mpich", "intel", "openmpi", "simgrid"), machines_here
    )
    for name in {name for claim in claims() for name in claim.experiments + claim.profiles}:
        assert load(experiment_file(name), vocabulary).all_parts


def test_pairs_need_cores() -> None:
    result = verdict(summary(cores=2), h7)
    assert result.verdict == "cannot be answered"
    assert "this machine has 2" in result.because


def test_pairs_beyond_the_cores_are_not_taken() -> None:
    """32 processes are named; 8 answer nothing, even if 8 cores are there."""
    found = SCENARIOS["H7"].summaries(True)["pairs"]
    fewer = replace(found, environment={"processor": {"cores": 8}})
    assert verdict(fewer, h7).verdict == "cannot be answered"


def test_processes_in_pairs_need_each_of_their_sizes() -> None:
    (h9,) = chosen(("H9",))
    full = SCENARIOS["H9"].summaries(True)
    timed = measured("pairs", 1e-6, ranks=64, pattern="pingpong", pairs=0, bytes=1024)
    refused = replace(timed, status="refused", reason="other work took 30 %", metrics=())
    fewer = replace(full["pairs"], cases=(*full["pairs"].cases, refused))
    result = answer(h9, {**full, "pairs": fewer})
    assert result.verdict == "cannot be answered"
    assert "pairs bytes=1024 was refused: other work took 30 %" in result.because


@pytest.mark.parametrize(("rate", "machine"), [(RATE, True), ("", True), (None, False)])
def test_nodes_on_this_machine_need_its_cores(rate: str | None, machine: bool) -> None:
    result = verdict(replace(summary(cores=2), made_rate=rate), x14)
    assert result.verdict == "cannot be answered"
    assert ("need four cores, this machine has 2" in result.because) == machine


@pytest.mark.parametrize("name", ["H3", "H4", "H5", "H8", "X8", "X9"])
def test_large_messages_between_hosts_made_here_answer_nothing(name: str) -> None:
    """Their time is that of a link whose rate is set."""
    (claim,) = chosen((name,))
    full = SCENARIOS[name].summaries(True)
    assert answer(claim, full).verdict == "reproduced"
    made = {file: replace(found, made_rate=RATE) for file, found in full.items()}
    result = answer(claim, made)
    assert result.verdict == "cannot be answered"
    why = {"H4": "packets are those of Linux"}.get(name, "rate is set here")
    assert why in result.because
    large = [part for part in result.parts if "4 MiB" in part.what or "65536 words" in part.what]
    between = [part for part in large if ON_NODE not in part.what and "on node" not in part.what]
    assert {part.status for part in between} <= {"open"}


def test_payload_on_another_way_is_not_a_wrong_payload() -> None:
    """It arrived right, but the counters of the network do not show it."""
    driver = (CHECKOUT / "src/halocline/measure/path.cpp").read_text(encoding="utf-8")
    assert OTHER_WAY in driver
    (h9,) = chosen(("H9",))
    full = SCENARIOS["H9"].summaries(True)
    reason = f"12 of 1000 payload bytes between 2 nodes crossed their interfaces: {OTHER_WAY}"
    cases = tuple(
        replace(each, status="failed", reason=reason, metrics=())
        if each.case.settings(("layout",))["layout"] == OFF_NODE
        else each
        for each in full["messages"].cases
    )
    result = answer(h9, {**full, "messages": replace(full["messages"], cases=cases)})
    assert result.verdict == "cannot be answered"
    assert OTHER_WAY in result.because


def test_two_launches_that_differ_have_an_unbounded_interval() -> None:
    number = Number("ratio", 1.8, "", 0.0, math.inf)
    assert number_text(number) == "1.800 (interval unbounded)"


def test_large_pages_that_a_kernel_does_not_give_have_no_effect_to_judge() -> None:
    (claim,) = chosen(("X16",))
    (name, full), *_ = SCENARIOS["X16"].summaries(True).items()
    for setting, verdict_ in (
        ("madvise", "reproduced"),
        ("never", "cannot be answered"),
        (None, "cannot be answered"),
    ):
        environment = {**full.environment, "memory": {"transparent_huge_pages": setting}}
        assert answer(claim, {name: replace(full, environment=environment)}).verdict == verdict_


def test_what_was_skipped_is_reported_with_its_reason() -> None:
    lacking = skipped("pingpong", "no windows here", protocol="put_flag", bytes=8)
    result = verdict(summary(lacking), h8)
    assert result.verdict == "cannot be answered"
    assert "no windows here" in result.because


def test_other_packets_are_steps_too() -> None:
    """Packets of 1448 B, as of TCP over Ethernet, are not what the claim sees after SP7."""
    result = answer(h4.claim, SCENARIOS["H4"].summaries(False))
    assert result.verdict == "differs"
    assert "steps every 14" in result.because


def test_readings_that_disagree_answer_nothing() -> None:
    """Plain copying takes as many times as long as there are points."""
    copies = [copied(0.03, GRID), *(copied(0.03 * n, grid) for grid, n in e5.READINGS.items())]
    result = verdict(summary(*copies), e5)
    assert result.verdict == "cannot be answered"
    assert [part.status for part in result.parts] == ["holds", "fails", "fails"]


def test_criteria_are_printed_before_anything_is_measured(command: Command) -> None:
    assert "at most 0.9804 (off node)" in command("findings", "H3").out
    (found,) = json.loads(command("findings", "H3", "--json").out)["findings"]
    assert found["criteria"][1] == {
        "part": "small, on node",
        "quantity": "time of a flushed put over that of a get, 8 B",
        "relation": "within 1.02 to 1.25",
        "low": 1.02,
        "high": 1.25,
        "places": ["1N2P"],
    }


def test_ranks_without_a_core_are_not_measured_here() -> None:
    pairs = Experiment("pairs", ("pairs",), ranks=(2, 4, 64))
    within = within_cores(pairs, 4)
    assert within is not None and within.ranks == (2, 4)
    assert within_cores(Experiment("pairs", ("pairs",), ranks=(64,)), 4) is None
    nodes = Part("halo", ("halo",), configuration=(("layout", ("1N2P", "2N2P")),))
    made = Experiment("halo", hosts="made", parts=(nodes,))
    small = within_cores(made, 2)
    assert small is not None and small.swept("layout") == ("1N2P",)
    assert within_cores(replace(made, hosts="up"), 2) == replace(small, hosts="up")
    real = replace(made, hosts="a,b")
    assert within_cores(real, 2) == real


def test_an_unknown_claim_is_refused() -> None:
    with pytest.raises(UserError, match=r"unknown finding 'Z9'.*H5"):
        chosen(("Z9",))
    assert [claim.id for claim in chosen(("h5",))] == ["H5"]


def test_nothing_measured_says_how_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HALOCLINE_HOME", str(tmp_path))
    for claim, found, runs in answers(claims()):
        assert found.verdict == "cannot be answered"
        assert runs == ()
        assert (f"halocline findings {claim.id} --run" in found.because) == bool(claim.judge)


def test_a_run_that_measured_nothing_hides_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, driver_catalogue: dict[str, Any]
) -> None:
    monkeypatch.setenv("HALOCLINE_HOME", str(tmp_path))
    asked = Experiment("t", ("pingpong",), mpi=("mpich",))

    def run(name: str, status: str = "") -> None:
        made = create(folder("halo") / name, asked, {"catalogue": driver_catalogue})
        records = [start(1), failure(1)]
        if status == "refused":
            of_case = expand(made.experiment, made.catalogue)[0].id
            records = [start(1), samples(1, of_case, preempted=[1, 1, 1]), complete(1)]
        elif status:
            of_case = expand(made.experiment, made.catalogue)[0].id
            records = [start(1), samples(1, of_case, status=status), complete(1)]
        made.samples.write_text(jsonl(records))

    run("1", "measured")
    run("2")
    (folder("halo") / "3").mkdir()
    (folder("halo") / "3/experiment.toml").touch()
    run("4", "skipped")
    found = newest("halo", summary_in)
    assert found is not None and found[0] == folder("halo") / "1"
    assert newest("messages", summary_in) is None
    run("5", "refused")  # launches whose samples do not count
    found = newest("halo", summary_in)
    assert found is not None and found[0] == folder("halo") / "1"
    found = newest("halo", refused_in)
    assert found is not None and found[0] == folder("halo") / "5"
    run("6", "failed")
    found = newest("halo", summary_in)
    assert found is not None and found[0] == folder("halo") / "6"


def test_a_profiled_run_counts_once_a_case_is_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, driver_catalogue: dict[str, Any]
) -> None:
    asked = Experiment("t", ("pingpong",))
    run = create(tmp_path / "run", asked, {"catalogue": driver_catalogue})
    assert profiles_in(run.path) is None
    monkeypatch.setattr(CaseProfile, "recorded", property(lambda profile: True))
    monkeypatch.setattr("halocline.findings.measured.recorded", lambda profile, words: profile)
    assert profiles_in(run.path)
    (run.path / "environment.json").unlink()
    assert profiles_in(run.path) is None


def test_interrupted_runs_leave_the_claims_unanswered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HALOCLINE_HOME", str(tmp_path))
    for name in {name for claim in claims() for name in claim.experiments + claim.profiles}:
        (folder(name) / "2026-01-01").mkdir(parents=True)
        (folder(name) / "2026-01-01/experiment.toml").touch()
    assert {(found.verdict, runs) for _, found, runs in answers(claims())} == {
        ("cannot be answered", ())
    }


def test_the_command_lists_every_claim(command: Command) -> None:
    result = json.loads(command("findings", "--json").out)
    assert [each["id"] for each in result["findings"]] == [claim.id for claim in claims()]
    assert "H5  cannot be answered" in command("findings").out
    refused = command("findings", "H5", "--budget", "5s")
    assert refused.code == 2
    assert "without --run" in refused.err


def test_what_is_left_out_is_no_part_of_the_answers(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("halocline.findings.measured.within_cores", lambda *_: None)
    monkeypatch.setattr(
        "halocline.cli.findings.load", lambda file, vocabulary, options: Experiment(file.stem)
    )
    ended = command("findings", "H4", "--run", "--json")
    assert [each["id"] for each in json.loads(ended.out)["findings"]] == ["H4"]
    assert "messages: left out, needs more than " in ended.err
    refused = command("findings", "H4", "--run", "--hosts", "a,b")  # without a layout
    assert (refused.code, refused.out) == (2, "")
    assert "--hosts a,b; leave it out" in refused.err


@pytest.mark.parametrize(
    ("failure", "code", "said"),
    [
        (RunFailed("rank 1 ended early", remedy="mend it"), 1, 3 * ["rank 1 ended early; mend it"]),
        # The same for all of them, so it is said once.
        (UserError("intel is missing", remedy="add it"), 2, ["intel is missing; add it"]),
    ],
)
def test_an_experiment_that_fails_leaves_the_others_to_be_measured(
    failure: Exception,
    code: int,
    said: list[str],
    command: Command,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun: list[str] = []

    def begin(experiment: Experiment, output: Path) -> None:
        begun.append(experiment.title)
        raise failure

    monkeypatch.setattr("halocline.cli.measuring.begin", begin)
    monkeypatch.setattr(
        "halocline.cli.findings.load", lambda file, vocabulary, options: Experiment(file.stem)
    )
    ended = command("findings", "H4", "X9", "--run")
    assert (begun, ended.code) == (["messages", "halo", "placement"], code)
    assert "X9  cannot be answered" in ended.out
    assert ended.err == "".join(f"halocline: {line}\n" for line in said)


def test_the_share_of_the_physics_that_was_given_to_the_model_is_shown_and_not_judged() -> None:
    (x17,) = chosen(("X17",))
    waves = summary(spectral(0.6, ON_NODE, balance="twin", protocol="isend_recv"))
    result = answer(x17, {"atmosphere": waves})
    assert result.verdict == "cannot be answered"
    (number,) = result.numbers
    assert number.what == "physics over spectral dynamics with their messages"


def test_a_bound_that_noise_leaves_open_is_null_in_json() -> None:
    number = Number("a over b", 1.0, "", 0.0, float("inf"))
    unsure = Answer("cannot be answered", "noise", (number,))
    claim = next(iter(claims()))
    (finding,) = to_json([(claim, unsure, ())])["findings"]
    assert finding["numbers"][0]["high"] is None
    json.dumps(finding, allow_nan=False)
