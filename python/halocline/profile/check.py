"""Check that a profile's numbers are plausible: they serve as indices and are summed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import numpy as np

from halocline.profile.profile import (
    CLASSES,
    OTHER_WORLD,
    Columns,
    FileInput,
    Integers,
    Profile,
)

MOST_RANKS = 1 << 24
_MOST = 1 << 61  # of a sum, so times and bytes fit into 64 bits
_TABLES = ("calls", "arrivals", "io", "regions", "memory", "events")
_COUNTED = (
    *("count", "messages", "time_ns", "bytes_sent", "bytes_received", "bytes", "mpi_ns"),
    *("resident_bytes", "thread", "sequence"),
)
_MAY_BE_UNKNOWN = ("processor_ns", "delayed_ns")
_MOMENTS = ("first_ns", "last_ns", "enter_ns", "leave_ns", "bin_start_ns", "t_ns")


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
    if len(profile.moves) != len(profile.functions):
        yield f"{len(profile.functions)} functions have {len(profile.moves)} moves"
    if profile.cores and len(profile.cores) != len(profile.hosts):
        yield f"{len(profile.hosts)} hosts have {len(profile.cores)} numbers of cores"
    if not all(0 <= cores <= _MOST for cores in profile.cores):
        yield "a host has an impossible number of cores"
    for process in profile.ranks:
        if not 0 <= process.host < len(profile.hosts):
            yield f"rank {process.rank} is on host {process.host} of {len(profile.hosts)}"
        for name, value in vars(process).items():
            least = -1 if name in _MAY_BE_UNKNOWN else 0
            if isinstance(value, int) and not least <= value <= _MOST:
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
    for name in _TABLES:
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
            if column.min() < 0 or column.sum(dtype=np.float64) > _MOST:
                yield f"{name}.{field} has impossible numbers"
        elif field in _MOMENTS and np.abs(column.astype(np.float64)).max() > _MOST:
            yield f"{name}.{field} has impossible times"
