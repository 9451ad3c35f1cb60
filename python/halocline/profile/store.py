"""The profile on disk: profile.json and profile.npz, or the parts before merging."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, astuple, dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import msgspec
import numpy as np

from halocline.base.errors import UserError
from halocline.base.files import replacing
from halocline.base.reading import content_of, decoded, require_schema
from halocline.profile.check import check
from halocline.profile.merge import Functions, Job, merge
from halocline.profile.parts import Part, damaged, part_called_mpi, part_is_empty, read_part
from halocline.profile.profile import (
    Arrivals,
    Calls,
    Columns,
    Communicator,
    Events,
    FileInput,
    Memory,
    Mpi,
    Profile,
    Rank,
    Regions,
    Site,
)

Kind = TypeVar("Kind")
# The zip archive, its compression and NumPy raise errors of many classes.
_DAMAGE = (Exception,)
SCHEMA = 1
JOB, FACTS, TABLES = "job.json", "profile.json", "profile.npz"
_TABLES: dict[str, type[Columns]] = {
    "calls": Calls,
    "arrivals": Arrivals,
    "io": FileInput,
    "regions": Regions,
    "memory": Memory,
    "events": Events,
}


def write_job(folder: Path, command: Sequence[str], functions: Functions) -> None:
    """Facts needed to read the parts, written before the command starts."""
    content = {"schema": SCHEMA, "command": list(command), "functions": asdict(functions)}
    (folder / JOB).write_text(json.dumps(content), encoding="utf-8")


def recorded(folder: Path) -> bool:
    """Whether any process has called MPI."""
    return any(part_called_mpi(file) for file in folder.glob("*.part"))


def without_room(folder: Path) -> int:
    """The number of processes that could not start their part of the profile."""
    return sum(part_is_empty(file) for file in folder.glob("*.part"))


@dataclass(frozen=True)
class _Job:
    """The content of JOB."""

    command: tuple[str, ...]
    functions: Functions


def gather(folder: Path, exit_code: int | None) -> Profile:
    """The profile merged from the parts in the folder; UserError without any."""
    with _damage_reported(folder / JOB):
        content = _content(folder / JOB, _Job)
        job = Job(folder, content.command, exit_code, content.functions)
        if len({len(column) for column in astuple(job.functions)}) != 1:
            raise ValueError("its functions differ in number from what they move")
    files = [file for file in sorted(folder.glob("*.part")) if part_called_mpi(file)]
    parts = [part for file in files if (part := _part(file))]
    if not parts:
        raise UserError(
            "no process of the command called MPI under the profiler",
            where=str(folder),
            remedy="profile a program that is linked dynamically with an MPI library",
        )
    try:
        return _merged(parts, job)
    except _DAMAGE:
        for part in parts:  # find the damaged one
            with _damage_reported(part.file):
                _merged([part], job)
        with _damage_reported(folder):
            return _merged(parts, job)


def _part(file: Path) -> Part | None:
    with _damage_reported(file):
        return read_part(file)


def _merged(parts: Sequence[Part], job: Job) -> Profile:
    with np.errstate(all="raise"):
        merged = merge(parts, job)
    check(merged)
    return merged


def save(profile: Profile) -> None:
    """Write the merged profile, then remove its parts.

    OSError if that fails; the parts stay and remain a valid profile.
    """
    facts = {
        "schema": SCHEMA,
        "command": profile.command,
        "started": profile.started.isoformat(),
        "exit_code": profile.exit_code,
        "mpi": asdict(profile.mpi),
        "hosts": profile.hosts,
        "cores": profile.cores,
        "functions": profile.functions,
        "moves": profile.moves,
        "communicators": [asdict(communicator) for communicator in profile.communicators],
        "sites": [asdict(site) for site in profile.sites],
        "ranks": [asdict(rank) for rank in profile.ranks],
        "files": profile.files,
        "region_names": profile.region_names,
        "io_bin_ns": profile.io_bin_ns,
    }
    columns = {
        f"{table}.{column.name}": getattr(getattr(profile, table), column.name)
        for table, kind in _TABLES.items()
        for column in fields(kind)  # type: ignore[arg-type]
    }
    place = profile.folder
    with replacing(place / FACTS) as text, replacing(place / TABLES) as tables:
        with tables.open("wb") as stream:
            np.savez_compressed(stream, **columns)
        text.write_text(json.dumps(facts), encoding="utf-8")
    for file in [*profile.folder.glob("*.part"), profile.folder / JOB]:
        file.unlink(missing_ok=True)


def load(folder: Path) -> Profile:
    """A recorded profile, even if its command was killed."""
    if not folder.is_dir():
        problem = "not a profile" if folder.exists() else "does not exist"
        raise UserError(
            problem,
            where=str(folder),
            remedy="record one: halocline profile -- mpiexec -n 4 PROGRAM",
        )
    if not (folder / FACTS).is_file():
        if not (folder / JOB).is_file():
            raise UserError(
                f"not a profile, as it has no {FACTS}",
                where=str(folder),
                remedy="record one: halocline profile -- mpiexec -n 4 PROGRAM",
            )
        return gather(folder, None)
    with _damage_reported(folder / FACTS):
        facts = _content(folder / FACTS, _Facts)
        started = datetime.fromisoformat(facts.started)
    with _damage_reported(folder / TABLES):
        tables = _tables(folder / TABLES)
        known = {field.name: getattr(facts, field.name) for field in fields(facts)}
        profile = Profile(**(known | {"folder": folder, "started": started} | tables))
        check(profile)
    return profile


@dataclass(frozen=True)
class _Facts:
    """The content of FACTS."""

    command: tuple[str, ...]
    started: str
    exit_code: int | None
    mpi: Mpi
    hosts: tuple[str, ...]
    functions: tuple[str, ...]
    moves: tuple[str, ...]
    communicators: tuple[Communicator, ...]
    sites: tuple[Site, ...]
    ranks: tuple[Rank, ...]
    files: tuple[str, ...]
    region_names: tuple[str, ...]
    cores: tuple[int, ...] = ()
    io_bin_ns: int = 0


def _tables(file: Path) -> dict[str, Columns]:
    with file.open("rb") as stream, np.load(stream) as content:
        return {
            table: kind(
                **{
                    column.name: content[f"{table}.{column.name}"]
                    for column in fields(kind)  # type: ignore[arg-type]
                }
            )
            for table, kind in _TABLES.items()
        }


@contextmanager
def _damage_reported(file: Path) -> Iterator[None]:
    """Turn whatever is wrong with the file into a one-line error that names it."""
    try:
        yield
    except UserError:
        raise
    except FileNotFoundError:
        raise damaged(file, "it is missing") from None
    except _DAMAGE as error:
        why = " ".join(str(error).split()) or type(error).__name__
        raise damaged(file, why) from None


class _Versioned(msgspec.Struct):
    schema: int


def _content(file: Path, kind: type[Kind]) -> Kind:
    content = content_of(file, "make it readable")
    # Arguments of the command may be invalid text, which json writes as lone surrogates.
    text = json.dumps(json.loads(content), ensure_ascii=False).encode(errors="replace")
    remedy = "read it with the version of Halocline that recorded it"
    require_schema(decoded(text, _Versioned).schema, SCHEMA, file, remedy)
    return decoded(text, kind)


def discard(folder: Path) -> None:
    """Remove the folder of an empty profile."""
    if not recorded(folder):
        for file in [*folder.glob("*.part"), folder / JOB]:
            file.unlink(missing_ok=True)
        folder.rmdir()
