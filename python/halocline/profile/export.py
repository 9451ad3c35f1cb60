"""A profile as spreadsheet tables, and its trace for the viewers of Chrome and Perfetto."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from halocline.base.errors import UserError
from halocline.base.files import replacing, require_kind
from halocline.profile.facts import SCHEMA, to_json
from halocline.profile.profile import (
    NO_PEER,
    NOBODY,
    OTHER_WORLD,
    UNKNOWN_PEER,
    FileInput,
    Profile,
    class_limit,
)
from halocline.profile.totals import Totals

_JSON_BEGINS = f'{{\n "schema": {SCHEMA},\n "profile": '
_TRACE_BEGINS = '{"displayTimeUnit":"ns","traceEvents":['
_PEERS: dict[int, str] = {
    NO_PEER: "",
    UNKNOWN_PEER: "unknown",
    NOBODY: "none",
    OTHER_WORLD: "other world",
}


def write_csv(profile: Profile, folder: Path) -> tuple[Path, ...]:
    """One file per table, with names instead of numbers."""
    folder.mkdir(parents=True, exist_ok=True)
    tables = [(folder / f"{name}.csv", heads, rows) for name, heads, rows in _tables(profile)]
    for path, heads, _ in tables:
        _require_earlier(path, _csv_begins(heads))
    return tuple(_write(*table) for table in tables)


def write_json(profile: Profile, path: Path) -> tuple[Path, ...]:
    """What `halocline profile summary --json` prints."""
    path.parent.mkdir(parents=True, exist_ok=True)
    content = json.dumps(to_json(profile), indent=1, ensure_ascii=False, allow_nan=False)
    with _written(path, _JSON_BEGINS) as file:
        file.write(f"{content}\n")
    return (path,)


def write_trace(profile: Profile, path: Path) -> tuple[Path, ...]:
    """The recorded calls as Chrome trace events, one process per rank."""
    if not len(profile.events):
        raise UserError(
            f"{profile.folder} has no trace",
            remedy="profile the program again with --trace",
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    with _written(path, _TRACE_BEGINS) as file:
        _trace(profile, file)
    return (path,)


def _csv_begins(heads: Sequence[str]) -> str:
    return ",".join(heads) + "\r\n"


def _require_earlier(path: Path, begins: str) -> None:
    require_kind(path, begins.encode(), "an earlier export", "--output")


@contextmanager
def _written(path: Path, begins: str) -> Iterator[TextIO]:
    """The file as a whole or not at all; it replaces no other data than an earlier export."""
    _require_earlier(path, begins)
    if path.exists() and not path.is_file():  # a device or a pipe
        with path.open("w", newline="", encoding="utf-8") as file:
            yield file
        return
    with (
        replacing(Path(os.path.realpath(path))) as draft,
        draft.open("w", newline="", encoding="utf-8") as file,
    ):
        yield file


def _trace(profile: Profile, file: TextIO) -> None:
    """Stream one event per line: the text of a trace may not fit into memory."""
    file.write(f"{_TRACE_BEGINS}\n")
    for rank in profile.ranks:
        name = {"name": f"rank {rank.rank} on {profile.hosts[rank.host]}"}
        _line(file, {"ph": "M", "name": "process_name", "pid": rank.rank, "args": name}, ",")
    last = len(profile.events) - 1
    for number, event in enumerate(_events(profile)):
        _line(file, event, "," if number < last else "")
    file.write("]}\n")


def _line(file: TextIO, event: dict[str, Any], end: str) -> None:
    file.write(json.dumps(event, separators=(",", ":")) + end + "\n")


def _events(profile: Profile) -> Iterator[dict[str, Any]]:
    events = profile.events
    columns = (
        *(events.rank, events.thread, events.function, events.enter_ns, events.leave_ns),
        *(events.bytes, events.peer),
    )
    for rank, thread, function, enter_ns, leave_ns, moved, peer in zip(
        *(column.tolist() for column in columns), strict=True
    ):
        yield {
            "ph": "X",
            "name": profile.functions[function],
            "cat": "mpi",
            "pid": rank,
            "tid": thread,
            "ts": enter_ns / 1000,  # the format counts in microseconds
            "dur": (leave_ns - enter_ns) / 1000,
            "args": {"bytes": moved, "peer": _PEERS.get(peer, peer)},
        }


def _write(path: Path, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> Path:
    with _written(path, _csv_begins(heads)) as file:
        writer = csv.writer(file)
        writer.writerow(heads)
        writer.writerows(rows)
    return path


def _tables(profile: Profile) -> Iterator[tuple[str, Sequence[str], Iterable[Sequence[object]]]]:
    totals = Totals(profile)
    yield "calls", _CALL_HEADS, _calls(profile)
    yield (
        "ranks",
        ("rank", "host", "wall_ns", "mpi_ns", "calls", "bytes_given", "peak_memory_bytes", "ended"),
        [
            (
                process.rank,
                profile.hosts[process.host],
                process.wall_ns,
                process.mpi_ns,
                process.calls,
                int(moved),
                process.peak_memory_bytes,
                process.ended,
            )
            for process, moved in zip(profile.ranks, totals.rank_bytes_sent, strict=True)
        ],
    )
    yield (
        "functions",
        ("function", "calls", "time_ns", "bytes_given"),
        [
            (f"MPI_{function.name}", function.count, function.time_ns, function.bytes)
            for function in totals.functions
        ],
    )
    yield (
        "sizes",
        ("up_to_bytes", "messages", "bytes_given"),
        [(size.limits[1], size.messages, size.bytes) for size in totals.sizes()],
    )
    ranks = [process.rank for process in profile.ranks]
    yield (
        "pairs",
        ("from", "to", "bytes"),
        [(ranks[sender], ranks[receiver], moved) for sender, receiver, moved in totals.pairs()],
    )
    yield (
        "files",
        ("rank", "file", "operation", "bin_start_ns", "calls", "bytes", "time_ns"),
        [
            (rank, profile.files[file], FileInput.OPERATIONS[operation], *rest)
            for rank, file, operation, *rest in zip(
                *(
                    column.tolist()
                    for column in (
                        *(profile.io.rank, profile.io.file, profile.io.operation),
                        *(profile.io.bin_start_ns, profile.io.count, profile.io.bytes),
                        profile.io.time_ns,
                    )
                ),
                strict=True,
            )
        ],
    )


_CALL_HEADS = (
    *("rank", "thread", "function", "up_to_bytes", "communicator", "called_at", "peer", "calls"),
    *("messages", "time_ns", "bytes_sent", "bytes_received", "first_ns", "last_ns"),
)


def _calls(profile: Profile) -> Iterator[Sequence[object]]:
    calls = profile.calls
    columns = (
        *(calls.rank, calls.thread, calls.function, calls.size_class, calls.communicator),
        *(calls.site, calls.peer, calls.count, calls.messages, calls.time_ns, calls.bytes_sent),
        *(calls.bytes_received, calls.first_ns, calls.last_ns),
    )
    places = [str(site) for site in profile.sites]
    for rank, thread, function, size, communicator, site, peer, *rest in zip(
        *(column.tolist() for column in columns), strict=True
    ):
        yield (
            rank,
            thread,
            profile.functions[function],
            class_limit(size),
            profile.communicators[communicator].name if communicator >= 0 else "",
            places[site] if site >= 0 else "",
            _PEERS.get(peer, peer),
            *rest,
        )
