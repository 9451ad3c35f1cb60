"""A comparison that was stopped goes on where it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conftest import Command
from halocline.base.errors import UserError
from halocline.cli.comparing import require_same_nodes
from halocline.hosts import Hosts
from halocline.launch.job import Job, Outcome
from halocline.launch.mock import mock_job
from halocline.samples.dataset import load
from halocline.samples.run_folder import holding, open_run
from mock_runs import MOCK, stop_at

SIDES = ("--a", "machine=mock:1us", "--b", "machine=mock:1.1us")
CASES = ("pingpong", "bytes=8,64", "protocol=send_recv", "--launches", "10..10")
GROUPS = (*CASES, "env.GROUP=1,2")  # each has launches of its own


def launches_of(run: str) -> list[int]:
    """The launches that are complete."""
    return [end.launch for end in load(Path(run, "samples.jsonl")).completions]


@pytest.mark.parametrize("job_number", [1, 2, 3, 10, 19])
@pytest.mark.parametrize("cases", [CASES, GROUPS])
def test_it_goes_on_to_as_many_launches_as_were_asked_for(
    cases: tuple[str, ...], job_number: int, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_at(monkeypatch, job_number)
    ended = command("compare", *SIDES, *cases, "--output", "both")
    assert ended.code == 130
    assert "resume with `halocline compare --resume both`" in ended.err
    monkeypatch.setattr(MOCK, mock_job)
    ended = command("compare", "--resume", "both", "--json")
    assert ended.code == 0, ended.err
    found = json.loads(ended.out)
    assert found["verdict"] == "slower"
    assert len(found["cases"]) == (4 if cases is GROUPS else 2)
    assert {case["ratio"]["launches"] for case in found["cases"]} <= {10, 11}
    assert Path("both/report.html").is_file()


def test_one_that_was_stopped_at_once_says_so(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_at(monkeypatch, 2)
    command("compare", *SIDES, *CASES, "--output", "both")
    ended = command("compare", "both")
    assert ended.code == 2
    assert "no launch has measured all sides yet; resume with" in ended.err


def test_one_that_ended_is_reported_again_and_gets_no_more_launches(command: Command) -> None:
    command("compare", *SIDES, *CASES, "--output", "both")
    assert command("compare", "--resume", "both").code == 0
    assert launches_of("both/a") == list(range(1, 11))


def test_a_group_that_always_fails_ends_it(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[Job] = []

    def failing(job: Job, *others: Any) -> Outcome:
        begun.append(job)
        if "GROUP=2" in job.label:
            return Outcome(False, "crashed", "what it said")
        return mock_job(job, *others)

    monkeypatch.setattr(MOCK, failing)
    ended = command("compare", *SIDES, *GROUPS, "--output", "both")
    assert ended.code == 1
    assert "crashed" in ended.err
    assert len(begun) == 3 * 2 * 2
    monkeypatch.setattr(MOCK, mock_job)
    again = command("compare", "--resume", "both", "--json")
    assert again.code == 0, again.err
    counts = {case["ratio"]["launches"] for case in json.loads(again.out)["cases"]}
    assert counts == {10, 13}  # those of the other group count too


def test_other_nodes_than_before_are_refused_before_a_measurement(command: Command) -> None:
    command("compare", *SIDES, *CASES, "--output", "both")
    folder = open_run(Path("both/a"))
    (node,) = set(load(folder.samples).starts[0].hosts)
    agent = Path("srun")
    require_same_nodes(folder, Hosts((f"{node.upper()}.site", "another"), agent))
    require_same_nodes(folder, Hosts(("an-alias",)))
    with pytest.raises(UserError, match=f"launch 1 was on {node}, the nodes are now another, "):
        require_same_nodes(folder, Hosts(("another", node), agent))


def test_two_do_not_measure_into_one_folder(command: Command) -> None:
    command("compare", *SIDES, *CASES, "--output", "both")
    with holding(Path("both/a")):
        ended = command("compare", "--resume", "both")
    assert ended.code == 2
    assert "another process is measuring into both/a" in ended.err


def test_a_damaged_line_is_named(command: Command) -> None:
    command("compare", *SIDES, *CASES, "--output", "both")
    with Path("both/launches.jsonl").open("a") as file:
        file.write("nonsense\n")
    ended = command("compare", "--resume", "both")
    assert ended.code == 2
    assert "both/launches.jsonl:11: not a launch" in ended.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--resume", "both", "pingpong"), "'pingpong' together with --resume"),
        (("--resume", "both", "--gate", "3%"), "'3%' together with --resume"),
        (("--resume", "both", "--launches", "20"), "'--launches' together with --resume"),
        (("--resume", "nowhere"), "nowhere is not a comparison"),
    ],
)
def test_it_is_resumed_as_it_was_begun(words: tuple[str, ...], said: str, command: Command) -> None:
    ended = command("compare", *words)
    assert ended.code == 2
    assert said in ended.err


def test_what_an_interrupted_one_has_is_shown(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_at(monkeypatch, 11)
    assert command("compare", *SIDES, *CASES, "--output", "both").code == 130
    shown = command("compare", "both")
    assert "interrupted after 5 of 8 launches; resume with " in shown.out
    assert "--budget" not in shown.out
    assert "1.000 µs" in shown.out and "1.100 µs" in shown.out


def test_one_that_was_interrupted_in_its_first_launch_is_no_matter_of_the_budget(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopping(job: Job, *others: Any) -> Outcome:
        outcome = mock_job(job, *others)
        if job.samples.parent.name == "b":
            raise KeyboardInterrupt
        return outcome

    monkeypatch.setattr(MOCK, stopping)
    assert command("compare", *SIDES, *CASES, "--output", "both").code == 130
    shown = command("compare", "both")
    assert "of 8 launches; resume with " in shown.out
    assert "--budget" not in shown.out
