"""`halocline tune` from words to files, on a machine whose times are in its name."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import Command
from documents import CHECKOUT
from halocline.cli import tuning
from halocline.compare import folder as comparison
from halocline.launch.job import Job, Outcome
from halocline.launch.mock import mock_job
from halocline.launch.reasons import BEFORE_FIRST_CASE
from halocline.tune.bench import DEFAULT_SAMPLES, Bench
from halocline.tune.plan_file import NAME
from halocline.tune.search import FINAL_LAUNCHES, FINAL_LAUNCHES_MOST
from samples_records import alter

MOCK = "halocline.campaign.starters.mock_job"
WORDS = ("tune", "pingpong", "bytes=8", "--machine", "mock:1us", "--budget", "60s")
TRIED = ("--settings", "none", "--try", "env.A=1", "--output", "tuned")


def test_where_all_are_alike_the_default_is_kept(command: Command) -> None:
    ended = command(*WORDS, *TRIED)
    assert ended.code == 0, ended.err
    assert "Keep the default (protocol=send_recv): the best of the others" in ended.out
    assert "3 candidates were measured, 1 could not be." in ended.out
    assert "left out: 1, skipped: it came with MPI 4" in ended.out
    for name in ("settings.sh", "settings.module", "repeat.toml", "final/report.html"):
        assert f"tuned/{name}" in ended.out
        assert Path("tuned", name).is_file()
    again = command("run", "tuned/repeat.toml", "--launches", "1", "--output", "again")
    assert again.code == 0, again.err


def test_every_key_is_in_the_reference(command: Command) -> None:
    result = json.loads(command(*WORDS, *TRIED, "--json").out)
    assert result == json.loads(Path("tuned/result.json").read_text(encoding="utf-8"))
    page = (CHECKOUT / "docs/reference/tune-json.md").read_text(encoding="utf-8")
    keys = {*result, *result["files"], *result["finalists"][0], *result["candidates"][0]}
    assert sorted(key for key in keys if f"`{key}`" not in page) == []
    assert result["outcome"] == "as_good"
    assert result["recommended"] == {}
    assert {each["rung"] for each in result["candidates"]} == {3}


@pytest.mark.parametrize("launches", [1, 4, 12, 20])
def test_an_interrupted_search_goes_on(
    launches: int, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = launches

    def stopping(job: Job, *others: Any) -> Any:
        nonlocal left
        left -= 1
        if left == 0:
            raise KeyboardInterrupt
        return mock_job(job, *others)

    monkeypatch.setattr(MOCK, stopping)
    ended = command(*WORDS, *TRIED)
    assert ended.code == 130
    assert "resume with `halocline tune --resume tuned`" in ended.err
    again = command("tune", "--resume", "tuned")
    assert again.code == 0, again.err
    assert "Keep the default" in again.out


def failing_with(monkeypatch: pytest.MonkeyPatch, failed: Callable[[Job], str]) -> list[Job]:
    """Jobs of a search fail with the given reason; those of its launches so far."""
    begun: list[Job] = []

    def ended(job: Job, *others: Any) -> Outcome:
        begun.append(job)
        reason = failed(job)
        return Outcome(False, reason, "what it said") if reason else mock_job(job, *others)

    monkeypatch.setattr(MOCK, ended)
    return begun


def is_default(job: Job) -> bool:
    return job.samples.name == DEFAULT_SAMPLES


HANGS = "no progress for 60 s at case 1 of 3 (1)"
DOES_NOT_START = f"ended early with exit code 1 {BEFORE_FIRST_CASE}"


def test_who_hangs_is_to_blame_and_not_the_default_that_waits(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failed(job: Job) -> str:
        first = job.launch == 2  # the settings', after the default's configuration
        return HANGS if first and (is_default(job) or "A" in job.environment) else ""

    failing_with(monkeypatch, failed)
    ended = command(*WORDS, *TRIED, "--json")
    assert ended.code == 0, ended.err
    left_out = json.loads(ended.out)["left_out"]
    assert [why for why in left_out.values() if why.startswith("failed: ")] == [
        f"failed: {HANGS}; see jobs/2-1.log"
    ]
    assert "what it said" in Path("tuned/jobs/2-1.log").read_text(encoding="utf-8")


def test_a_setting_with_which_nothing_starts_is_tried_once(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failed(job: Job) -> str:
        return DOES_NOT_START if "A" in job.environment else ""

    begun = failing_with(monkeypatch, failed)
    ended = command(*WORDS, *TRIED, "--json")
    assert ended.code == 0, ended.err
    result = json.loads(ended.out)
    assert sum("A" in job.environment for job in begun) == 1
    out = [name for name, why in result["left_out"].items() if why.startswith("failed: ")]
    assert out and all("env.A=1" in name for name in out)
    assert len(out) == result["measured"] + 1  # all ways of which the default is one


def test_a_default_that_fails_ends_the_search_with_what_was_measured(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing_with(monkeypatch, lambda job: HANGS if is_default(job) and job.launch == 2 else "")
    ended = command(*WORDS, *TRIED)
    assert ended.code == 1
    assert f"the default failed: {HANGS}" in ended.err
    assert "resume with `halocline tune --resume tuned`" in ended.err


def test_a_full_disk_excludes_no_candidate(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = "cannot write samples.jsonl: No space left on device"
    failing_with(monkeypatch, lambda job: full if job.launch == 3 and not is_default(job) else "")
    ended = command(*WORDS, *TRIED)
    assert ended.code == 1
    assert "free some space, then resume with `halocline tune --resume tuned`" in ended.err
    failing_with(monkeypatch, lambda job: "")
    resumed = command("tune", "--resume", "tuned", "--json")
    assert resumed.code == 0, resumed.err
    left_out = json.loads(resumed.out)["left_out"]
    assert not [why for why in left_out.values() if why.startswith("failed: ")]


def test_what_fails_in_the_last_comparison_is_not_launched_for_ever(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(job: Job, *others: Any) -> Outcome:
        outcome = mock_job(job, *others)
        if job.samples.parent.name == "b" and "final" in str(job.samples):
            right, failed = '"status":"measured","reason":""', '"status":"failed","reason":"wrong"'
            alter(job.samples, right, failed)
        return outcome

    monkeypatch.setattr(MOCK, wrong)
    ended = command(*WORDS, *TRIED, "--json")
    assert ended.code in (0, 1), ended.err


def test_a_default_that_moves_wrong_data_is_what_the_candidates_are_left_out_for(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(job: Job, *others: Any) -> Outcome:
        outcome = mock_job(job, *others)
        right, failed = '"status":"measured","reason":""', '"status":"failed","reason":"wrong"'
        if job.samples.name == "default.jsonl":
            alter(job.samples, right, failed)
        return outcome

    monkeypatch.setattr(MOCK, wrong)
    ended = command(*WORDS, *TRIED, "--json")
    assert "the default failed: wrong" in ended.out + ended.err


def test_lost_launches_of_the_last_comparison_are_made_up_for(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def with_lost_ones(path: Path) -> tuple[list[Any], float]:
        """Each side loses another one: the best is held against all."""
        tables, delay = logs(path)
        for lost, table in enumerate(tables):
            table[lost] = np.nan
        return tables, delay

    logs = comparison.logs
    monkeypatch.setattr(comparison, "logs", with_lost_ones)
    monkeypatch.setattr(tuning, "final_launches", lambda *_: FINAL_LAUNCHES)
    ended = command(*WORDS, *TRIED, "--json")
    assert ended.code == 0, ended.err
    result = json.loads(ended.out)
    assert result["outcome"] == "as_good"
    launches = FINAL_LAUNCHES + len(result["finalists"])
    assert launches_of("tuned") == launches
    assert {each["against_default"]["launches"] for each in result["finalists"]} == {launches - 1}


def test_a_budget_of_no_time_is_refused(command: Command) -> None:
    ended = command("tune", "--resume", "tuned", "--budget", "0s")
    assert (ended.code, ended.out) == (2, "")
    assert "'0s' is no time; allowed: " in ended.err


def test_more_launches_than_the_most_are_not_made(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(path: Path) -> tuple[list[Any], float]:
        return [np.full_like(table, np.nan) for table in logs(path)[0]], 0.0

    logs = comparison.logs
    monkeypatch.setattr(comparison, "logs", lost)
    monkeypatch.setattr(tuning, "final_launches", lambda *_: FINAL_LAUNCHES)
    assert command(*WORDS, *TRIED).code == 0
    assert launches_of("tuned") == FINAL_LAUNCHES_MOST
    monkeypatch.setattr(Bench, "spent_s", lambda bench: 60.0)  # all of the budget
    assert command(*WORDS, *TRIED[:-1], "late").code == 0
    assert launches_of("late") == FINAL_LAUNCHES


def launches_of(folder: str) -> int:
    """How many the last comparison of a search had."""
    return len(Path(folder, "final/launches.jsonl").read_text(encoding="utf-8").splitlines())


def test_a_search_that_is_done_is_reported_again_without_launches(command: Command) -> None:
    command(*WORDS, *TRIED)
    before = {file: file.read_bytes() for file in Path("tuned").rglob("*.jsonl")}
    again = command("tune", "--resume", "tuned")
    assert "Keep the default" in again.out
    assert {file: file.read_bytes() for file in Path("tuned").rglob("*.jsonl")} == before


def test_a_damaged_search_is_refused(command: Command) -> None:
    command(*WORDS, *TRIED)
    Path("tuned", NAME).write_text("{}", encoding="utf-8")
    ended = command("tune", "--resume", "tuned")
    assert ended.code == 2
    assert "not the request of a search" in ended.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("tune",), "nothing to tune; allowed: a workload, or --resume DIR"),
        (("tune", "pingpng"), "unknown workload 'pingpng'"),
        (("tune", "pingpong,pingping"), "2 workloads to tune"),
        (("tune", "pingpong", "--try", "UCX_TLS=sm"), "'UCX_TLS=sm' is not a library setting"),
        (("tune", "pingpong", "--default", "protocol"), "--default 'protocol'"),
        (("tune", "pingpong", "--default", "bytes=8"), "--default bytes=8; allowed: protocol"),
        (("tune", "pingpong", "--default", "protocol=isendrecv"), "it came with MPI 4"),
        (("tune", "pingpong", "--default", "protocol=nonsense"), "--default protocol=nonsense"),
        (("tune", "pingpong", "--settings", "nowhere"), "nowhere cannot be read"),
        (("tune", "pingpong", "--resolution", "0"), "--resolution 0"),
        (("tune", "--resume", "here"), "here was not written by `halocline tune`"),
        (("tune", "pingpong", "--resume", "here"), "'pingpong' together with --resume"),
        (("tune", "--resume", "here", "--ranks", "4"), "'--ranks' together with --resume"),
        (("tune", "--resume", "here", "--budget", "soon"), "--budget: "),
        (("tune", "pingpong", "--ranks", "0"), "ranks"),
    ],
)
def test_wrong_usage_names_the_remedy(words: tuple[str, ...], said: str, command: Command) -> None:
    Path("here").mkdir()
    machine = () if "--resume" in words else ("--machine", "mock:1us")
    ended = command(*words, *machine)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert ended.err.count("\n") == 1
