"""Making, reading and refusing run folders."""

from __future__ import annotations

import json
import os
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from halocline.base.errors import UserError
from halocline.samples.run_folder import create, default_path, end_last_line, open_run, replace
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
    names = []
    for _ in range(3):
        path = default_path("halo", now)
        path.mkdir(parents=True)
        names.append(path.name)
    assert names == [f"20261121-110509-halo{end}" for end in ("", "-2", "-3")]


def test_what_is_written_is_read_again(tmp_path: Path, driver_catalogue: dict[str, Any]) -> None:
    path = tmp_path / "deep/run"
    made = create(path, EXPERIMENT, {"host": "h", "catalogue": driver_catalogue})
    assert made == open_run(path)
    assert made.experiment == EXPERIMENT
    assert made.environment["host"] == "h"
    assert {file.name for file in path.iterdir()} == {"experiment.toml", "environment.json"}


def test_an_empty_folder_is_taken(tmp_path: Path, driver_catalogue: dict[str, Any]) -> None:
    assert create(tmp_path, EXPERIMENT, {"catalogue": driver_catalogue}).path == tmp_path


def test_a_damaged_environment_is_named(tmp_path: Path, driver_catalogue: dict[str, Any]) -> None:
    folder = create(tmp_path, EXPERIMENT, {"catalogue": driver_catalogue})
    file = folder.path / "environment.json"
    for text in ("{", "[]", "{}", json.dumps({"catalogue": {"schema": 1}})):
        file.write_text(text)
        with pytest.raises(UserError) as raised:
            open_run(tmp_path)
        assert str(raised.value).startswith(f"{file}: not the environment of a run: ")
        assert str(raised.value).endswith("; restore the file from a copy, or measure again")


def test_replacing_leaves_the_old_file_if_it_fails(tmp_path: Path) -> None:
    file = tmp_path / "file"
    replace(file, "old")
    with pytest.raises(UnicodeEncodeError):
        replace(file, "new \ud800")
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_the_last_line_is_ended_once(tmp_path: Path, driver_catalogue: dict[str, Any]) -> None:
    folder = create(tmp_path, EXPERIMENT, {"catalogue": driver_catalogue})
    end_last_line(folder)
    assert not folder.samples.exists()
    for before, after in ((b"", b""), (b'{"a', b'{"a\n'), (b"{}\n", b"{}\n")):
        folder.samples.write_bytes(before)
        end_last_line(folder)
        assert folder.samples.read_bytes() == after


def test_a_device_is_written_to_and_stays_one(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        replace(pipe, "text")
        assert (pipe.is_fifo(), os.read(reader, 10)) == (True, b"text")
    finally:
        os.close(reader)
