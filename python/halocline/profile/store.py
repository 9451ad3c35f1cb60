"""The profile on disk: profile.json and profile.npz, and before they are made the parts."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from halocline.errors import UserError
from halocline.profile.merge import Functions, Job, merge
from halocline.profile.parts import damaged, part_called_mpi, read_part
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
    """What must be known to read the parts, written before the command starts."""
    content = {"schema": SCHEMA, "command": list(command), "functions": asdict(functions)}
    (folder / JOB).write_text(json.dumps(content), encoding="utf-8")


def recorded(folder: Path) -> bool:
    """Whether any process has called MPI."""
    return any(part_called_mpi(file) for file in folder.glob("*.part"))


def gather(folder: Path, exit_code: int | None) -> Profile:
    """The profile that the parts in the folder make; UserError if no rank wrote one."""
    content = _json(folder / JOB)
    try:
        functions = Functions(**{name: tuple(of) for name, of in content["functions"].items()})
        job = Job(folder, tuple(content["command"]), exit_code, functions)
    except (KeyError, TypeError, AttributeError) as error:
        raise damaged(folder / JOB, f"{type(error).__name__}: {error}") from None
    files = [file for file in sorted(folder.glob("*.part")) if part_called_mpi(file)]
    parts = [part for file in files if (part := read_part(file))]
    if not parts:
        raise UserError(
            "no process of the command called MPI under the profiler",
            where=str(folder),
            remedy="profile a program that is linked dynamically with an MPI library",
        )
    return merge(parts, job)


def save(profile: Profile) -> None:
    """Write the gathered profile; the parts that it was made from are removed then."""
    facts = {
        "schema": SCHEMA,
        "command": profile.command,
        "started": profile.started.isoformat(),
        "exit_code": profile.exit_code,
        "mpi": asdict(profile.mpi),
        "hosts": profile.hosts,
        "functions": profile.functions,
        "moves": profile.moves,
        "communicators": [asdict(one) for one in profile.communicators],
        "sites": [asdict(one) for one in profile.sites],
        "ranks": [asdict(one) for one in profile.ranks],
        "files": profile.files,
        "region_names": profile.region_names,
    }
    columns = {
        f"{table}.{column.name}": getattr(getattr(profile, table), column.name)
        for table, kind in _TABLES.items()
        for column in fields(kind)  # type: ignore[arg-type]
    }
    unfinished = profile.folder / f".{TABLES}"
    with unfinished.open("wb") as stream:
        np.savez_compressed(stream, **columns)
    unfinished.rename(profile.folder / TABLES)
    unfinished = profile.folder / f".{FACTS}"
    unfinished.write_text(json.dumps(facts), encoding="utf-8")
    unfinished.rename(profile.folder / FACTS)
    for file in [*profile.folder.glob("*.part"), profile.folder / JOB]:
        file.unlink(missing_ok=True)


def load(folder: Path) -> Profile:
    """A profile that was recorded, whether its command ended or was killed with all around it."""
    if not folder.is_dir():
        what = "is not a profile" if folder.exists() else "there is no such profile"
        raise UserError(
            what, where=str(folder), remedy="record one: halocline profile -- mpiexec -n 4 PROGRAM"
        )
    if not (folder / FACTS).is_file():
        if not (folder / JOB).is_file():
            raise UserError(
                f"is not a profile: it has no {FACTS}",
                where=str(folder),
                remedy="record one: halocline profile -- mpiexec -n 4 PROGRAM",
            )
        return gather(folder, None)
    facts = _json(folder / FACTS)
    try:
        tables = _tables(folder / TABLES)
        return _profile(folder, facts, tables)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise damaged(folder / FACTS, f"{type(error).__name__}: {error}") from None


def _profile(folder: Path, facts: Mapping[str, Any], tables: Mapping[str, Columns]) -> Profile:
    return Profile(
        folder=folder,
        command=tuple(facts["command"]),
        started=datetime.fromisoformat(facts["started"]),
        exit_code=facts["exit_code"],
        mpi=Mpi(**facts["mpi"]),
        hosts=tuple(facts["hosts"]),
        functions=tuple(facts["functions"]),
        moves=tuple(facts["moves"]),
        communicators=tuple(
            Communicator(one["name"], tuple(one["members"]), tuple(one["remote"]))
            for one in facts["communicators"]
        ),
        sites=tuple(Site(**one) for one in facts["sites"]),
        ranks=tuple(Rank(**one) for one in facts["ranks"]),
        files=tuple(facts["files"]),
        region_names=tuple(facts["region_names"]),
        **tables,  # type: ignore[arg-type]
    )


def _tables(file: Path) -> dict[str, Columns]:
    try:
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
    except (OSError, zipfile.BadZipFile, EOFError) as error:
        raise damaged(file, str(error)) from None


def _json(file: Path) -> Any:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        schema = content["schema"]
    except OSError as error:
        raise UserError(
            f"cannot be read: {error.strerror}", where=str(file), remedy="make it readable"
        ) from None
    except (ValueError, KeyError, TypeError) as error:
        raise damaged(file, f"{type(error).__name__}: {error}") from None
    if schema != SCHEMA:
        raise UserError(
            f"has the schema {schema!r}",
            where=str(file),
            allowed=str(SCHEMA),
            remedy="read it with the version of Halocline that recorded it",
        )
    return content


def discard(folder: Path) -> None:
    """Remove the folder of a profile in which nothing was recorded."""
    if not recorded(folder):
        for file in [*folder.glob("*.part"), folder / JOB]:
            file.unlink(missing_ok=True)
        folder.rmdir()
