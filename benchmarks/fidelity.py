"""Ping-pong on Intel MPI by Halocline and by IMB-MPI1, launch by launch in turn."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.table import Row
from halocline.dataset import load
from halocline.launch.job import Job
from halocline.launch.run_job import run_job
from halocline.mpi.registry import toolchain
from halocline.mpi.toolchain import Toolchain

SIZES_BYTES = {8: "8 B", 4096: "4 KiB", 65536: "64 KiB", 1048576: "1 MiB"}
LAUNCHES = 12
TIME_LIMIT_S = 120

Figures = dict[int, float]  # size in bytes -> time of one message in seconds


def rows() -> list[Row]:
    """Ratio of the medians, and of the spreads over launches, for each size."""
    intel = toolchain("intel")
    with tempfile.TemporaryDirectory() as folder:
        measure: list[Callable[[int], Figures]] = [
            lambda launch: _imb(intel, Path(folder)),
            lambda launch: _halocline(intel, Path(folder), launch),
        ]
        seen: list[list[Figures]] = [[], []]
        for launch in range(1, LAUNCHES + 1):
            for side in (0, 1) if launch % 2 else (1, 0):
                seen[side].append(measure[side](launch))
    found = []
    for size_bytes, name in SIZES_BYTES.items():
        imb, own = (np.array([launch[size_bytes] for launch in side]) for side in seen)
        medians = f"{np.median(own) * 1e6:.4g} / {np.median(imb) * 1e6:.4g} µs"
        evidence = f"{medians}, {LAUNCHES} launches each"
        ratio = float(np.median(own) / np.median(imb))
        found.append(Row(f"ping-pong {name}, Halocline / IMB", ratio, 0.97, 1.03, evidence))
    for size_bytes, name in SIZES_BYTES.items():
        imb, own = (np.array([launch[size_bytes] for launch in side]) for side in seen)
        evidence = f"relative spread {_spread(own):.3g} / {_spread(imb):.3g}"
        ratio = _spread(own) / _spread(imb)
        found.append(Row(f"run-to-run spread {name}, Halocline / IMB", ratio, 0, 0.5, evidence))
    return found


def _spread(figures: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    """Standard deviation over launches relative to the mean."""
    return float(figures.std(ddof=1) / figures.mean())


def _imb(intel: Toolchain, folder: Path) -> Figures:
    lengths = folder / "lengths"
    lengths.write_text("".join(f"{size_bytes}\n" for size_bytes in SIZES_BYTES))
    program = intel.launcher.with_name("IMB-MPI1")
    command = [str(intel.launcher), "-n", "2", str(program), "PingPong", "-msglen", str(lengths)]
    shown = subprocess.run(
        command,
        env={**os.environ, **intel.environment, "I_MPI_PIN_DOMAIN": "core"},
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT_S,
        check=True,
    ).stdout
    lines = (line.split() for line in shown.splitlines())
    # The rate in MB/s has four digits where the time has two decimals.
    return {
        int(words[0]): int(words[0]) / float(words[3]) * 1e-6
        for words in lines
        if len(words) == 4 and words[0].isdigit() and int(words[0]) in SIZES_BYTES
    }


def _halocline(intel: Toolchain, folder: Path, launch: int) -> Figures:
    samples = folder / "samples.jsonl"
    cases = tuple(
        f"{size_bytes} pingpong protocol=send_recv bytes={size_bytes}" for size_bytes in SIZES_BYTES
    )
    job = Job(intel, 2, launch, cases, samples, half_width=0.002, case_s=0.3)
    outcome = run_job(job, lambda progress: None)
    if not outcome.ok:
        raise RuntimeError(outcome.reason)
    dataset = load(samples)
    return {
        size_bytes: float(dataset.launch_figures(str(size_bytes))[-1]) for size_bytes in SIZES_BYTES
    }
