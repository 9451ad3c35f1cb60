"""Ping-pong on Intel MPI by Halocline and by IMB-MPI1, launch by launch in turn."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.programs import output_of
from benchmarks.table import Row
from halocline.base.toolchain import Toolchain
from halocline.launch.job import Job
from halocline.launch.run_job import run_job
from halocline.mpi.registry import toolchain
from halocline.samples.dataset import load

SIZES_BYTES = {8: "8 B", 4096: "4 KiB", 65536: "64 KiB", 1048576: "1 MiB"}
RUNS = 8
LAUNCHES = 8  # of one run of Halocline, whose figure is the median over them; a run of IMB has one
TIME_LIMIT_S = 120

# By default IMB repeats a message of 1 MiB 40 times, the first ones cold.
IMB: dict[str, list[str]] = {
    "IMB": [],
    "IMB, 4000 repetitions": ["-iter", "4000", "-iter_policy", "off"],
}

Figures = dict[int, float]  # size in bytes -> time of one message in seconds
Times = np.ndarray[tuple[int, ...], np.dtype[np.float64]]  # a figure a launch


def rows() -> list[Row]:
    """For each size the ratio of the times, and that of the spreads from run to run."""
    intel = toolchain("intel")
    seen: dict[str, list[Figures]] = {"Halocline": [], **{name: [] for name in IMB}}
    with tempfile.TemporaryDirectory() as folder:
        for launch in range(1, RUNS * LAUNCHES + 1):
            names = list(seen) if launch % 2 else list(reversed(seen))
            for name in names:
                if name in IMB:
                    seen[name].append(_imb(intel, Path(folder), IMB[name]))
                else:
                    seen[name].append(_halocline(intel, Path(folder)))
    table = []
    for name in IMB:
        for size_bytes, size in SIZES_BYTES.items():
            own, imb = _times(seen["Halocline"], size_bytes), _times(seen[name], size_bytes)
            table.append(_ratio(f"ping-pong {size}, Halocline / {name}", own, imb))
    for size_bytes, size in SIZES_BYTES.items():
        own, imb = _times(seen["Halocline"], size_bytes), _times(seen["IMB"], size_bytes)
        for launches in (LAUNCHES, 1):
            what = f"spread {size}, runs of {launches} launches / IMB"
            table.append(_spread_ratio(what, own, imb, launches))
    return table


def _times(launches: list[Figures], size_bytes: int) -> Times:
    return np.array([launch[size_bytes] for launch in launches])


def _ratio(what: str, own: Times, imb: Times) -> Row:
    # Launch by launch: the machine may change its speed within minutes.
    ratio = float(np.median(own / imb))
    medians = f"{np.median(own) * 1e6:.4g} / {np.median(imb) * 1e6:.4g} µs"
    return Row(what, ratio, 0.97, 1.03, f"{medians}, {own.size} launches each")


def _spread_ratio(what: str, own: Times, imb: Times, launches: int) -> Row:
    """Of runs of so many launches of Halocline, next to runs of IMB, which have one."""
    runs = np.median(own.reshape(-1, launches), axis=1)
    evidence = f"{runs.size} runs {_spread(runs):.2%}, {imb.size} runs of IMB {_spread(imb):.2%}"
    return Row(what, _spread(runs) / _spread(imb), 0, 0.5, evidence)


def _spread(figures: Times) -> float:
    """Typical relative difference between one run and the next.

    Not the standard deviation: where the machine changes its speed within minutes, that is the
    machine's, whoever measures.
    """
    return float(np.median(np.abs(np.diff(np.log(figures)))))


def _imb(intel: Toolchain, folder: Path, options: Sequence[str]) -> Figures:
    lengths = folder / "lengths"
    lengths.write_text("".join(f"{size_bytes}\n" for size_bytes in SIZES_BYTES))
    program = intel.launcher.with_name("IMB-MPI1")
    shown = output_of(
        [intel.launcher, "-n", "2", program, "PingPong", "-msglen", lengths, *options],
        TIME_LIMIT_S,
        {**intel.environment, "I_MPI_PIN_DOMAIN": "core"},
    )
    lines = (line.split() for line in shown.splitlines())
    # The rate in MB/s has four digits where the time has two decimals.
    return {
        int(words[0]): int(words[0]) / float(words[3]) * 1e-6
        for words in lines
        if len(words) == 4 and words[0].isdigit() and int(words[0]) in SIZES_BYTES
    }


def _halocline(intel: Toolchain, folder: Path) -> Figures:
    samples = folder / "samples.jsonl"
    samples.unlink(missing_ok=True)
    cases = tuple(
        f"{size_bytes} pingpong protocol=send_recv bytes={size_bytes}" for size_bytes in SIZES_BYTES
    )
    job = Job(intel, 2, 1, cases, samples, half_width=0.002, case_s=0.3)
    outcome = run_job(job, lambda progress: None)
    if not outcome.ok:
        raise RuntimeError(outcome.reason)
    # All batches, whatever disturbed them: IMB leaves nothing out either.
    return {
        int(record.case): float(np.median(record.traversal_s)) for record in load(samples).samples
    }
