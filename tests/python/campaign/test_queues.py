"""What is launched together, where, and with which settings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from halocline.base.errors import UserErrors
from halocline.base.toolchain import Family, Toolchain
from halocline.campaign.queues import Queue, check_places, job_of, queues_of
from halocline.hosts import Hosts
from halocline.specification.catalogue import Catalogue, from_json
from halocline.specification.expand import expand
from halocline.specification.experiment import Experiment

NOWHERE = Path("/nonexistent")
HOSTS = Hosts(("a", "b"), agent=Path("/agent"))
AXES = (("bytes", (8,)), ("protocol", ("send_recv",)))


@pytest.fixture
def catalogue(driver_catalogue: dict[str, Any]) -> Catalogue:
    for workload in driver_catalogue["workloads"]:
        workload["ranks_maximum"] = 8
    return from_json(driver_catalogue)


def tool(name: str, driver: str = "driver") -> Toolchain:
    return Toolchain(name, Family.MPICH, "MPICH", NOWHERE, Path(driver))


def queues(
    experiment: Experiment, catalogue: Catalogue, scratch: Path, hosts: Hosts | None = None
) -> tuple[Queue, ...]:
    tools = {"m": tool("m"), "m flags=-O2": tool("m", "O2"), "simgrid": tool("simgrid")}
    return queues_of(experiment, expand(experiment, catalogue), tools, hosts, scratch)


def test_each_label_on_each_number_of_ranks_is_a_queue(
    catalogue: Catalogue, tmp_path: Path
) -> None:
    settings = (("flags", ("-O2",)), ("pages", ("base", "huge")))
    experiment = Experiment(
        "t", ("pingpong",), ("m",), ranks=(2, 4), axes=AXES, configuration=settings
    )
    found = queues(experiment, catalogue, tmp_path)
    assert [(queue.label, queue.ranks, len(queue.cases)) for queue in found] == [
        ("m flags=-O2 pages=base", 2, 1),
        ("m flags=-O2 pages=base", 4, 1),
        ("m flags=-O2 pages=huge", 2, 1),
        ("m flags=-O2 pages=huge", 4, 1),
    ]
    assert {(queue.toolchain.name, queue.toolchain.driver) for queue in found} == {
        ("m", Path("O2"))
    }


def test_jobs_carry_the_configuration(catalogue: Catalogue, tmp_path: Path) -> None:
    settings = (
        ("binding", ("0,1",)),
        ("env.A", ("unset",)),
        ("env.B", ("1",)),
        ("layout", ("2N2P",)),
        ("launcher", ("srun",)),
        ("pages", ("huge",)),
        ("placement", ("folded",)),
    )
    experiment = Experiment(
        "t", ("pingpong",), ("m",), ranks=(4,), axes=AXES, configuration=settings, hosts="a,b"
    )
    (queue,) = queues(experiment, catalogue, tmp_path, HOSTS)
    (case,) = queue.cases
    job = job_of(queue, experiment, 3, [case], 0.01, tmp_path / "samples")
    assert job.cases == (f"{case} pingpong bytes=8 protocol=send_recv",)
    settings_text = "env.A=unset env.B=1 launcher=srun layout=2N2P pages=huge placement=folded"
    assert job.label == queue.label == f"m binding=0,1 {settings_text}"
    assert (job.hosts, job.nodes, job.node_of_rank) == (HOSTS, ("a", "b"), (0, 1, 1, 0))
    assert (job.binding, job.pages, job.launcher_kind) == ("0,1", "huge", "srun")
    assert job.environment == {"A": None, "B": "1"}
    assert (job.ranks, job.launch, job.case_s, job.half_width) == (4, 3, 0.01, 0.005)


def test_a_plain_job_leaves_all_as_it_is(catalogue: Catalogue, tmp_path: Path) -> None:
    experiment = Experiment("t", ("pingpong",), ("m",), axes=AXES)
    (queue,) = queues(experiment, catalogue, tmp_path)
    job = job_of(queue, experiment, 1, list(queue.cases), 0.01, tmp_path)
    assert (job.label, job.hosts, job.nodes, job.node_of_rank) == ("m", None, (), ())
    assert (job.binding, job.pages, job.launcher_kind) == ("core", "", "mpiexec")
    assert (job.environment, job.simulation) == ({}, None)


def test_one_node_is_the_first_of_the_hosts(catalogue: Catalogue, tmp_path: Path) -> None:
    settings = (("layout", ("1N2P",)),)
    experiment = Experiment(
        "t", ("pingpong",), ("m",), axes=AXES, configuration=settings, hosts="a,b"
    )
    (queue,) = queues(experiment, catalogue, tmp_path, HOSTS)
    job = job_of(queue, experiment, 1, list(queue.cases), 0.01, tmp_path)
    assert (job.label, job.nodes, job.node_of_rank) == ("m layout=1N2P", ("a",), (0, 0))


def test_layouts_on_a_simulated_machine(catalogue: Catalogue, tmp_path: Path) -> None:
    settings = (("layout", ("1N2P", "2N1P", "2N2P")), ("placement", ("smp", "wrap")))
    experiment = Experiment(
        "t", ("pingpong",), ("simgrid",), "two-nodes", axes=AXES, configuration=settings
    )
    check_places(experiment, None)
    found = queues(experiment, catalogue, tmp_path)
    files = [queue.simulation.hostfile.read_text().split() for queue in found if queue.simulation]
    assert [(queue.label, hosts) for queue, hosts in zip(found, files, strict=True)] == [
        ("simgrid layout=1N2P", ["node-0", "node-0"]),
        ("simgrid layout=2N1P", ["node-0", "node-1"]),
        ("simgrid layout=2N2P", ["node-0", "node-0", "node-1", "node-1"]),
        ("simgrid layout=2N2P placement=wrap", ["node-0", "node-1", "node-0", "node-1"]),
    ]


def test_all_places_that_are_not_there_are_reported_together(tmp_path: Path) -> None:
    settings = (("layout", ("2N1P", "3N1P", "4N1P")),)
    spread = Experiment("t", ("pingpong",), configuration=settings, hosts="a,b")
    with pytest.raises(UserErrors) as raised:
        check_places(spread, HOSTS)
    assert [str(problem) for problem in raised.value.problems] == [
        f"layout {each}N1P needs {each} nodes, --hosts gives 2; allowed: up to 2 nodes; choose a "
        "smaller layout, or name more hosts"
        for each in (3, 4)
    ]
    placed = (("layout", ("3N1P",)), ("placement", ("smp", "file:/none")))
    simulated = Experiment("t", ("pingpong",), machine="two-nodes", configuration=placed)
    with pytest.raises(UserErrors) as raised:
        check_places(simulated, None)
    assert [str(problem).partition(";")[0] for problem in raised.value.problems] == [
        "no room for 3N1P on machine two-nodes",
        "the placement /none cannot be read: No such file or directory",
    ]
