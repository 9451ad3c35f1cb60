"""A run that looks like a real one: three libraries, eight protocols, noise, and every trouble."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from halocline.samples.run_folder import create
from halocline.specification.cases import Case
from halocline.specification.catalogue import from_json
from halocline.specification.expand import expand
from halocline.specification.experiment import Experiment
from samples_records import jsonl

SIZES = (0, 1, *(2**exponent for exponent in range(2, 23)))
PROTOCOLS = {  # relative latency and relative cost a byte
    "send_recv": (1.0, 1.0),
    "ssend_recv": (1.9, 1.02),
    "rsend_irecv": (1.05, 0.98),
    "isend_irecv": (1.04, 1.0),
    "isend_recv": (1.02, 1.0),
    "sendrecv": (1.3, 1.01),
    "persistent": (0.97, 1.0),
    "bsend_recv": (1.6, 1.9),
}
LIBRARIES = {  # version text, latency of a message, bytes a second, where rendezvous begins
    "mpich": ("MPICH Version:      5.0.2", 0.59e-6, 21e9, 65536),
    "intel": ("Intel(R) MPI Library 2021.18 for Linux* OS", 0.2104e-6, 15e9, 262144),
    "openmpi": ("Open MPI v5.0.11, package: Open MPI, ident: 5.0.11", 0.2312e-6, 11e9, 4096),
}
LAUNCHES = 8
BATCHES = 40
BIMODAL = ("pingpong", "ssend_recv", 256, "mpich")
REFUSED = ("pingping", "send_recv", 2048, "openmpi")
FAILED = ("pingpong", "bsend_recv", 16384, "openmpi")
PARTIAL = ("pingpong", "persistent", 32, "intel")
SKIPPED = ("bsend_recv", "intel")


def catalogue() -> dict[str, Any]:
    sizes = {"name": "bytes", "kind": "integer", "unit": "B", "low": 0, "high": 2**30}
    axes = [{"name": "protocol", "kind": "protocol"}, sizes | {"default": SIZES}]
    return {
        "schema": 1,
        "version": "0.1.0",
        "mpi_standard": "5.0",
        "simulated": False,
        "workloads": [
            {
                "name": name,
                "summary": name,
                "ranks_minimum": 2,
                "ranks_maximum": 2,
                "axes": axes,
            }
            for name in ("pingpong", "pingping")
        ],
        "protocols": [
            {"name": name, "summary": name, "requires": [], "available": True, "reason": ""}
            for name in PROTOCOLS
        ],
    }


def make_run(
    path: Path,
    *,
    libraries: tuple[str, ...] = tuple(LIBRARIES),
    sizes: tuple[int, ...] = SIZES,
    seed: int = 1,
) -> Path:
    """A run folder at `path`."""
    experiment = Experiment(
        title="Survey of this machine",
        workloads=("pingpong", "pingping"),
        mpi=libraries,
        axes=(("bytes", sizes),),
        launches_minimum=LAUNCHES,
    )
    environment = json.loads(
        (Path(__file__).with_name("environment.json")).read_text(encoding="utf-8")
    )
    folder = create(path, experiment, environment | {"catalogue": catalogue()})
    cases = expand(experiment, from_json(catalogue()))
    random = np.random.default_rng(seed)
    records = [
        record
        for launch in range(1, LAUNCHES + 1)
        for library in libraries
        for record in _launch(library, launch, [c for c in cases if c.mpi == library], random)
    ]
    folder.samples.write_text(jsonl(records))
    return path


def _launch(
    library: str, launch: int, cases: list[Case], random: np.random.Generator
) -> Iterator[dict[str, Any]]:
    version = LIBRARIES[library][0]
    yield {
        "type": "start",
        "schema": 1,
        "label": library,
        "launch": launch,
        "ranks": 2,
        "mpi": {
            "library_version": version,
            "standard": "3.1" if library == "openmpi" else "5.0",
            "abi": "" if library == "openmpi" else "1.0",
            "library_path": f"/opt/{library}/lib/libmpi.so",
        },
        "simulated": False,
        "clock": "CLOCK_MONOTONIC",
        "clock_cost_s": 2.1e-8,
        "nodes": 1,
        "hosts": ["node", "node"],
        "pids": [1, 2],
        "cpus": ["0", "1"],
        "compiler": "GCC 12.2.0",
        "flags": "-O3 -std=c++20",
        "started": f"2026-11-21T11:{launch:02}:00Z",
    }
    effect = random.normal(0, 0.004)
    for case in cases:
        yield _samples(library, launch, case, effect + random.normal(0, 0.004), random)
    yield {
        "type": "complete",
        "label": library,
        "launch": launch,
        "ranks": 2,
    }


def _samples(
    library: str, launch: int, case: Case, effect: float, random: np.random.Generator
) -> dict[str, Any]:
    protocol, size = str(case.axis("protocol")), int(case.axis("bytes"))
    both = case.workload == "pingping"
    record: dict[str, Any] = {
        "type": "samples",
        "label": library,
        "launch": launch,
        "case": case.id,
        "status": "measured",
        "reason": "",
        "repeats": 0,
        "moved_bytes": size * (2 if both else 1),
        "elapsed_s": [],
        "preempted": [],
        "line_s": [],
    }
    point = (case.workload, protocol, size, library)
    if (protocol, library) == SKIPPED:
        reason = "MPI_Bsend needs an attached buffer of 8 MiB, which this library refuses"
        return record | {"status": "skipped", "reason": reason}
    if point == FAILED:
        reason = "byte 8192 of message 17 at rank 1: expected 0x5a, got 0x00"
        return record | {"status": "failed", "reason": reason}
    if point == PARTIAL and launch > 3:
        return record | {"elapsed_s": [[1e-4]], "preempted": [1], "repeats": 10}
    repeats = max(1, int(1e-4 / _time_s(library, protocol, size, both)))
    noise = np.exp(effect + np.abs(random.normal(0, 0.003, (1 + both, BATCHES))))
    elapsed_s = repeats * _time_s(library, protocol, size, both) * noise
    if point == BIMODAL:
        elapsed_s[:, random.random(BATCHES) < 0.3] *= 1.24
    disturbed = random.random(BATCHES) < (0.8 if point == REFUSED else 0.02)
    elapsed_s[:, disturbed] *= 3
    return record | {
        "repeats": repeats,
        "elapsed_s": [[float(f"{value:.9g}") for value in row] for row in elapsed_s],
        "preempted": [int(flag) for flag in disturbed],
    }


def _time_s(library: str, protocol: str, size: int, both: bool) -> float:
    _, latency_s, rate, rendezvous = LIBRARIES[library]
    slower, dearer = PROTOCOLS[protocol]
    handshake = 1.5 * latency_s if size >= rendezvous and protocol != "ssend_recv" else 0.0
    fixed = latency_s * (slower + 0.0004 * math.pow(min(size, 4096), 0.9)) + handshake
    return fixed + dearer * size / rate * (1.5 if both else 1.0)
