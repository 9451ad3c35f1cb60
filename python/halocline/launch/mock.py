"""A machine whose times are the number in its name, `mock:1.5us`: exact tests without MPI."""

from __future__ import annotations

import os
import socket
import zlib
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from halocline.base.errors import UserError
from halocline.base.units import duration_s
from halocline.launch.completion import append_record, incomplete, read_records, recorded
from halocline.launch.job import Job, Outcome, Progress

PREFIX = "mock:"
BATCHES = 8
REPEATS = 16  # a power of two, so the time of one traversal is exact


def parse_mock(name: str) -> float:
    """Seconds of one traversal on the machine `mock:TIME`; UserError if TIME is not a time."""
    try:
        traversal_s = duration_s(name.removeprefix(PREFIX))
    except ValueError:
        traversal_s = 0.0
    if not name.startswith(PREFIX) or traversal_s <= 0:
        raise UserError(
            f"machine {name!r} is not mock:TIME",
            allowed="a positive TIME in ns, us, ms or s",
            remedy="write for example mock:1.5us",
        )
    return traversal_s


def mock_job(job: Job, traversal_s: float, on_progress: Callable[[Progress], None]) -> Outcome:
    """Append a driver's records, with exactly `traversal_s` per traversal in every batch."""
    return recorded(job, lambda offset: _run(job, offset, traversal_s, on_progress))


def _run(
    job: Job, offset: int, traversal_s: float, on_progress: Callable[[Progress], None]
) -> Outcome:
    try:
        _append_records(job, traversal_s, on_progress)
    except OSError as error:
        return Outcome(False, f"cannot write {job.samples}: {error.strerror}")
    wrong = incomplete(job, read_records(job, offset))
    return Outcome(wrong is None, wrong or "complete")


def _append_records(job: Job, traversal_s: float, on_progress: Callable[[Progress], None]) -> None:
    checksum = zlib.crc32(append_record(job, _start(job)))
    for number, case in enumerate(job.cases, start=1):
        on_progress(Progress(case=number, cases=len(job.cases)))
        checksum = zlib.crc32(append_record(job, _samples(case, traversal_s)), checksum)
    completion = {
        "type": "complete",
        "ranks": job.ranks,
        "cases": len(job.cases),
        "samples": BATCHES * len(job.cases),
        "checksum": f"{checksum:08x}",
    }
    append_record(job, completion)


def _start(job: Job) -> dict[str, Any]:
    nodes = job.node_of_rank or (0,) * job.ranks
    names = job.nodes or [f"node-{node}" for node in range(max(nodes) + 1)]
    hosts = [names[node] for node in nodes] if any(nodes) else [socket.gethostname()] * job.ranks
    return {
        "type": "start",
        "schema": 1,
        "ranks": job.ranks,
        "mpi": {
            "library_version": job.toolchain.library,
            "standard": "",
            "abi": "",
            "library_path": "",
        },
        "simulated": True,
        "clock": "mock",
        "clock_cost_s": 0.0,
        "nodes": len(set(nodes)),
        "hosts": hosts,
        "pids": [os.getpid()] * job.ranks,
        "cpus": [""] * job.ranks,
        "compiler": "",
        "flags": "",
        "started": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }


def _samples(case: str, traversal_s: float) -> dict[str, Any]:
    identity, workload, *axes = case.split()
    size_bytes = int(dict(axis.split("=", 1) for axis in axes).get("bytes", 0))
    both_ways = workload == "pingping"
    return {
        "type": "samples",
        "case": identity,
        "status": "measured",
        "reason": "",
        "repeats": REPEATS,
        "block_batches": BATCHES // 4,
        "moved_bytes": size_bytes * (2 if both_ways else 1),
        "operations": 0,
        "timed_ranks": [0, 1] if both_ways else [0],
        "pairs": [[0, 1]] if workload in ("pingpong", "pingping") else [],
        "elapsed_s": [[traversal_s * REPEATS] * BATCHES] * (2 if both_ways else 1),
        "preempted": [0] * BATCHES,
        "late_s": [],
        "late_allowed_s": 0.0,
        "clock_offset_s": 0.0,
        "clock_residual_s": 0.0,
        "clock_error_s": 0.0,
        "line_s": [],
        "facts": [],
        "phases": [],
        "path": {"nodes": 1, "payload_bytes": 0, "wire_bytes": 0},
    }
