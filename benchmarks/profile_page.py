"""How long the page of three profiles of 512 ranks takes, and how large it is."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from benchmarks.table import Row
from halocline.profile.store import save

RANKS, RUNS = 512, 3
LONGEST_S = 5.0
LARGEST_MB = 3.0
MADE_UP = Path(__file__).parents[1] / "tests/python"


def rows() -> list[Row]:
    """Wall time of `halocline profile report`, everything included, and the file's size."""
    sys.path.insert(0, str(MADE_UP))
    from profiles.model import model  # noqa: PLC0415

    with tempfile.TemporaryDirectory(prefix="halocline-") as name:
        folders = [Path(name) / f"run{number}.profile" for number in range(RUNS)]
        for folder in folders:
            folder.mkdir()
            save(replace(model(RANKS), folder=folder))
        page = Path(name) / "page.html"
        words = ["halocline", "profile", "report", *map(str, folders), "--output", str(page)]
        times_s = []
        for _ in range(3):
            began_s = time.monotonic()
            subprocess.run(words, check=True, capture_output=True)
            times_s.append(time.monotonic() - began_s)
        megabytes = page.stat().st_size / 1e6
    what = f"{RUNS} profiles of {RANKS} ranks"
    return [
        Row("page of profiles, seconds", min(times_s), 0, LONGEST_S, f"{what}, best of 3"),
        Row("page of profiles, MB", megabytes, 0, LARGEST_MB, what),
    ]
