"""The file that a profiled process writes; format in src/profiler/format.hpp."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.base.errors import UserError

MAGIC = b"HLCPROF"
VERSION = 5
CLASSES = 66
NO_COMMUNICATOR = 4095
NO_PEER = -(2**31)

_MOMENT = np.dtype([("ticks", "u8"), ("monotonic_ns", "i8"), ("realtime_ns", "i8")])
_REGION = np.dtype(
    [("name", "S64"), ("count", "u8"), ("ticks", "u8"), ("mpi_ticks", "u8"), ("bytes", "u8")]
)
_PIECES = np.dtype([("number", "u8"), ("piece", np.dtype([("at", "u8"), ("bytes", "u8")]), 24)])
_RUNNING = np.dtype([("processor_ns", "i8"), ("delayed_ns", "i8")])
_RESIDENT = np.dtype([("ticks", "u8"), ("bytes", "i8")])
HEADER = np.dtype(
    [
        ("magic", "S8"),
        ("version", "u4"),
        ("functions", "u4"),
        ("file_bytes", "u8"),
        ("first_segment", "u8"),
        ("rank", "i4"),
        ("size", "i4"),
        ("pid", "i4"),
        ("abi", "u4"),
        ("segments", "u4"),
        ("stages", "u4"),
        ("start", _MOMENT),
        ("latest", _MOMENT),
        ("running_at_start", _RUNNING),
        ("running_latest", _RUNNING),
        ("cores", "u8", 16),
        ("peak_memory_bytes", "i8"),
        ("untracked", "u8"),
        ("unrecorded", "u8"),
        ("records_used", "u8"),
        ("next_moment", "u8"),
        ("records", _PIECES),
        ("files_tables", _PIECES, 2),
        ("files_state", "u4"),
        ("files", "u4"),
        ("files_rows", "u4", 2),
        ("events_maximum", "u8"),
        ("memory_every", "u8"),
        ("memory_samples", "u4"),
        ("regions", "u4"),
        ("host", "S256"),
        ("program", "S1024"),
        ("library", "S1024"),
        ("region", _REGION, 64),
        ("memory", _RESIDENT, 256),
    ]
)
_RECORD = np.dtype(
    [("kind", "u4"), ("bytes", "u4"), ("base", "u8"), ("local", "u4"), ("remote", "u4")]
)
_COLUMNS = ("site", "kind", "count", "ticks", "bytes_sent", "bytes_received", "first", "last")
ROW = np.dtype([(name, "u8") for name in _COLUMNS])
_SEGMENT = np.dtype(
    [
        ("next", "u8"),
        ("thread", "i4"),
        ("rows", "u4"),
        ("merged_rows", "u4"),
        ("arrivals", "u4"),
        ("stride", "u8"),
        ("merged", "u8"),
        ("events", "u8"),
        ("lost", ROW),
        ("rows_table", _PIECES),
        ("merged_table", _PIECES),
        ("arrivals_table", _PIECES),
        ("events_table", _PIECES),
    ]
)
ARRIVAL = np.dtype(
    [
        ("site", "u8"),
        ("function", "u2"),
        ("communicator", "u2"),
        ("root", "i4"),
        ("sequence", "u8"),
        ("enter", "u8"),
        ("leave", "u8"),
    ]
)
EVENT = np.dtype([("kind", "u8"), ("bytes", "u8"), ("enter", "u8"), ("leave", "u8")])
FILE_ROW = np.dtype(
    [
        ("file", "u4"),
        ("operation", "u4"),
        ("bin", "u8"),
        ("count", "u8"),
        ("bytes", "u8"),
        ("ticks", "u8"),
    ]
)
MOST_RANKS = 1 << 24
_MOST_THREADS, _MOST_FILES, _MOST_SHIFT = 1024, 640, 62
_MODULE, _COMMUNICATOR, _WINDOW, _FILE, _PYTHON = 1, 2, 3, 4, 5


@dataclass(frozen=True)
class Group:
    """A communicator or a window of one process: world ranks, -1 for those of another world."""

    number: int
    window: bool
    local: NDArray[np.int32]
    remote: NDArray[np.int32]

    @property
    def peers(self) -> NDArray[np.int32]:
        """The group that rank arguments refer to."""
        return self.remote if len(self.remote) else self.local


@dataclass(frozen=True)
class Thread:
    """The records of one thread."""

    rows: NDArray[Any]  # of ROW
    arrivals: NDArray[Any]  # of ARRIVAL
    events: NDArray[Any]  # of EVENT, the most recent
    dropped_events: int
    merged: int
    lost: int  # calls missing from all rows


@dataclass(frozen=True)
class Part:
    """One process."""

    file: Path
    header: Any  # of HEADER
    modules: tuple[tuple[int, str], ...]  # address, path
    groups: tuple[Group, ...]
    threads: tuple[Thread, ...]
    python: Mapping[int, tuple[str, str, int]]  # file, function and line of a site
    file_names: Mapping[int, str]
    file_rows: NDArray[Any]  # of FILE_ROW

    @property
    def rank(self) -> int:
        """The rank in its world."""
        return max(0, int(self.header["rank"]))

    @property
    def bin_ticks(self) -> int:
        """Width of a time bin of file activity, in ticks."""
        return 1 << (int(self.header["files_state"]) >> 1)

    def text(self, field: str) -> str:
        return bytes(self.header[field]).decode(errors="replace")


def read_part(file: Path) -> Part | None:
    """None for a process that exited before writing anything."""
    header, content = _content(file)
    if header is None:
        return None
    if bytes(header["magic"]) != MAGIC or header["version"] != VERSION:
        raise UserError(
            "is from another version of the profiler",
            where=str(file),
            remedy="profile the program again, or read it with the version that recorded it",
        )
    size = int(header["file_bytes"])
    if len(content) < size:
        raise damaged(file, f"it ends after {len(content)} of {size} bytes")
    shift = int(header["files_state"]) >> 1
    most = max(int(header["rank"]), int(header["size"]))
    if header["segments"] > _MOST_THREADS or shift > _MOST_SHIFT or most > MOST_RANKS:
        raise damaged(file, "its header has impossible numbers")
    whole = _File(file, content)
    modules: list[tuple[int, str]] = []
    groups: dict[int, Group] = {}
    names: dict[int, str] = {}
    python: dict[int, tuple[str, str, int]] = {}
    for record, body in _records(whole, header):
        number = int(record["base"])
        if record["kind"] == _MODULE:
            modules.append((number, body.decode(errors="replace")))
        elif record["kind"] == _PYTHON:
            path, _, function = body.decode(errors="replace").partition("\0")
            python[number] = path, function, int(record["local"])
        elif record["kind"] == _FILE:
            names[number] = body.decode(errors="replace")
        else:
            groups[number] = _group(file, record, body)
    segments = tuple(_segments(whole, header))
    threads = tuple(_thread(whole, segment, int(header["events_maximum"])) for segment in segments)
    which = int(header["files_state"]) & 1  # the complete one of the two tables
    rows = int(header["files_rows"][which])
    files = whole.table(header["files_tables"][which], FILE_ROW, rows)
    if len(files) and files["file"].max() >= _MOST_FILES:
        raise damaged(file, f"it has a file of number {files['file'].max()}")
    return Part(file, header, tuple(modules), tuple(groups.values()), threads, python, names, files)


def part_called_mpi(file: Path) -> bool:
    """Whether its process called MPI; others only used files. Reading reports an invalid part."""
    header, _ = _content(file)
    if header is None:
        return False
    return bool(header["version"] != VERSION or header["segments"] or header["unrecorded"])


def part_is_empty(file: Path) -> bool:
    """Whether its process ran out of space for it."""
    return file.stat().st_size < HEADER.itemsize


def _content(file: Path) -> tuple[Any, NDArray[np.uint8]]:
    """The header, None if not written yet, and the whole file."""
    try:
        with file.open("rb") as stream:
            start = stream.read(HEADER.itemsize)
            if len(start) < HEADER.itemsize or start[:7] == b"\0" * 7:
                return None, np.zeros(0, np.uint8)
            return np.frombuffer(start, HEADER)[0], np.memmap(stream, np.uint8, "r")
    except OSError as error:
        raise UserError(
            f"cannot be read: {error.strerror}", where=str(file), remedy="make it readable"
        ) from None


def damaged(file: Path, why: str) -> UserError:
    return UserError(f"is damaged: {why}", where=str(file), remedy="profile the program again")


@dataclass(frozen=True)
class _File:
    path: Path
    content: NDArray[np.uint8]

    def piece(self, at: int, length: int) -> bytes:
        """Bytes from an offset."""
        if at + length > len(self.content):
            raise damaged(self.path, f"it ends before the {length} bytes at {at}")
        return self.content[at : at + length].tobytes()

    def bytes(self, pieces: Any, length: int) -> bytes:
        """The beginning of a table."""
        read, left = [], length
        for piece in pieces["piece"][: min(int(pieces["number"]), len(pieces["piece"]))]:
            some = min(left, int(piece["bytes"]))
            read.append(self.piece(int(piece["at"]), some))
            left -= some
        if left:
            raise damaged(self.path, "a table in it is truncated")
        return b"".join(read)

    def table(self, pieces: Any, kind: np.dtype[Any], rows: int) -> NDArray[Any]:
        return np.frombuffer(self.bytes(pieces, rows * kind.itemsize), kind)


def _records(whole: _File, header: Any) -> Iterator[tuple[Any, bytes]]:
    content = whole.bytes(header["records"], int(header["records_used"]))
    at = 0
    while at < len(content):
        body = at + _RECORD.itemsize
        if body > len(content):
            raise damaged(whole.path, "a record in it is truncated")
        record = np.frombuffer(content[at:body], _RECORD)[0]
        length = int(record["bytes"])
        if not _MODULE <= record["kind"] <= _PYTHON or body + length > len(content):
            raise damaged(whole.path, "a record in it is truncated")
        yield record, content[body : body + length]
        at = body + (length + 7) // 8 * 8


def _group(file: Path, record: Any, body: bytes) -> Group:
    cut = int(record["local"])
    if 4 * (cut + int(record["remote"])) != len(body):
        raise damaged(file, "a record in it is truncated")
    ranks = np.frombuffer(body, np.int32)
    return Group(int(record["base"]), record["kind"] == _WINDOW, ranks[:cut], ranks[cut:])


def _segments(whole: _File, header: Any) -> Iterator[Any]:
    """One segment per thread."""
    at = int(header["first_segment"])
    for _ in range(int(header["segments"])):
        segment = np.frombuffer(whole.piece(at, _SEGMENT.itemsize), _SEGMENT)[0]
        yield segment
        at = int(segment["next"])
        if not at:
            return


def _thread(whole: _File, segment: Any, most: int) -> Thread:
    rows = np.concatenate(
        [
            whole.table(segment["rows_table"], ROW, int(segment["rows"])),
            whole.table(segment["merged_table"], ROW, int(segment["merged_rows"])),
        ]
    )
    total = int(segment["events"])
    pieces = segment["events_table"]["piece"]
    room = min(sum(int(piece["bytes"]) for piece in pieces) // EVENT.itemsize, most)
    events = whole.table(segment["events_table"], EVENT, min(total, room))
    return Thread(
        rows=rows[rows["count"] > 0],
        arrivals=whole.table(segment["arrivals_table"], ARRIVAL, int(segment["arrivals"])),
        events=np.roll(events, -(total % room)) if total > room else events,
        dropped_events=max(0, total - room) if room else 0,
        merged=int(segment["merged"]),
        lost=int(segment["lost"]["count"]),
    )
