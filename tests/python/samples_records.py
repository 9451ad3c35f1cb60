"""Records of a samples file, as a driver or the front end would write them."""

from __future__ import annotations

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
    return {
        "type": "complete",
        "label": label,
        "launch": launch,
        "ranks": 2,
        "cases": 1,
        "samples": 3,
        "checksum": "9a0b3c4d",
    }


def failure(launch: int, label: str = "mpich") -> Record:
    return {"type": "failure", "label": label, "launch": launch, "reason": "rank 1 was killed"}
