"""The whole two-rank survey of one library: how long, and how many cases are exact enough."""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from pathlib import Path

from benchmarks.table import Row

HALF_WIDTH = 0.01
LONGEST_S = 180.0
SHARE = 0.9


def rows() -> list[Row]:
    """Wall time of `halocline survey`, and the share of its cases within ±1 %."""
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        began_s = time.monotonic()
        subprocess.run(["halocline", "survey", "--output", run], check=True, capture_output=True)
        elapsed_s = time.monotonic() - began_s
        shown = subprocess.run(
            ["halocline", "summary", run, "--json"], check=True, capture_output=True, text=True
        ).stdout
    cases = json.loads(shown)["cases"]
    times = [case["metrics"][0] for case in cases if case["status"] == "measured"]
    exact = [time for time in times if _half_width(time) <= HALF_WIDTH]
    launches = max(time["launches"] for time in times)
    return [
        Row("survey of one library, seconds", elapsed_s, 0, LONGEST_S, f"{len(cases)} cases"),
        Row(
            "share of cases within ±1 %",
            len(exact) / len(cases),
            SHARE,
            float("inf"),
            f"{len(exact)} of {len(cases)} cases, at most {launches} launches",
        ),
    ]


def _half_width(time: dict[str, float]) -> float:
    return (time["high"] - time["low"]) / (2 * time["median"])
