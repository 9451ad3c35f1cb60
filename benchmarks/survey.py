"""How long the survey takes, and how exact the cases of a run are after its usual budget."""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.table import Row

HALF_WIDTH = 0.01
LONGEST_S = 480.0
SHARE = 0.9
PROTOCOLS = (
    "send_recv,ssend_recv,rsend_irecv,bsend_recv,isend_recv,isend_irecv,sendrecv,isendrecv,"
    "persistent"
)


def rows() -> list[Row]:
    """Wall time of `halocline survey`; of 414 cases in 150 s the share within ±1 %."""
    began_s = time.monotonic()
    surveyed = _cases("survey")
    elapsed_s = time.monotonic() - began_s
    cases = _cases("run", "pingpong,pingping", f"protocol={PROTOCOLS}")
    times = [case["metrics"][0] for case in cases if case["status"] == "measured"]
    exact = [time for time in times if _half_width(time) <= HALF_WIDTH]
    launches = max(time["launches"] for time in times)
    measured = sum(case["status"] == "measured" for case in surveyed)
    return [
        Row(
            "survey of one library, seconds",
            elapsed_s,
            0,
            LONGEST_S,
            f"{measured} of {len(surveyed)} cases",
        ),
        Row(
            "share of cases within ±1 %",
            len(exact) / len(cases),
            SHARE,
            float("inf"),
            f"{len(exact)} of {len(cases)} cases, at most {launches} launches",
        ),
    ]


def _cases(*words: str) -> list[dict[str, Any]]:
    """The cases of a run that `halocline WORD…` makes."""
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        subprocess.run(["halocline", *words, "--output", run], check=True, capture_output=True)
        shown = subprocess.run(
            ["halocline", "summary", run, "--json"], check=True, capture_output=True, text=True
        ).stdout
    cases: list[dict[str, Any]] = json.loads(shown)["cases"]
    return cases


def _half_width(time: dict[str, float]) -> float:
    return (time["high"] - time["low"]) / (2 * time["median"])
