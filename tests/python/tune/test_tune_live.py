"""Searches with real launches, in which one call of MPI is slowed by 100 µs: who calls it loses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from halocline.cli.main import main
from library.conftest import MPIEXEC, TIMEOUT_S, python_library

__all__ = ["python_library"]

pytestmark = pytest.mark.launches

OTHER_WORK = "other work took "  # why a candidate has no figure: no fault of the search

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


@pytest.fixture
def search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Any:
    monkeypatch.chdir(tmp_path)

    def searched(*words: str) -> dict[str, Any] | None:
        """The result; None where no launch counted, because other work took the cores."""
        with pytest.raises(SystemExit) as ended:
            main(["tune", *words, "--settings", "none", "--budget", "30s", "--json"])
        out, err = capsys.readouterr()
        if ended.value.code == 1:
            assert "no candidate could be measured: other work took the cores" in err
            return None
        assert ended.value.code == 0, err
        found: dict[str, Any] = json.loads(out)
        return found

    return searched


def test_the_default_is_kept_when_the_other_way_is_slow(search: Any, slow_isend: str) -> None:
    # The library does not start with this one: it is left out, and the others are measured.
    broken = "env.MPIR_CVAR_CH4_NETMOD=nonsense"
    ways = "protocol=persistent,isend_irecv"
    found = search("halo", "words=64", ways, slow_isend, "--try", broken, "--output", "kept")
    if found is None:
        return
    lost = {name for name, why in found["left_out"].items() if why.startswith(OTHER_WORK)}
    if any("isend_irecv" in name for name in lost):
        return
    assert found["outcome"] == "as_good", found["sentence"]
    assert found["recommended"] == {}
    (slow,) = found["candidates"]
    assert slow["changes"] == {"protocol": "isend_irecv"}
    assert min(slow["logs"]) > 0, "MPI_Isend was slowed"
    left_out = {name: why for name, why in found["left_out"].items() if name not in lost}
    assert len(left_out) == 2
    for name, reason in left_out.items():
        assert broken in name
        assert reason.startswith("failed: ")


def test_a_faster_way_is_found_written_and_taken_by_the_library(
    search: Any, slow_isend: str, python_library: Path, tmp_path: Path
) -> None:
    problem = ("grid=16x32x4", "memory=user", "near=messages", "packing=rank", "bundle=whole")
    protocols = "protocol=isend_irecv,sendrecv"
    found = search("redistribution", *problem, protocols, slow_isend, "--output", "found")
    if found is None:
        return
    assert found["outcome"] == "better", found["sentence"]
    assert found["recommended"] == {"protocol": "sendrecv"}
    (finalist,) = found["finalists"]
    assert finalist["against_default"]["high"] < 0.9

    program = tmp_path / "way.py"
    program.write_text(_WAY_TAKEN, encoding="utf-8")
    ways = tmp_path / "found/ways.txt"
    done = subprocess.run(
        [MPIEXEC, "-n", "2", sys.executable, "-m", "mpi4py", program],
        check=True,
        env={**os.environ, "HALOCLINE_WAYS": str(ways), "HALOCLINE_LIBRARY": str(python_library)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
    )
    assert done.stdout == f"sendrecv|{ways}, line 4\n"
