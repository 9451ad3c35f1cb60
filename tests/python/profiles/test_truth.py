"""The profile of a workload has the bytes that the workload says it moves, and not one more."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from halocline.mpi.build import abi_driver
from halocline.profile.run import record
from halocline.profile.totals import Totals
from profiles.programs import library_of

CASES = {
    "halo": "protocol=isend_irecv words=1024 width=1 grid_y=0",
    "redistribution": "protocol=isend_irecv grid=64x128x16 layouts=table1 fields=8 packing=rank "
    "bundle=whole memory=user near=messages",
}
RANKS = 4


@pytest.mark.parametrize("workload", CASES)
def test_a_workload_moves_what_it_says(workload: str, tmp_path: Path) -> None:
    cases, output = tmp_path / "cases.txt", tmp_path / "samples.jsonl"
    cases.write_text(f"case {workload} {CASES[workload]}\n", encoding="utf-8")
    words = ["--cases", cases, "--output", output, "--label", "x", "--launch", "1"]
    words += ["--case-seconds", "0.02", "--path", "recorded", "--shared-cores"]
    launcher = [library_of("mpich-abi").launcher, "-n", RANKS, abi_driver(print)]
    code, profile = record([str(word) for word in (*launcher, *words)], tmp_path / "p.profile")
    assert code == 0 and profile is not None
    lines = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    (moved,) = (line["moved_bytes"] for line in lines if line["type"] == "samples")
    totals = Totals(profile)
    times, rest = divmod(int(totals.matrix().sum()), moved)
    assert times > 1 and rest == 0
    given = int(totals.rank_bytes_sent.sum())
    assert given == totals.bytes == sum(size.bytes for size in totals.sizes())
    assert given == totals.matrix().sum() + totals.rank_collective_bytes.sum()
