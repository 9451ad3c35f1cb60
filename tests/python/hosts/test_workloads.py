"""Workloads on one node and between two, on every library: verified, and the way of their bytes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from halocline.hosts import Hosts, temporary_hosts
from halocline.launch.job import Job
from halocline.launch.run_job import run_job
from launch.trace import records
from libraries import TOOLCHAINS

pytestmark = pytest.mark.launches

PAYLOAD_BYTES = 65536
CASES = (
    f"pingpong pingpong protocol=send_recv bytes={PAYLOAD_BYTES}",
    *(
        f"{workload}-{how} {workload} synchronisation={how} bytes={PAYLOAD_BYTES}"
        for workload in ("put", "get")
        for how in ("flush", "fence", "pscw")
    ),
    f"halo halo protocol=isend_irecv words={PAYLOAD_BYTES // 8} width=1 grid_y=0",
    f"alltoall alltoall bytes={PAYLOAD_BYTES} timing=synchronised structure=flat",
)
CASE_S = 0.02  # some batches
LAYOUTS = {"1N2P": (0, 0), "2N1P": (0, 1)}
OFF_NODE_SHARE = 0.95  # of the payload; counters of interfaces may lag behind by some packets
ON_NODE_SHARE = 0.01  # what the launcher and the driver's own lines may send


@pytest.fixture(scope="module")
def hosts() -> Iterator[Hosts]:
    with temporary_hosts(2) as made:
        yield made


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", TOOLCHAINS)
def test_the_way_of_every_byte(name: str, layout: str, hosts: Hosts, tmp_path: Path) -> None:
    node_of_rank = LAYOUTS[layout]
    nodes = len(set(node_of_rank))
    job = Job(
        TOOLCHAINS[name](),
        ranks=len(node_of_rank),
        launch=1,
        cases=CASES,
        samples=tmp_path / "samples.jsonl",
        case_s=CASE_S,
        hosts=hosts,
        nodes=hosts.names[:nodes],
        node_of_rank=node_of_rank,
    )
    outcome = run_job(job, lambda progress: None)
    assert outcome.ok, outcome
    start, *samples, complete = records(job)
    assert (start["nodes"], complete["type"]) == (nodes, "complete")
    assert [sample["case"] for sample in samples] == [case.split()[0] for case in CASES]
    for sample in samples:
        # Measured says: every byte was compared, before and after.
        assert (sample["status"], sample["reason"]) == ("measured", "")
        path = sample["path"]
        assert path["nodes"] == nodes
        if nodes == 1:
            assert path["payload_bytes"] == 0
            assert path["wire_bytes"] <= ON_NODE_SHARE * moved_bytes(sample)
        else:
            assert path["payload_bytes"] > 0
            assert path["wire_bytes"] >= OFF_NODE_SHARE * path["payload_bytes"]


def moved_bytes(sample: dict[str, Any]) -> int:
    """What all batches moved, without those that were run before to warm up."""
    batches = len(sample["preempted"])
    return int(batches * sample["repeats"] * sample["moved_bytes"])
