"""Making, reading and refusing run folders."""

from __future__ import annotations

import errno
import fcntl
import json
import os
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from halocline.base.errors import UserError, UserErrors
from halocline.samples import run_folder
from halocline.samples.run_folder import (
    check_same_environment,
    create,
    default_path,
    drop_unended_line_of,
    end_last_line,
    holding,
    open_run,
    reserved,
)
from halocline.specification.experiment import Experiment

EXPERIMENT = Experiment("t", ("pingpong",), mpi=("site",))


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Survey of nid0042", "20261121-110509-survey-of-nid0042"),
        ("µ/../..", "20261121-110509"),
        ("x" * 99, "20261121-110509-" + "x" * 40),
    ],
)
def test_the_default_name_has_the_date_and_the_title(title: str, name: str) -> None:
    assert default_path(title, datetime(2026, 11, 21, 11, 5, 9)) == Path("runs") / name


def test_two_runs_of_one_second_have_names_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    now = datetime(2026, 11, 21, 11, 5, 9)
    names = [reserved("halo", now).name for _ in range(3)]
    assert names == [f"20261121-110509-halo{end}" for end in ("", "-2", "-3")]


def test_a_name_that_another_run_took_meanwhile_is_not_shared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken, free = tmp_path / "halo", tmp_path / "halo-2"
    taken.mkdir()
    names = iter([taken, free])
    monkeypatch.setattr(run_folder, "default_path", lambda *_: next(names))
    assert reserved("halo", datetime(2026, 11, 21)) == free
    assert free.is_dir()


@pytest.mark.parametrize("runs", ["file", "link"])
def test_where_no_folder_can_be_reserved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, runs: str
) -> None:
    monkeypatch.chdir(tmp_path)
    if runs == "file":
        Path("runs").touch()
    else:
        Path("runs").symlink_to("nowhere")
    with pytest.raises(UserError, match="cannot write into runs/20261121-000000-halo: "):
        reserved("halo", datetime(2026, 11, 21))


def test_what_is_written_is_read_again(tmp_path: Path, driver_catalogue: dict[str, Any]) -> None:
    path = tmp_path / "deep/run"
    made = create(path, EXPERIMENT, {"host": "h", "catalogue": driver_catalogue})
    assert made == open_run(path)
    assert made.experiment == EXPERIMENT
    assert made.environment["host"] == "h"
    assert {file.name for file in path.iterdir()} == {"experiment.toml", "environment.json"}


def test_an_empty_folder_is_taken(tmp_path: Path, driver_catalogue: dict[str, Any]) -> None:
    assert create(tmp_path, EXPERIMENT, {"catalogue": driver_catalogue}).path == tmp_path


