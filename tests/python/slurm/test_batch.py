"""The batch job's script, and what is refused before there is one."""

from __future__ import annotations

import errno
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from conftest import Command
from halocline.base.errors import UserError
from halocline.slurm.batch import Batch, job_name, script
from halocline.slurm.submission import submit

ASKED = ("submit", "pingpong", "layout=2N1P", "bytes=8", "--nodes", "2", "--time", "90s")


def batch(folder: Path, **changes: object) -> Batch:
    fields: dict[str, object] = {
        "title": "pingpong and pingping",
        "run": folder / "a run",
        "command": folder / "halocline",
        "directory": folder,
        "nodes": 2,
        "time_s": 1830.0,
    }
    return Batch(**{**fields, **changes})  # type: ignore[arg-type]


def directives(text: str) -> list[str]:
    return [
        line.removeprefix("#SBATCH ") for line in text.splitlines() if line.startswith("#SBATCH ")
    ]


def test_what_slurm_is_asked_for(tmp_path: Path) -> None:
    asked = batch(tmp_path, partition="fast", account="me", options=("--constraint=ib",))
    assert directives(script(asked)) == [
        "--job-name=halocline-pingpong-and-pingping",
        "--nodes=2",
        "--exclusive",
        "--time=31",
        "--partition=fast",
        "--account=me",
        f"--chdir={tmp_path}",
        f"--output='{tmp_path}/a run/batch/slurm-%j.out'",
        "--open-mode=append",
        "--requeue",
        "--signal=B:TERM@60",
        "--constraint=ib",
    ]


def test_no_partition_and_no_account_unless_asked(tmp_path: Path) -> None:
    text = script(batch(tmp_path))
    assert "--partition" not in text
    assert "--account" not in text


def test_a_percent_sign_in_the_path_is_no_pattern_of_slurm(tmp_path: Path) -> None:
    asked = batch(tmp_path, run=tmp_path / "5%jitter")
    assert f"--output={tmp_path}/5%%jitter/batch/slurm-%j.out" in directives(script(asked))
    assert asked.output("7") == tmp_path / "5%jitter/batch/slurm-7.out"


@pytest.mark.launches
def test_the_script_begins_the_run_and_goes_on_with_it_the_next_time(tmp_path: Path) -> None:
    """Carried out with a command in Halocline's place that prints its arguments."""
    asked = batch(tmp_path, variables=(("HALOCLINE_HOME", "/a home"),))
    asked.command.write_text('#!/bin/sh\necho "$HALOCLINE_HOME" "$@" $$\n')
    asked.command.chmod(0o755)
    asked.folder.mkdir(parents=True)
    asked.script.write_text(script(asked))

    def carried_out() -> tuple[str, bool]:
        with subprocess.Popen(["bash", asked.script], stdout=subprocess.PIPE, text=True) as child:
            *words, pid = child.communicate()[0].split(" ")
        return " ".join(words), int(pid) == child.pid  # the signal reaches Halocline itself

    run = asked.run
    assert carried_out() == (f"/a home run {run}/batch/experiment.toml --output {run}", True)
    (run / "environment.json").touch()
    assert carried_out() == (f"/a home run --resume {run}", True)


def test_job_names() -> None:
    assert job_name("Survey of n1.site: 2 %") == "halocline-Survey-of-n1-site-2"
    assert len(job_name("long " * 50)) <= 40


def test_a_dry_run_prints_the_script_and_leaves_nothing(command: Command) -> None:
    ended = command(*ASKED, "--dry-run", "--output", "it")
    assert ended.code == 0
    assert "--nodes=2" in directives(ended.out)
    assert "--time=2" in directives(ended.out)
    assert f"run={Path.cwd()}/it\n" in ended.out
    assert list(Path.cwd().iterdir()) == []


@pytest.mark.parametrize("option", ["--json", "--wait"])
def test_a_dry_run_submits_nothing_to_wait_for(command: Command, option: str) -> None:
    ended = command(*ASKED, "--dry-run", option)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"halocline: {option} with --dry-run; leave one of them out")


