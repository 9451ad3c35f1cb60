"""The eager limit that `halocline detect` finds follows each library's own knob, by the byte."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from libraries import TOOLCHAINS

pytestmark = pytest.mark.launches

HALOCLINE = Path(sys.executable).with_name("halocline")
RUN_S = 300.0
ON_NODE, OFF_NODE = "layout=1N2P", "layout=2N1P"
OFI = ("env.I_MPI_FABRICS=ofi", "env.FI_PROVIDER=tcp")


@dataclass(frozen=True)
class Knob:
    """A setting of a library, and how many bytes below it the largest eager message lies."""

    mpi: str
    variable: str
    values: tuple[int, ...]
    below: int
    words: tuple[str, ...]


KNOBS = {
    # A cell of the queue in shared memory holds the header too.
    "mpich on node": Knob(
        "mpich", "MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE", (2048, 4096, 8192), 80, (ON_NODE,)
    ),
    # The first size that is sent by rendezvous.
    "mpich off node": Knob("mpich", "UCX_RNDV_THRESH", (4096, 16384, 65536), 1, (OFF_NODE,)),
    # What libfabric keeps of a message without a receive, the header included.
    "intel on and off node": Knob(
        "intel",
        "FI_TCP_MAX_SAVED_SIZE",
        (20000, 65536, 262144),
        24,
        ("layout=1N2P,2N1P", *OFI),
    ),
    # Both limits include the header.
    "openmpi on node": Knob(
        "openmpi", "OMPI_MCA_btl_sm_eager_limit", (1024, 8192, 65536), 80, (ON_NODE,)
    ),
    "openmpi off node": Knob(
        "openmpi", "OMPI_MCA_btl_tcp_eager_limit", (1024, 8192, 100000), 80, (OFF_NODE,)
    ),
}


def detections(mpi: str, words: tuple[str, ...], sizes: list[int], folder: Path) -> Any:
    """What `halocline detect eager-limit` finds, as it is typed."""
    TOOLCHAINS[mpi]()
    done = subprocess.run(
        [
            *(str(HALOCLINE), "detect", "eager-limit", "--mpi", mpi, "--hosts", "made", *words),
            *(f"bytes={','.join(map(str, sizes))}", "--budget", "10s", "--json"),
            *("--output", str(folder / "run")),
        ],
        check=False,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=RUN_S,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["detections"]


@pytest.mark.parametrize("name", KNOBS)
def test_the_limit_follows_the_knob(name: str, tmp_path: Path) -> None:
    knob = KNOBS[name]
    limits = {value: value - knob.below for value in knob.values}
    near = [size for limit in limits.values() for size in (limit, limit + 1)]
    sizes = sorted({1, *near, 4 * max(knob.values)})  # from 1 to there whatever the setting is
    values = ",".join(map(str, knob.values))
    words = (*knob.words, f"env.{knob.variable}={values}")
    found = {
        (each["configuration"]["layout"], int(each["configuration"][f"env.{knob.variable}"])): (
            each["found"]["probed"]["below"],
            each["found"]["probed"]["above"],
        )
        for each in detections(knob.mpi, words, sizes, tmp_path)
    }
    layouts = knob.words[0].partition("=")[2].split(",")
    assert found == {
        (layout, value): (limit, limit + 1) for layout in layouts for value, limit in limits.items()
    }


def test_where_there_is_no_limit_none_is_found(tmp_path: Path) -> None:
    """Intel's shared memory takes in what has no receive yet, as long as its ranks call MPI."""
    (only,) = detections("intel", (ON_NODE,), [1, 4096, 65536, 2**20], tmp_path)
    assert only["found"]["probed"] == {"below": 2**20, "above": None, "confidence": 1.0}
