"""Jobs on hosts that are reached by ssh, where nothing of a job is seen from the launching one."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from halocline.hosts import Hosts
from halocline.launch.job import Job
from hosts.cluster import cluster
from hosts.striking import FAULT_CASE, on, pid_namespace, program
from launch.jobs import SOON
from launch.libraries import LIBRARIES, REAL
from launch.trace import CASES, MakeJob, gated, kinds, mark_of, marked, open_gate, records

pytestmark = [pytest.mark.launches, pytest.mark.waits]

FRONT_END = Path(__file__).parents[1] / "launch/front_end.py"
PICKLED = "job"
ENDED_WITHIN_S = 60.0


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosts]:
    libraries = [library().launcher for library in (LIBRARIES[name] for name in REAL)]
    shared = [tmp_path_factory.getbasetemp(), *(path for path in libraries if path)]
    with cluster(tmp_path_factory.mktemp("cluster"), shared) as made:
        yield made


def start(hosts: Hosts, job: Job, folder: Path) -> subprocess.Popen[str]:
    """A front end on the first host."""
    pickled = folder / PICKLED
    pickled.write_bytes(pickle.dumps(job))
    return subprocess.Popen(
        [hosts.entry[0], "host1", sys.executable, FRONT_END, pickled],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def end(front_end: subprocess.Popen[str]) -> str:
    said, complained = front_end.communicate(timeout=ENDED_WITHIN_S)
    assert complained == ""
    return said.splitlines()[-1]


def at_the_fault(front_end: subprocess.Popen[str]) -> None:
    assert front_end.stdout is not None
    while front_end.stdout.readline() != f"{FAULT_CASE}\n":
        assert front_end.poll() is None


def on_cluster(make_job: MakeJob, name: str, **changes: object) -> Job:
    """A job on names alone, as `--hosts host1,host2` gives them."""
    names = Hosts(("host1", "host2"))
    fields = {"hosts": names, "nodes": names.names, "node_of_rank": (0, 1), "binding": "none"}
    return make_job(name, **{**fields, **changes})


def left(hosts: Hosts, job: Job) -> list[str]:
    """What is left of a job on the hosts."""
    found = [f"process {pid}" for pid in marked(mark_of(job))]
    for host in hosts.names:
        found += on(
            hosts, host, "ls -d /dev/shm/* /tmp/halocline-job-* 2>/dev/null || true"
        ).split()
    return found


def ranks(hosts: Hosts, job: Job) -> dict[str, int]:
    """The driver's process on each host, by the number that this machine knows it by."""
    spaces = {on(hosts, host, "readlink /proc/1/ns/pid"): host for host in hosts.names}
    driver = job.toolchain.driver.name
    found = [pid for pid in marked(mark_of(job)) if program(pid) == driver]
    return {spaces[pid_namespace(pid)]: pid for pid in found}


@pytest.mark.parametrize("name", REAL)
def test_a_job_that_completes(name: str, make_job: MakeJob, hosts: Hosts, tmp_path: Path) -> None:
    job = on_cluster(make_job, name, cases=CASES[:3])
    assert "reason='complete'" in end(start(hosts, job, tmp_path))
    assert kinds(job) == ["start", "samples", "samples", "samples", "complete"]
    assert records(job)[0]["hosts"] == ["host1", "host2"]
    assert left(hosts, job) == []


@pytest.mark.parametrize("name", ["mpich", "openmpi"])
def test_each_rank_is_bound_to_a_core_of_its_host(
    name: str, make_job: MakeJob, hosts: Hosts, tmp_path: Path
) -> None:
    job = on_cluster(make_job, name, cases=CASES[:1], binding="core")
    assert "reason='complete'" in end(start(hosts, job, tmp_path))
    first = str(min(os.sched_getaffinity(0)))
    assert [cpus.split("-")[0].split(",")[0] for cpus in records(job)[0]["cpus"]] == [first] * 2


@pytest.mark.parametrize("name", ["mpich", "intel", "openmpi"])
def test_a_stopped_rank_on_the_other_host(
    name: str, make_job: MakeJob, hosts: Hosts, tmp_path: Path
) -> None:
    # Many cases, not a gate: there the job would make no progress while the rank is sought.
    job = on_cluster(make_job, name, cases=CASES * 20, deadlines=SOON)
    front_end = start(hosts, job, tmp_path)
    at_the_fault(front_end)
    os.kill(ranks(hosts, job)["host2"], signal.SIGSTOP)
    assert "no progress for 2 s at case " in end(front_end)
    assert kinds(job)[-1] == "failure"
    assert left(hosts, job) == []


@pytest.mark.parametrize("name", ["mpich", "intel", "openmpi"])
def test_a_killed_launcher(name: str, make_job: MakeJob, hosts: Hosts, tmp_path: Path) -> None:
    job = gated(on_cluster(make_job, name), FAULT_CASE)
    front_end = start(hosts, job, tmp_path)
    at_the_fault(front_end)
    launchers = [pid for pid in marked(mark_of(job)) if b"-n\0" + b"2\0" in command_line(pid)]
    for pid in launchers:
        os.kill(pid, signal.SIGKILL)
    open_gate(job)
    assert len(launchers) == 1
    assert "the launcher was killed (signal 9, Killed) at case " in end(front_end)
    assert left(hosts, job) == []


def test_a_killed_front_end(make_job: MakeJob, hosts: Hosts, tmp_path: Path) -> None:
    job = gated(on_cluster(make_job, "mpich"), FAULT_CASE)
    front_end = start(hosts, job, tmp_path)
    at_the_fault(front_end)
    own = [pid for pid in _processes() if str(tmp_path / PICKLED).encode() in command_line(pid)]
    for pid in own:
        os.kill(pid, signal.SIGKILL)
    open_gate(job)
    front_end.communicate()
    deadline = time.monotonic() + ENDED_WITHIN_S
    while left(hosts, job) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert left(hosts, job) == []
    assert kinds(job)[:FAULT_CASE] == ["start", *["samples"] * (FAULT_CASE - 1)]


def test_a_host_that_nobody_knows(make_job: MakeJob, hosts: Hosts, tmp_path: Path) -> None:
    names = Hosts(("host1", "nowhere"))
    job = make_job("mpich", hosts=names, nodes=names.names, node_of_rank=(0, 1))
    said = end(start(hosts, job, tmp_path))
    assert (
        "cannot prepare the job's hosts: nowhere cannot be reached: ssh: Could not resolve" in said
    )
    assert left(hosts, job) == []


def command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _processes() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]
