"""Records of a samples file, as a driver or the front end would write them."""

from __future__ import annotations

import json
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

Record = dict[str, Any]


def start(launch: int, label: str = "mpich", **changes: Any) -> Record:
    return {
        "type": "start",
        "schema": 1,
        "label": label,
        "launch": launch,
        "ranks": 2,
        "mpi": {
            "library_version": "MPICH Version: 5.0.2",
            "standard": "5.0",
            "abi": "1.0",
            "library_path": "/lib/libmpi_abi.so.1",
        },
        "simulated": False,
        "clock": "CLOCK_MONOTONIC",
        "clock_cost_s": 2.1e-8,
        "nodes": 1,
        "hosts": ["h", "h"],
        "pids": [1, 2],
        "cpus": ["0", "1"],
        "compiler": "GCC 12.2.0",
        "flags": "-O3",
        "started": "2026-11-21T11:00:00Z",
    } | changes


def samples(launch: int, case: str = "a", label: str = "mpich", **changes: Any) -> Record:
    return {
        "type": "samples",
        "label": label,
        "launch": launch,
        "case": case,
        "status": "measured",
        "reason": "",
        "repeats": 4,
        "moved_bytes": 8,
        "elapsed_s": [[4.0, 8.0, 400.0], [2.0, 12.0, 2.0]],
        "preempted": [0, 0, 1],
        "line_s": [],
    } | changes


def complete(launch: int, label: str = "mpich") -> Record:
    """`text` adds what depends on the records before it."""
    return {"type": "complete", "label": label, "launch": launch, "ranks": 2}


def failure(launch: int, label: str = "mpich") -> Record:
    return {"type": "failure", "label": label, "launch": launch, "reason": "rank 1 was killed"}


def jsonl(records: Iterable[Record | str], end: str = "\n") -> str:
    """A file of these records or lines; completion records fit the others of their launch."""
    lines = (record if isinstance(record, str) else json.dumps(record) for record in records)
    return "\n".join(_sealed(lines)) + end


def alter(file: Path, old: str, new: str) -> None:
    """Replaces a text in a samples file as if its driver had written the new one."""
    file.write_text(jsonl(file.read_text(encoding="utf-8").replace(old, new).splitlines()))


def _sealed(lines: Iterable[str]) -> Iterator[str]:
    begun: dict[tuple[str, int], list[str]] = defaultdict(list)
    for line in lines:
        record = _record(line)
        before = begun[record.get("label", ""), record.get("launch", 0)]
        if record.get("type") in ("start", "samples"):
            before.append(line)
        if record.get("type") != "complete":
            yield line
            continue
        cases = [case for case in map(json.loads, before) if case["type"] == "samples"]
        checksum = zlib.crc32("".join(f"{each}\n" for each in before).encode())
        numbers = {
            "cases": len(cases),
            "samples": sum(len(case["preempted"]) for case in cases),
            "checksum": f"{checksum:08x}",
        }
        yield json.dumps(record | numbers, separators=(",", ":"))


def _record(line: str) -> Record:
    with suppress(ValueError):
        record = json.loads(line)
        return record if isinstance(record, dict) else {}
    return {}
