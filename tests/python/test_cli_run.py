"""`halocline run` from the words to the figures, on a machine whose times are known."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Command
from halocline.base.errors import Terminated, UserError
from halocline.launch.job import Job, Outcome, Progress
from halocline.launch.mock import mock_job
from mock_runs import exact
from samples_records import alter

WORDS = ("run", "pingpong,pingping", "bytes=8,1MiB", "protocol=send_recv", "--launches", "3")


def test_the_summary_has_the_machine_s_times(command: Command) -> None:
    ended = command(*WORDS, "--machine", "mock:1.5us", "--output", "here", "--json")
    assert ended.code == 0, ended.err
    summary = json.loads(ended.out)
    assert summary["schema"] == 1
    assert summary["run"]["complete"] is True
    assert summary["run"]["launches"] == {"mpich": 3}
    found = {
        (case["workload"], case["axes"]["bytes"], metric["name"]): (
            *(metric[key] for key in ("median", "low", "high", "minimum")),
            metric["launches"],
        )
        for case in summary["cases"]
        for metric in case["metrics"]
    }

    def all_of(value: float) -> tuple[object, ...]:
        return (*(pytest.approx(value, rel=1e-12) for _ in range(4)), 3)

    assert found == {
        **{
            (workload, size, "time"): all_of(1.5e-6)
            for workload in ("pingpong", "pingping")
            for size in (8, 2**20)
        },
        ("pingpong", 8, "bandwidth"): all_of(8 / 1.5e-6),
        ("pingpong", 2**20, "bandwidth"): all_of(2**20 / 1.5e-6),
        ("pingping", 8, "bandwidth"): all_of(16 / 1.5e-6),
        ("pingping", 2**20, "bandwidth"): all_of(2**21 / 1.5e-6),
    }
    assert [case["status"] for case in summary["cases"]] == ["measured"] * 4
    assert command("summary", "here", "--json").out.strip() != ""


def test_a_run_is_a_folder_with_its_report(command: Command) -> None:
    ended = command(*WORDS, "--machine", "mock:2ms", "--mpi", "intel", "--mpi", "mpich")
    assert ended.code == 0, ended.err
    (folder,) = Path("runs").iterdir()
    assert ended.out == f"report: {folder}/report.html\n"
    assert {file.name for file in folder.iterdir()} == {
        *("experiment.toml", "environment.json", "launches.jsonl", "samples.jsonl", "report.html"),
        ".lock",
    }
    assert folder.name.endswith("-pingpong-and-pingping")
    assert [line.split(",")[0] for line in ended.err.splitlines()] == ["intel launch 1: 4 cases"]


def test_a_file_gives_the_same_cases_as_words(command: Command) -> None:
    command(*WORDS, "--machine", "mock:1us", "--output", "a")
    command("run", "a/experiment.toml", "--output", "b")
    first, second = (
        json.loads(command("summary", name, "--json").out)["cases"] for name in ("a", "b")
    )
    assert first == second


def test_resuming_completes_a_run(command: Command) -> None:
    command(*WORDS, "--machine", "mock:1us", "--output", "a")
    whole = json.loads(command("summary", "a", "--json").out)["cases"]
    samples = Path("a/samples.jsonl")
    samples.write_bytes(samples.read_bytes()[:-500])
    assert json.loads(command("summary", "a", "--json").out)["run"]["complete"] is False
    ended = command("run", "--resume", "a")
    assert ended.code == 0, ended.err
    assert json.loads(command("summary", "a", "--json").out)["cases"] == whole
    assert command("run", "--resume", "a").err == ""


def test_a_failure_is_exit_1_with_the_report_of_the_rest(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(job: Job, traversal_s: float, on_progress: Callable[[Progress], None]) -> Outcome:
        if job.launch == 2:
            return Outcome(False, "rank 0 was killed")
        return mock_job(job, traversal_s, on_progress)

    monkeypatch.setattr("halocline.campaign.starters.mock_job", fails)
    ended = command(*WORDS, "--machine", "mock:1us", "--output", "a")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.splitlines()[-1] == (
        "halocline: mpich: rank 0 was killed; what was measured is saved in a; see a/jobs, "
        "fix the cause, and resume with `halocline run --resume a`"
    )
    assert Path("a/report.html").is_file()


def test_a_run_without_a_figure_exits_with_1_and_still_prints_what_became_of_it(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lacking(job: Job, _: float, on_progress: Callable[[Progress], None]) -> Outcome:
        outcome = exact(job, on_progress)
        skipped = '"status":"skipped","reason":"no shared memory"'
        alter(job.samples, '"status":"measured","reason":""', skipped)
        return outcome

    monkeypatch.setattr("halocline.campaign.starters.mock_job", lacking)
    ended = command(*WORDS, "--machine", "mock:1us", "--output", "a", "--json")
    assert ended.code == 1
    assert {case["status"] for case in json.loads(ended.out)["cases"]} == {"skipped"}
    assert "halocline: no figure for any of 4 cases (skipped: no shared memory); " in ended.err
    assert Path("a/report.html").is_file()
    again = command("survey", "--machine", "mock:1us", "--output", "b")
    assert again.code == 1
    assert "mpich: 8 B latency" in again.out
    assert "Traceback" not in again.err


REPORT = "write the report with `halocline report a`"


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (KeyboardInterrupt(), 130, f"interrupted; what was measured is saved in a; {REPORT}"),
        (Terminated(), 143, f"terminated; what was measured is saved in a; {REPORT}"),
        (
            OSError(28, "No space left on device"),
            1,
            "no space left for the report on the disk of a; what was measured is saved in a; "
            f"free some space, then {REPORT}",
        ),
    ],
)
def test_a_report_that_is_not_written_leaves_a_complete_run(
    command: Command,
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    code: int,
    line: str,
) -> None:
    def ends(*_: object) -> Path:
        raise error

    with monkeypatch.context() as without_report:
        without_report.setattr("halocline.report.html.write_report", ends)
        ended = command(*WORDS, "--machine", "mock:1us", "--output", "a")
    assert (ended.code, ended.out) == (code, "")
    assert ended.err.splitlines()[-1] == f"halocline: {line}"
    assert json.loads(command("summary", "a", "--json").out)["run"]["complete"] is True
    assert command("report", "a").code == 0


@pytest.mark.parametrize(
    ("problem", "line"),
    [
        (OSError(28, "No space left on device"), "no space left for the report on "),
        (OSError(30, "Read-only file system", "a/x"), "[Errno 30] Read-only file system: 'a/x'"),
        (UserError("cannot write a/x", remedy="mend"), "cannot write a/x; mend"),
    ],
)
def test_a_failure_is_reported_even_if_its_report_cannot_be_written(
    command: Command, monkeypatch: pytest.MonkeyPatch, problem: Exception, line: str
) -> None:
    def fails(job: Job, traversal_s: float, on_progress: Callable[[Progress], None]) -> Outcome:
        mock_job(job, traversal_s, on_progress)
        return Outcome(False, "rank 0 was killed")

    def full(*_: object) -> Path:
        raise problem

    monkeypatch.setattr("halocline.campaign.starters.mock_job", fails)
    monkeypatch.setattr("halocline.report.html.write_report", full)
    ended = command(*WORDS, "--machine", "mock:1us", "--output", "a")
    assert ended.code == 1
    assert ended.err.splitlines()[-2].startswith(f"no report yet: {line}")
    assert ended.err.splitlines()[-1].startswith("halocline: mpich: rank 0 was killed; ")


def test_a_full_disk_without_a_name_is_reported_without_one(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("halocline.cli.measuring.collect", full)
    ended = command(*WORDS, "--machine", "mock:1us", "--output", "a")
    assert ended.code == 1
    assert ended.err == "halocline: no space left on the disk; free some space and try again\n"


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (KeyboardInterrupt(), 130, "interrupted; what was measured is saved in a; resume with"),
        (Terminated(), 143, "terminated; what was measured is saved in a; resume with"),
        (OSError(28, "No space left on device", "a/x"), 1, "no space left on the disk of a/x;"),
        (UserError("wrong", remedy="mend"), 2, "wrong; mend"),
        (RuntimeError("surprise"), 1, "unexpected error: RuntimeError: surprise; please report"),
    ],
)
def test_each_end_has_its_exit_code_and_one_line(
    command: Command,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    error: BaseException,
    code: int,
    line: str,
) -> None:
    def ends(*_: object) -> Outcome:
        raise error

    monkeypatch.setattr("halocline.campaign.starters.mock_job", ends)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    ended = command(*WORDS, "--machine", "mock:1us", "--output", "a")
    assert ended.code == code
    assert ended.out == ""
    (said,) = [text for text in ended.err.splitlines() if text.startswith("halocline: ")]
    assert said.startswith(f"halocline: {line}")
    assert "Traceback" not in ended.err
    logs = list(tmp_path.glob("halocline-*.log"))
    assert len(logs) == (1 if "unexpected" in line else 0)
    assert all("in ends" in log.read_text() and str(log) in said for log in logs)
