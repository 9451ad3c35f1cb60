"""The file that a profiled process writes: src/profiler/format.hpp says how."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.errors import UserError

MAGIC = b"HLCPROF"
VERSION = 3
CLASSES = 66
NO_COMMUNICATOR = 4095
NO_PEER = -(2**31)

_MOMENT = np.dtype([("ticks", "u8"), ("monotonic_ns", "i8"), ("realtime_ns", "i8")])
_REGION = np.dtype(
    [("name", "S64"), ("count", "u8"), ("ticks", "u8"), ("mpi_ticks", "u8"), ("bytes", "u8")]
)
_RESIDENT = np.dtype([("ticks", "u8"), ("bytes", "i8")])
HEADER = np.dtype(
    [
        ("magic", "S8"),
        ("version", "u4"),
        ("functions", "u4"),
        ("records_at", "u8"),
        ("segments_at", "u8"),
        ("segment_bytes", "u8"),
        ("rows_at", "u8"),
        ("merged_at", "u8"),
        ("arrivals_at", "u8"),
        ("rank", "i4"),
        ("size", "i4"),
        ("pid", "i4"),
        ("abi", "u4"),
        ("segments", "u4"),
        ("stages", "u4"),
        ("exit_code", "i4"),
        ("ending_signal", "u4"),
        ("start", _MOMENT),
        ("latest", _MOMENT),
        ("peak_memory_bytes", "i8"),
        ("untracked", "u8"),
        ("records_used", "u8"),
        ("next_moment", "u8"),
        ("files_at", "u8"),
        ("files_state", "u4"),
        ("files", "u4"),
        ("files_rows", "u4", 2),
        ("events_at", "u8"),
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
_SEGMENT = np.dtype(
    [
        ("thread", "i4"),
        ("rows", "u4"),
        ("merged", "u8"),
        ("lost", "u8"),
        ("arrivals", "u4"),
        ("stride", "u4"),
        ("events", "u8"),
    ]
)
_COLUMNS = ("site", "kind", "count", "ticks", "bytes_sent", "bytes_received", "first", "last")
ROW = np.dtype([(name, "u8") for name in _COLUMNS])
ARRIVAL = np.dtype(
    [
        ("site", "u8"),
        ("function", "u4"),
        ("communicator", "u4"),
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
FILE_ROWS = 8192
_MODULE, _COMMUNICATOR, _WINDOW, _FILE = 1, 2, 3, 4


@dataclass(frozen=True)
class Group:
    """A communicator or a window of one process: world ranks, -1 for those of another world."""

    number: int
    window: bool
    local: NDArray[np.int32]
    remote: NDArray[np.int32]

    @property
    def peers(self) -> NDArray[np.int32]:
        """Those that a rank argument counts."""
        return self.remote if len(self.remote) else self.local


@dataclass(frozen=True)
class Thread:
    """What one thread did."""

    rows: NDArray[Any]  # of ROW
    arrivals: NDArray[Any]  # of ARRIVAL
    events: NDArray[Any]  # of EVENT, the last ones
    dropped_events: int
    merged: int
    lost: int


@dataclass(frozen=True)
class Part:
    """One process."""

    file: Path
    header: Any  # of HEADER
    modules: tuple[tuple[int, str], ...]  # address, path
    groups: tuple[Group, ...]
    threads: tuple[Thread, ...]
    file_names: Mapping[int, str]
    file_rows: NDArray[Any]  # of FILE_ROW

    @property
    def bin_ticks(self) -> int:
        """How long a bin of the files' time is."""
        return 1 << (int(self.header["files_state"]) >> 1)

    def text(self, field: str) -> str:
        return bytes(self.header[field]).decode(errors="replace")


def read_part(file: Path) -> Part | None:
    """None for a process that ended before it had written anything."""
    header, content = _content(file)
    if header is None:
        return None
    if bytes(header["magic"]) != MAGIC or header["version"] != VERSION:
        raise damaged(file, "it is not what this version of Halocline's profiler writes")
    size = int(header["segments_at"]) + int(header["segments"]) * int(header["segment_bytes"])
    if len(content) < size:
        raise damaged(file, f"it ends after {len(content)} of {size} bytes")
    modules: list[tuple[int, str]] = []
    groups: list[Group] = []
    names: dict[int, str] = {}
    for record, body in _records(content, header, file):
        if record["kind"] == _MODULE:
            modules.append((int(record["base"]), bytes(body).decode(errors="replace")))
        elif record["kind"] == _FILE:
            names[int(record["base"])] = bytes(body).decode(errors="replace")
        else:
            ranks = np.frombuffer(bytes(body), np.int32)
            cut = int(record["local"])
            window = record["kind"] == _WINDOW
            groups.append(Group(int(record["base"]), window, ranks[:cut], ranks[cut:]))
    threads = tuple(_thread(content, header, index) for index in range(int(header["segments"])))
    files = _file_rows(content, header)
    return Part(file, header, tuple(modules), tuple(groups), threads, names, files)


def part_called_mpi(file: Path) -> bool:
    """Others only read and write files; what is no part is told when it is read as one."""
    header, _ = _content(file)
    return header is not None and (header["version"] != VERSION or header["segments"] > 0)


def _content(file: Path) -> tuple[Any, NDArray[np.uint8]]:
    """The header, None where there is none yet, and the whole file."""
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


def _records(
    content: NDArray[np.uint8], header: Any, file: Path
) -> Iterator[tuple[Any, NDArray[np.uint8]]]:
    at = int(header["records_at"])
    end = at + int(header["records_used"])
    while at < end:
        record = np.frombuffer(content[at : at + _RECORD.itemsize].tobytes(), _RECORD)[0]
        length = int(record["bytes"])
        at += _RECORD.itemsize
        if record["kind"] == 0 or at + length > end:
            raise damaged(file, "a record in it is cut off")
        yield record, content[at : at + length]
        at += (length + 7) // 8 * 8


def _file_rows(content: NDArray[np.uint8], header: Any) -> NDArray[Any]:
    """Of the two tables the one that is whole."""
    which = int(header["files_state"]) & 1
    begin = int(header["files_at"]) + which * FILE_ROWS * FILE_ROW.itemsize
    end = begin + int(header["files_rows"][which]) * FILE_ROW.itemsize
    return np.frombuffer(content[begin:end].tobytes(), FILE_ROW)


def _thread(content: NDArray[np.uint8], header: Any, index: int) -> Thread:
    at = int(header["segments_at"]) + index * int(header["segment_bytes"])
    segment = np.frombuffer(content[at : at + _SEGMENT.itemsize].tobytes(), _SEGMENT)[0]

    def table(offset: str, kind: np.dtype[Any], number: int) -> NDArray[Any]:
        begin = at + int(header[offset])
        return np.frombuffer(content[begin : begin + number * kind.itemsize].tobytes(), kind)

    rows = table("rows_at", ROW, int(segment["rows"]))
    if segment["merged"]:
        merged = table("merged_at", ROW, int(header["functions"]) * CLASSES * 2)
        rows = np.concatenate([rows, merged[merged["count"] > 0]])
    made, room = int(segment["events"]), int(header["events_maximum"])
    events = table("events_at", EVENT, min(made, room))
    return Thread(
        rows=rows[rows["count"] > 0],
        arrivals=table("arrivals_at", ARRIVAL, int(segment["arrivals"])),
        events=np.roll(events, -(made % room)) if made > room else events,
        dropped_events=max(0, made - room) if room else 0,
        merged=int(segment["merged"]),
        lost=int(segment["lost"]),
    )
