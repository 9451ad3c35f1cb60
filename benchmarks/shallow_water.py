"""Spectral shallow water: the published numbers of its test cases, and speed beside others.

`python -m benchmarks.shallow_water PROGRAM` shows these rows alone.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.programs import told
from benchmarks.table import Row, show
from halocline.mpi.registry import toolchain

TIME_LIMIT_S = 3600
LEVELS = 18
REPETITIONS = 40
STEP_GOAL_MS = 12
TRANSFORM_GOALS_MS = {85: 2.0, 170: float("inf")}


@dataclass(frozen=True)
class Proof:
    """A case, how it is integrated, and what a reference code printed, which must not be exceeded
    but by the share of `off`."""

    case: int
    truncation: int
    step_s: float
    days: float
    published: dict[str, float]
    off: float = 0.02
    diffusion: float = 0


# Williamson et al. 1992, by a reference code in double precision.
PROOFS = (
    Proof(1, 42, 1200, 12, {"height": 3.995e-2}),
    Proof(1, 85, 600, 12, {"height": 1.154e-2}),
    Proof(2, 42, 1200, 5, {"height": 4.2e-12, "wind": 3.2e-11}),
    Proof(3, 42, 1200, 5, {"height": 5.157e-10, "wind": 7.6e-8}),
    Proof(3, 63, 900, 5, {"height": 3.4e-12}),
    # Published in a norm not known here: 348 to 373 times ours, so these rows hardly can fail.
    Proof(4, 42, 1200, 5, {"height": 1.858e-3}),
    Proof(4, 63, 900, 5, {"height": 1.110e-3}),
    Proof(4, 85, 600, 5, {"height": 5.02e-4}),
    Proof(5, 42, 900, 15, {"energy": 3.0e-7, "enstrophy": 9.2e-7, "mass": 1e-10}),
    Proof(6, 42, 600, 14, {"energy": 2.0e-7, "enstrophy": 1.4e-5}),
)


def rows(program: Path) -> list[Row]:
    """Proofs, then speeds."""
    return [*proofs(program), *speeds(program)]


def proofs(program: Path) -> list[Row]:
    """Each published number beside what comes out here; changes by their size."""
    shown = []
    for proof in PROOFS:
        words = ["proof", proof.case, proof.truncation, proof.step_s, proof.days, proof.diffusion]
        found = _told(program, *words)
        shown += [
            Row(
                f"case {proof.case}, T{proof.truncation}, {proof.days:g} days: {name}",
                abs(found[name]),
                0,
                value * (1 + proof.off),
                f"published {value:g}; step {proof.step_s:g} s",
            )
            for name, value in proof.published.items()
        ]
    return shown


def speeds(program: Path) -> list[Row]:
    """Transforms of all levels on one core, beside SHTns and ducc0 where they are installed."""
    shown = []
    for truncation, goal_ms in TRANSFORM_GOALS_MS.items():
        ours = _told(program, "speed", truncation, LEVELS)
        both = ours["synthesis_ms"] + ours["analysis_ms"]
        parts = f"{ours['synthesis_ms']:.3g} + {ours['analysis_ms']:.3g} ms"
        shown.append(
            Row(f"T{truncation}L{LEVELS} synthesis + analysis, ms", both, 0, goal_ms, parts)
        )
        for name, others in (("shtns", _shtns_ms), ("ducc0", _ducc0_ms)):
            try:
                theirs = others(importlib.import_module(name), truncation)
            except ImportError:
                continue
            what = f"T{truncation}L{LEVELS} synthesis + analysis / {name}"
            shown.append(Row(what, both / theirs, 0, 1, f"{theirs:.3g} ms there"))
        if truncation == min(TRANSFORM_GOALS_MS):
            what = f"T{truncation}L{LEVELS} step, ms"
            shown.append(Row(what, ours["step_ms"], 0, STEP_GOAL_MS, f"fastest of {REPETITIONS}"))
    return shown


def _told(program: Path, *words: object) -> dict[str, float]:
    mpich = toolchain("mpich")
    command: list[str | Path] = [mpich.launcher, "-n", "1", program, *map(str, words)]
    numbers: dict[str, float] = json.loads(told(command, TIME_LIMIT_S, mpich.environment))
    return numbers


def _fastest_ms(work: Callable[[], object]) -> float:
    times = []
    for _ in range(REPETITIONS):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return 1e3 * min(times)


def _shtns_ms(shtns: Any, truncation: int) -> float:
    longitudes, latitudes = _grid(truncation)
    transform = shtns.sht(truncation, truncation)
    transform.set_grid(latitudes, longitudes)
    rng = np.random.default_rng(1)
    coefficients = [
        rng.standard_normal(transform.nlm) + 1j * rng.standard_normal(transform.nlm)
        for _ in range(LEVELS)
    ]
    fields = [transform.synth(each) for each in coefficients]
    return _fastest_ms(lambda: [transform.synth(each) for each in coefficients]) + _fastest_ms(
        lambda: [transform.analys(each) for each in fields]
    )


def _ducc0_ms(ducc0: Any, truncation: int) -> float:
    longitudes, latitudes = _grid(truncation)
    count = (truncation + 1) * (truncation + 2) // 2
    rng = np.random.default_rng(1)
    coefficients = [
        (rng.standard_normal((1, count)) + 1j * rng.standard_normal((1, count)))
        for _ in range(LEVELS)
    ]
    common = {"spin": 0, "lmax": truncation, "mmax": truncation, "geometry": "GL", "nthreads": 1}

    def synthesis(each: Any) -> Any:
        return ducc0.sht.synthesis_2d(alm=each, ntheta=latitudes, nphi=longitudes, **common)

    fields = [synthesis(each) for each in coefficients]
    return _fastest_ms(lambda: [synthesis(each) for each in coefficients]) + _fastest_ms(
        lambda: [ducc0.sht.analysis_2d(map=each, **common) for each in fields]
    )


def _grid(truncation: int) -> tuple[int, int]:
    longitudes = {85: 256, 170: 512}[truncation]
    return longitudes, longitudes // 2


if __name__ == "__main__":
    show(rows(Path(sys.argv[1])))
