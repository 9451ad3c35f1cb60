"""Profiles of workloads: one for each case, whose phases are regions."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from halocline.base.parts import scripts
from halocline.findings.measured import profiles_in
from halocline.profile.store import load
from halocline.profile.totals import Totals

pytestmark = pytest.mark.launches

SMALL = ["truncation=5", "atmosphere_levels=2", "ocean_levels=2", "iterations=5"]
SMALL += ["protocol=isend_irecv"]


def halocline(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [str(scripts() / "halocline"), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_profile_for_each_number_of_ranks(tmp_path: Path) -> None:
    place = tmp_path / "calls"
    words = ["coupled", *SMALL, "history=written", "--ranks", "1", "--ranks", "2"]
    ended = halocline("profile", "workload", *words, "--output", place)
    assert ended.returncode == 0, ended.stderr
    alone, two = profiles_in(place) or ()
    assert (alone.case.ranks, two.case.ranks) == (1, 2)
    assert len(two.timed) == 2
    assert 0 < two.share_of_mpi < 1
    assert two.calls["Irecv"] == two.calls["Isend"] > 0
    assert min(two.rank_bytes) > 2 * max(alone.rank_bytes)  # its contributions to sums
    # The warm-up and the timed run write their history; the checks do not.
    assert two.runs >= 2
    assert sum(count for _, count in two.written) > two.runs * two.read_bytes
    folders = sorted(place.glob("*.profile"))
    regions = set(load(folders[-1]).region_names)
    assert {"timed", "atmosphere_run", "coupling", "files"} <= regions
    report = halocline("profile", "report", *folders)
    assert report.returncode == 0, report.stderr
    # A profile that is missing is recorded again; the others stay.
    kept = folders[0] / "profile.json"
    before = kept.stat().st_mtime_ns
    (folders[1] / "profile.json").unlink()
    again = halocline("profile", "workload", "--resume", place)
    assert again.returncode == 0, again.stderr
    assert kept.stat().st_mtime_ns == before
    assert Totals(load(folders[1])).calls > 0


def test_a_case_that_does_not_fit_is_left_out(tmp_path: Path) -> None:
    words = ["shallow_water", "truncation=5", "levels=1", "grid_y=3", "--ranks", "2"]
    ended = halocline("profile", "workload", *words, "--output", tmp_path / "limits")
    assert ended.returncode == 1
    assert "shallow_water with mpich: skipped: " in ended.stderr
    assert "no case could be recorded" in ended.stderr
