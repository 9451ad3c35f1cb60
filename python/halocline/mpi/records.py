"""Records of added MPI libraries: one JSON file each in data_home()/mpi."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct

from halocline.base.files import replace
from halocline.base.paths import data_home
from halocline.base.reading import json_file
from halocline.base.toolchain import Family

_SCHEMA = 1


@dataclass(frozen=True)
class Record:
    """An MPI library as it was when checked.

    `wrapper` builds its driver; None if the driver for the standard ABI is used.
    """

    name: str
    family: Family
    library: str
    library_path: Path | None
    launcher: Path
    wrapper: Path | None
    settings: Mapping[str, str]
    key: str  # of the identity
    compiler: str = ""  # of the identity; records of older versions lack it


_Text = Annotated[str, Meta(pattern="^[^\\0]+$")]  # also a path's or a variable's value


class _File(Struct):
    family: Family
    library: str
    library_path: _Text | None
    launcher: _Text
    wrapper: _Text | None
    settings: dict[_Text, Annotated[str, Meta(pattern="^[^\\0]*$")]]
    key: Annotated[str, Meta(pattern="^[0-9a-f]+$")]
    compiler: str = ""


def folder() -> Path:
    return data_home() / "mpi"


def load(name: str) -> Record | None:
    """The record of this name, None if missing; UserError if its file is damaged."""
    file = folder() / f"{name}.json"
    if not file.exists():
        return None
    remedy = f"remove it with: halocline mpi remove {name}"
    content = json_file(file, _File, "an MPI library's record", remedy)
    return Record(
        name=name,
        family=content.family,
        library=content.library,
        library_path=_path(content.library_path),
        launcher=Path(content.launcher),
        wrapper=_path(content.wrapper),
        settings=content.settings,
        key=content.key,
        compiler=content.compiler,
    )


def names() -> tuple[str, ...]:
    """The names of all records, sorted."""
    return tuple(sorted(file.stem for file in folder().glob("*.json")))


def save(record: Record) -> None:
    """Write the record atomically: a reader sees the old or the new one."""
    folder().mkdir(parents=True, exist_ok=True)
    content = {"schema": _SCHEMA, **asdict(record)}
    text = json.dumps(content, indent=2, default=str) + "\n"
    replace(folder() / f"{record.name}.json", text)


def forget(name: str) -> None:
    (folder() / f"{name}.json").unlink(missing_ok=True)


def _path(text: str | None) -> Path | None:
    return Path(text) if text else None
