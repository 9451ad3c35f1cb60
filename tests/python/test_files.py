"""Files are written as a whole or not at all."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from halocline.base.errors import UserError
from halocline.base.files import file_name, replace, replacing, writing_into
from halocline.base.toolchain import Family
from halocline.hosts.record import RECORD, Made, Process
from halocline.hosts.record import write as write_hosts
from halocline.mpi import records


def full(path: Path, text: str, encoding: str = "") -> int:
    """In place of Path.write_text: the disk has room for half of the text."""
    path.write_bytes(text.encode()[: len(text) // 2])
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_replacing_leaves_the_old_file_if_it_fails(tmp_path: Path) -> None:
    file = tmp_path / "file"
    replace(file, "old")
    with pytest.raises(UnicodeEncodeError):
        replace(file, "new \ud800")
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_device_is_written_to_and_stays_one(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        replace(pipe, "text")
        assert (pipe.is_fifo(), os.read(reader, 10)) == (True, b"text")
    finally:
        os.close(reader)


def test_a_link_stays_one(tmp_path: Path) -> None:
    (target := tmp_path / "target").write_text("old")
    (link := tmp_path / "link").symlink_to(target)
    replace(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_two_files_are_replaced_together(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for text in ("old", "new"):
        with replacing(first) as one, replacing(second) as other:
            one.write_text(text)
            other.write_text(text)
    no_space = pytest.raises(OSError, match="No space left")
    with no_space, replacing(first) as one, replacing(second) as other:
        other.write_text("never")
        full(one, "never")
    assert {file.name: file.read_text() for file in tmp_path.iterdir()} == {
        "first": "new",
        "second": "new",
    }


def test_nothing_is_left_of_records_on_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HALOCLINE_HOME", str(tmp_path))
    monkeypatch.setattr(Path, "write_text", full)
    nowhere = Path("/nowhere")
    record = records.Record("site", Family.MPICH, "MPICH", None, nowhere, nowhere, {}, "0a")
    with pytest.raises(OSError, match="No space left") as raised:
        records.save(record)
    assert raised.value.filename == str(records.folder() / "site.json")
    with pytest.raises(OSError, match="No space left") as raised:
        write_hosts(Made(records.folder(), "", "", (), (), Process(1, 1), ()))
    assert raised.value.filename == str(records.folder() / RECORD)
    assert list(records.folder().iterdir()) == []


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(UserError) as refused, writing_into(file / "run"):
        (file / "run").mkdir()
    assert str(refused.value) == (
        f"cannot write into {file}/run: Not a directory; choose another folder with --output"
    )
    with pytest.raises(OSError, match="No space left"), writing_into(tmp_path):
        full(file, "text")


def test_names_of_files_have_no_separators() -> None:
    assert file_name("mpich env.A=/b layout=1N2P") == "mpich_env.A=_b_layout=1N2P"


def test_long_words_are_short_file_names_that_differ(tmp_path: Path) -> None:
    names = {file_name(f"mpich {'env.A=é' * 100}{end}") for end in "ab"}
    assert len(names) == 2
    for name in names:
        (tmp_path / f"{name}-12.log").touch()
