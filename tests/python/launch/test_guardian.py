"""What a guardian makes of its job's lines."""

from __future__ import annotations

import os
import selectors
import subprocess
from pathlib import Path
from typing import Any

import pytest

from halocline.launch import guardian, traces
from halocline.launch.traces import Trace
from halocline.launch.watch import Orders, Watch


def test_a_slow_case_that_shows_signs_of_life(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a case whose ranks wait for each other's cores under load."""
    now_s = 100.0
    reported: list[dict[str, Any]] = []
    monkeypatch.setattr("halocline.launch.watch.time.monotonic", lambda: now_s)
    monkeypatch.setattr(guardian, "_report", reported.append)
    orders = Orders([], {}, "", 2, True, start_s=20.0, progress_s=1.5, total_s=60.0)
    job = Watch(orders, launcher=1, began_s=now_s)
    for line in ("case 1/2 a", *["case 2/2 b"] * 6):
        now_s += 1.0
        guardian._take_line(job, f"halocline: {line}")
        assert (job.deadline_s, job.deadline_cause) == (now_s + 1.5, "progress")
    assert [event["case"] for event in reported] == [1, 2]  # each once
    now_s = 159.0
    guardian._take_line(job, "halocline: case 2/2 b")
    assert (job.deadline_s, job.deadline_cause) == (160.0, "total")


def test_the_memory_of_a_case_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    reported: list[dict[str, Any]] = []
    monkeypatch.setattr(guardian, "_report", reported.append)
    orders = Orders([], {}, "", 2, True, start_s=20.0, progress_s=1.5, total_s=60.0)
    job = Watch(orders, launcher=1, began_s=0.0)
    for line in ("case 2/3 a", "memory bytes=3221225472 percent=13", "memory bytes=much"):
        guardian._take_line(job, f"halocline: {line}")
    of_case = {"case": 2, "cases": 3}
    assert reported == [
        {"event": "progress", **of_case},
        {"event": "memory", **of_case, "bytes": 3 * 1024**3, "percent": 13},
    ]


def test_of_ranks_that_are_met_dead_none_is_taken_for_the_only_one(tmp_path: Path) -> None:
    """As where the guardian of a short job had to wait for a core."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    namespace = os.readlink("/proc/self/ns/pid")
    with subprocess.Popen(["true"]) as process:
        process.wait()
        for rank in range(2):
            trace = f"{process.pid} {boot} {namespace}\n"
            (tmp_path / f"rank-{rank}.pid").write_text(trace, encoding="ascii")
    orders = Orders([], {}, str(tmp_path), 2, True, start_s=20.0, progress_s=1.5, total_s=60.0)
    job = Watch(orders, launcher=1, began_s=0.0, started=True)
    with selectors.DefaultSelector() as selector:
        guardian._meet_ranks(job, selector)
    first, second = job.lost
    assert {first["rank"], second["rank"]} == {0, 1}
    assert job.ending == [{"rank": second["rank"], "pid": process.pid}]


def test_a_rank_that_cannot_be_seen_from_here_is_not_taken_for_dead(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As in two containers of a machine that share the job's directory."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    own = os.readlink("/proc/self/ns/pid")
    with subprocess.Popen(["true"]) as process:
        process.wait()
    elsewhere = Trace(process.pid, boot, "pid:[1]")
    monkeypatch.setattr(traces, "INITIAL", own)
    assert elsewhere.is_seen  # all processes are
    monkeypatch.setattr(traces, "INITIAL", "")
    assert not elsewhere.is_seen
    assert Trace(process.pid, boot, own).is_seen
    assert not Trace(process.pid, "another boot", own).is_seen
