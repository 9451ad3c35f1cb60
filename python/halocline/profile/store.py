"""The profile on disk: profile.json and profile.npz, or the parts before merging."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, astuple, dataclass, fields, replace
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np

from halocline.base.errors import UserError
from halocline.base.files import replacing
from halocline.base.reading import content_of, decoded, require_schema
from halocline.profile.merge import Functions, Job, merge
from halocline.profile.parts import (
    MOST_RANKS,
    Part,
    damaged,
    part_called_mpi,
    part_is_empty,
    read_part,
)
from halocline.profile.profile import (
    CLASSES,
    OTHER_WORLD,
    UNKNOWN_PEER,
    Arrivals,
    Calls,
    Columns,
    Communicator,
    Events,
    FileInput,
    Integers,
    Memory,
    Mpi,
    Profile,
    Rank,
    Regions,
    Site,
)
from halocline.profile.sites import resolved

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
_MOST_IN_SUM = 1 << 61  # of a sum, so times and bytes fit into 64 bits
_CHECKED = ("calls", "arrivals", "io", "regions", "memory", "events")
_COUNTED = (
    *("count", "messages", "time_ns", "bytes_sent", "bytes_received", "bytes", "mpi_ns"),
    *("resident_bytes", "thread", "sequence"),
)
_MAY_BE_UNKNOWN = ("processor_ns", "delayed_ns")
_MOMENTS = ("first_ns", "last_ns", "enter_ns", "leave_ns", "bin_start_ns", "t_ns")


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
        merged = _merged(parts, job)
    except _DAMAGE:
        for part in parts:  # find the damaged one
            with _damage_reported(part.file):
                _merged([part], job)
        with _damage_reported(folder):
            merged = _merged(parts, job)
    return replace(merged, sites=resolved(merged.sites))


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
        "missing": profile.missing,
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
    missing: tuple[int, ...] = ()
    io_bin_ns: int = 0


def _tables(file: Path) -> dict[str, Columns]:
    with file.open("rb") as stream, np.load(stream) as content:
        return {
            table: kind(
                **{
                    column.name: _column(content, f"{table}.{column.name}")
                    for column in fields(kind)  # type: ignore[arg-type]
                }
            )
            for table, kind in _TABLES.items()
        }


def _column(content: Mapping[str, Integers], name: str) -> Integers:
    if name == "arrivals.root" and name not in content:  # of earlier versions
        return np.full(len(content["arrivals.rank"]), UNKNOWN_PEER)
    return content[name]


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


class Impossible(ValueError):
    """Raised for an impossible profile."""


def check(profile: Profile) -> None:
    """Raise Impossible for indices out of range, or numbers beyond any run."""
    for problem in _problems(profile):
        raise Impossible(problem)


def _problems(profile: Profile) -> Iterator[str]:
    ranks = [process.rank for process in profile.ranks]
    if not ranks or ranks != sorted(set(ranks)) or ranks[0] < 0 or ranks[-1] >= MOST_RANKS:
        yield f"its ranks are {str(ranks)[:60]}"
    if not all(0 <= rank < MOST_RANKS for rank in profile.missing):
        yield f"ranks {str(profile.missing)[:60]} are missing"
    if len(profile.moves) != len(profile.functions):
        yield f"{len(profile.functions)} functions have {len(profile.moves)} moves"
    if profile.cores and len(profile.cores) != len(profile.hosts):
        yield f"{len(profile.hosts)} hosts have {len(profile.cores)} numbers of cores"
    if not all(0 <= cores <= _MOST_IN_SUM for cores in profile.cores):
        yield "a host has an impossible number of cores"
    if not 0 <= profile.io_bin_ns <= _MOST_IN_SUM:
        yield f"its files' time is in steps of {profile.io_bin_ns} ns"
    for process in profile.ranks:
        if not 0 <= process.host < len(profile.hosts):
            yield f"rank {process.rank} is on host {process.host} of {len(profile.hosts)}"
        for name, value in vars(process).items():
            least = -1 if name in _MAY_BE_UNKNOWN else 0
            if isinstance(value, int) and not least <= value <= _MOST_IN_SUM:
                yield f"rank {process.rank} has {name} {value}"
    for comm in profile.communicators:
        if not all(OTHER_WORLD <= rank < MOST_RANKS for rank in (*comm.members, *comm.remote)):
            yield "a communicator has ranks that do not exist"
    limits = {
        "function": (0, len(profile.functions)),
        "size_class": (0, CLASSES),
        "communicator": (-1, len(profile.communicators)),
        "site": (-1, len(profile.sites)),
        "peer": (OTHER_WORLD, MOST_RANKS),
        "root": (OTHER_WORLD, MOST_RANKS),
        "file": (0, len(profile.files)),
        "operation": (0, len(FileInput.OPERATIONS)),
        "region": (0, len(profile.region_names)),
    }
    for name in _CHECKED:
        yield from _table(name, getattr(profile, name), np.array(ranks, np.int64), limits)


def _table(
    name: str, table: Columns, ranks: Integers, limits: dict[str, tuple[int, int]]
) -> Iterator[str]:
    columns: dict[str, Any] = {
        column.name: getattr(table, column.name)
        for column in fields(table)  # type: ignore[arg-type]
    }
    lengths = {column.shape for column in columns.values()}
    if len(lengths) != 1 or len(next(iter(lengths))) != 1:
        yield f"the columns of {name} differ in length"
        return
    for field, column in columns.items():
        if column.dtype != np.int64:
            yield f"{name}.{field} holds {column.dtype}"
        elif not len(column):
            continue
        elif field == "rank":
            if not np.isin(column, ranks).all():
                yield f"{name}.rank has ranks that do not exist"
        elif field in limits:
            low, high = limits[field]
            if column.min() < low or column.max() >= high:
                yield f"{name}.{field} is from {column.min()} to {column.max()}"
        elif field in _COUNTED:
            if column.min() < 0 or column.sum(dtype=np.float64) > _MOST_IN_SUM:
                yield f"{name}.{field} has impossible numbers"
        elif field in _MOMENTS and np.abs(column.astype(np.float64)).max() > _MOST_IN_SUM:
            yield f"{name}.{field} has impossible times"
