"""Searches with real launches, in which one call of MPI is slowed by 100 µs: who calls it loses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from halocline.cli.main import main
from halocline.compare.comparison import LAUNCHES_MINIMUM
from halocline.samples.dataset import load
from library.conftest import MPIEXEC, TIMEOUT_S, python_library

__all__ = ["python_library"]

pytestmark = pytest.mark.launches

LOST = "other work took its cores, or its ranks migrated, in every launch"  # no fault of the search
WRITTEN = ("result.json", "settings.sh", "repeat.toml", "ways.txt")  # by a search that ends well

# MPI_Isend is what isend_irecv calls, and neither persistent nor sendrecv.
_SLOW_ISEND = """
#include <mpi.h>
#include <time.h>
static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec + 1e-9 * now.tv_nsec;
}
int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm world,
              MPI_Request* request) {
  for (const double end_s = now_s() + 100e-6; now_s() < end_s;) {}
  return PMPI_Isend(data, count, type, to, tag, world, request);
}
"""
_WAY_TAKEN = """
import numpy
from mpi4py import MPI
from halocline.redistribution import Layout, Redistribution, Route, cyclic, even

world = MPI.COMM_WORLD
source, destination = Layout([even(1 << 14, 2)]), Layout([cyclic(1 << 14, 2)])
fields = [[numpy.zeros(block.shape) for block in each.blocks(world.rank)]
          for each in (source, destination)]
with Redistribution(Route(source, destination, world), *fields) as redistribution:
    if world.rank == 0:
        way = redistribution.way()
        print(way.protocol, way.origin, sep="|")
"""


@pytest.fixture
def slow_isend(tmp_path: Path) -> str:
    """The environment in which MPI_Isend is slow."""
    source, library = tmp_path / "slow.c", tmp_path / "slow.so"
    source.write_text(_SLOW_ISEND, encoding="utf-8")
    compiler = Path(sys.executable).with_name("mpicc_abi")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source], check=True)
    return f"env.LD_PRELOAD={library}"


@dataclass(frozen=True)
class Ended:
    """How a search ended: with a result, or with an error."""

    folder: Path
    result: dict[str, Any] | None
    error: str

    def decided(self) -> dict[str, Any] | None:
        """The result; None on a machine too busy for one, once it is sure that it says so."""
        if self.result is None:
            assert f"no candidate could be measured: {LOST}; what was measured is" in self.error
            assert load(self.folder / "samples.jsonl").starts, "launched, as it says"
            assert [name for name in WRITTEN if (self.folder / name).exists()] == []
            return None
        if self.result["outcome"] != "unknown":
            return self.result
        assert "is inconclusive: too few launches" in self.result["sentence"]
        launches = [each["against_default"]["launches"] for each in self.result["finalists"]]
        assert min(launches) < LAUNCHES_MINIMUM, "100 µs are enough to decide"
        assert self.result["recommended"] == {}
        assert not (self.folder / "ways.txt").exists()
        return None


Search = Callable[..., Ended]


@pytest.fixture
def search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Search:
    monkeypatch.chdir(tmp_path)

    def searched(*words: str) -> Ended:
        options = ("--settings", "none", "--budget", "30s", "--json", "--output", "tuned")
        with pytest.raises(SystemExit) as ended:
            main(["tune", *words, *options])
        out, err = capsys.readouterr()
        assert ended.value.code in (0, 1), err
        result = json.loads(out) if ended.value.code == 0 else None
        return Ended(tmp_path / "tuned", result, err)

    return searched


def test_the_default_is_kept_when_the_other_way_is_slow(search: Search, slow_isend: str) -> None:
    # The library does not start with this one: it is left out, and the others are measured.
    broken = "env.MPIR_CVAR_CH4_NETMOD=nonsense"
    ways = "protocol=persistent,isend_irecv"
    result = search("halo", "words=64", ways, slow_isend, "--try", broken).decided()
    if result is not None:
        assert result["outcome"] == "as_good", result["sentence"]
        assert result["recommended"] == {}
        (slow,) = result["candidates"]
        assert slow["changes"] == {"protocol": "isend_irecv"}
        assert min(slow["logs"]) > 0, "MPI_Isend was slowed"
        assert len(result["left_out"]) == 2
        for name, reason in result["left_out"].items():
            assert broken in name
            assert reason.startswith("failed: ")


def test_a_faster_way_is_found_written_and_taken_by_the_library(
    search: Search, slow_isend: str, python_library: Path, tmp_path: Path
) -> None:
    problem = ("grid=16x32x4", "memory=user", "near=messages", "packing=rank", "bundle=whole")
    protocols = "protocol=isend_irecv,persistent"
    result = search("redistribution", *problem, protocols, slow_isend).decided()
    if result is not None:
        assert result["outcome"] == "better", result["sentence"]
        assert result["recommended"] == {"protocol": "persistent"}
        (finalist,) = result["finalists"]
        assert finalist["against_default"]["high"] < 0.9
        ways = tmp_path / "tuned/ways.txt"
        assert taken(ways, python_library, tmp_path) == f"persistent|{ways}, line 4\n"


def taken(ways: Path, python_library: Path, folder: Path) -> str:
    """Which way the library takes with this file, and where it says that it is from."""
    program = folder / "way.py"
    program.write_text(_WAY_TAKEN, encoding="utf-8")
    done = subprocess.run(
        [MPIEXEC, "-n", "2", sys.executable, "-m", "mpi4py", program],
        check=True,
        env={**os.environ, "HALOCLINE_WAYS": str(ways), "HALOCLINE_LIBRARY": str(python_library)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
    )
    return done.stdout