def test_two_runs_that_found_a_folder_empty_do_not_share_it(
    tmp_path: Path, driver_catalogue: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "my run"
    path.mkdir()
    monkeypatch.setattr(Path, "iterdir", lambda _: iter(()))
    environment = {"host": "h", "catalogue": driver_catalogue}
    create(path, EXPERIMENT, environment)
    with pytest.raises(UserError) as refused:
        create(path, EXPERIMENT, {**environment, "host": "another"})
    assert str(refused.value) == (
        f"{path} is not empty; resume it with `halocline run --resume '{path}'`, or choose "
        "another --output"
    )
    assert open_run(path).environment["host"] == "h"


def test_a_folder_that_could_not_be_filled_is_free_again(
    tmp_path: Path, driver_catalogue: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, text: str) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched, pytest.raises(OSError, match="No space left"):
        patched.setattr(run_folder, "replace", full)
        create(tmp_path, EXPERIMENT, {"catalogue": driver_catalogue})
    create(tmp_path, EXPERIMENT, {"catalogue": driver_catalogue})


def test_a_damaged_environment_is_named(tmp_path: Path, driver_catalogue: dict[str, Any]) -> None:
    folder = create(tmp_path, EXPERIMENT, {"catalogue": driver_catalogue})
    file = folder.path / "environment.json"
    for text in ("{", "[]", "{}", json.dumps({"catalogue": {"schema": 1}})):
        file.write_text(text)
        with pytest.raises(UserError) as raised:
            open_run(tmp_path)
        assert str(raised.value).startswith(f"{file}: not the environment of a run: ")
        assert str(raised.value).endswith("; restore the file from a copy, or measure again")


def test_the_last_line_is_ended_once(tmp_path: Path, driver_catalogue: dict[str, Any]) -> None:
    folder = create(tmp_path, EXPERIMENT, {"catalogue": driver_catalogue})
    end_last_line(folder)
    assert not folder.samples.exists()
    for before, after in ((b"", b""), (b'{"a', b'{"a\n'), (b"{}\n", b"{}\n")):
        folder.samples.write_bytes(before)
        end_last_line(folder)
        assert folder.samples.read_bytes() == after


def test_an_incomplete_last_line_is_removed_in_place(tmp_path: Path) -> None:
    file = tmp_path / "file"
    drop_unended_line_of(file)
    assert not file.exists()
    for before, after in ((b"", b""), (b'{"a', b""), (b'{}\n{"\xc3', b"{}\n"), (b"{}\n", b"{}\n")):
        file.write_bytes(before)
        file.chmod(0o640)
        inode = file.stat().st_ino
        drop_unended_line_of(file)
        assert file.read_bytes() == after
        assert (file.stat().st_ino, file.stat().st_mode & 0o777) == (inode, 0o640)


def test_a_folder_is_held_by_a_lock_on_a_file_in_it(tmp_path: Path) -> None:
    with holding(tmp_path):
        with pytest.raises(UserError, match="another process is measuring into"):
            holding(tmp_path).__enter__()
        with (tmp_path / ".lock").open() as other, pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    with holding(tmp_path):
        pass


def test_what_fails_while_a_folder_is_held_is_no_other_process(tmp_path: Path) -> None:
    with pytest.raises(BlockingIOError), holding(tmp_path):
        raise BlockingIOError


def test_a_run_is_not_resumed_with_other_settings_of_mpi_or_another_version(
    tmp_path: Path, driver_catalogue: dict[str, Any]
) -> None:
    before = {
        "host": "h",
        "processor": {"model": "p"},
        "mpi": [],
        "mpi_variables": {"UCX_TLS": "tcp", "SLURM_JOB_ID": "1", "PMI_RANK": "0"},
        "halocline": {"version": "0.0.1"},
        "catalogue": driver_catalogue,
    }
    experiment = Experiment("t", ("pingpong",), axes=(("bytes", (8,)),))
    folder = create(tmp_path / "run", experiment, before)
    same = {**before, "mpi_variables": {"UCX_TLS": "tcp", "SLURM_JOB_ID": "2"}}
    check_same_environment(folder, same, folder.catalogue)
    now = {**same, "mpi_variables": {"FI_PROVIDER": "tcp"}, "halocline": {"version": "0.0.2"}}
    with pytest.raises(UserErrors) as raised:
        check_same_environment(folder, now, folder.catalogue)
    said = [str(problem).partition(": ")[2].partition(";")[0] for problem in raised.value.problems]
    assert said == [
        "the variable FI_PROVIDER was 'not set' and is 'tcp'",
        "the variable UCX_TLS was 'tcp' and is 'not set'",
        "Halocline was '0.0.1' and is '0.0.2'",
    ]


def test_a_run_is_not_resumed_with_another_file(
    tmp_path: Path, driver_catalogue: dict[str, Any]
) -> None:
    plan = {"name": "plan", "kind": "file", "default": ["none"], "made_by": "replay"}
    for workload in driver_catalogue["workloads"]:
        if workload["name"] == "pingpong":
            workload["axes"] = [*workload["axes"], {**workload["axes"][0], **plan}]
    file = tmp_path / "calls.plan"
    file.write_text("one")
    axes = (("bytes", (8,)), ("plan", (str(file),)))
    before = {"host": "h", "processor": {"model": "p"}, "mpi": [], "catalogue": driver_catalogue}
    experiment = Experiment("t", ("pingpong",), axes=axes, machine="mock:1us")
    folder = create(tmp_path / "run", experiment, before)
    check_same_environment(folder, before, folder.catalogue)
    file.write_text("two")
    with pytest.raises(UserErrors, match=f"the content of {file} was '"):
        check_same_environment(folder, before, folder.catalogue)