@pytest.mark.parametrize(
    "name", ["HALOCLINE_HOME", "HALOCLINE_OPENBLAS", "XDG_DATA_HOME", "XDG_CACHE_HOME"]
)
def test_the_job_finds_the_libraries_where_they_are(
    command: Command, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "/a home")
    assert f"export {name}='/a home'\n" in command(*ASKED, "--dry-run").out


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (
            ("submit", "pingpong", "layout=2N1P", "--nodes", "1", "--time", "2h"),
            "--nodes 1: layout 2N1P needs 2 nodes; ask for --nodes 2",
        ),
        (
            ("submit", "pingpong", "layout=2N1P", "--nodes", "2", "--time", "soon"),
            "--time: 'soon' is not a time; allowed: a number with ns, us, ms, s, min or h, as in "
            "170s, 2min; write for example 30min",
        ),
        (
            ("submit", "pingpong", "layout=2N1P", "--nodes", "2", "--time", "1m"),
            "--time: 1m leaves no time: Slurm signals the job 60 s before its limit; write "
            "for example 30min",
        ),
        (
            ("submit", "pingpong", "--nodes", "2", "--time", "2h"),
            "--hosts: hosts 'slurm' without a layout; add a layout, as in layout=2N1P: one rank on "
            "each of two nodes",
        ),
        (
            (*ASKED, "--dry-run", "placement=file:/none.txt"),
            "the placement /none.txt cannot be read: No such file or directory; allowed: ranks and "
            "ranges of them, as in 0,4,1-3; check the path",
        ),
        *(
            (
                (*ASKED, "--dry-run", f"{option}=a\ntouch canary"),
                f"{option} 'a\\ntouch canary' has a line break; write it in one line",
            )
            for option in ("--partition", "--account", "--sbatch-option")
        ),
        (
            ("submit", "pingpong", "layout=2N1P", "--time", "2h"),
            "missing option '--nodes'; see `halocline submit --help`",
        ),
    ],
)
def test_what_is_refused(words: tuple[str, ...], line: str, command: Command) -> None:
    ended = command(*words)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == f"halocline: {line}\n"


def test_without_slurm_there_is_nobody_to_submit_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError) as error:
        submit(batch(tmp_path), "", wait=False)
    assert str(error.value) == (
        "sbatch is not on PATH; run this on a host with Slurm's commands, or print the script "
        "with --dry-run"
    )
    assert list(tmp_path.iterdir()) == []


def programs(folder: Path, monkeypatch: pytest.MonkeyPatch, **texts: str) -> None:
    """Shell scripts in the place of Slurm's commands."""
    folder.mkdir()
    for name, text in texts.items():
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


@pytest.mark.parametrize(("printed", "cancelled"), [("echo '12;cluster'", "12\n"), ("", "")])
def test_a_submission_that_is_interrupted_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, printed: str, cancelled: str
) -> None:
    scripts, log = tmp_path / "bin", tmp_path / "log"
    log.touch()
    programs(
        scripts,
        monkeypatch,
        sbatch=f"{printed}\nexec 1>&-; sleep 600 & wait",
        scancel=f'echo "$@" >> {log}',
    )
    children: list[subprocess.Popen[str]] = []
    communicate = subprocess.Popen.communicate

    def interrupted(child: subprocess.Popen[str], *arguments: Any, **more: Any) -> Any:
        if not children:
            children.append(child)
            raise KeyboardInterrupt
        return communicate(child, *arguments, **more)

    monkeypatch.setattr(subprocess.Popen, "communicate", interrupted)
    with pytest.raises(KeyboardInterrupt):
        submit(batch(tmp_path), "", wait=False)
    assert log.read_text() == cancelled
    assert children[0].returncode is not None
    assert sorted(tmp_path.iterdir()) == [scripts, log]


def test_a_script_that_cannot_be_written_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: Batch) -> str:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("halocline.slurm.submission.script", full)
    with pytest.raises(OSError, match="No space left"):
        submit(batch(tmp_path), "", wait=False)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_taken_is_left_alone(tmp_path: Path) -> None:
    asked = batch(tmp_path)
    asked.run.mkdir()
    (asked.run / "samples.jsonl").touch()
    with pytest.raises(UserError) as error:
        submit(asked, "", wait=False)
    assert str(error.value) == f"{asked.run} is not empty; choose another --output"
    assert [file.name for file in asked.run.iterdir()] == ["samples.jsonl"]
