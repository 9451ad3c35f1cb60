"""The readers against hosts in tests/data/hosts: they read NAME.txt and say NAME.json.

`cloud` was recorded with tools/record-host.sh; the others are composed after hosts of their kind.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import halocline
from conftest import HOSTS
from halocline.base.toolchain import Family, Toolchain
from halocline.environment import collect, read_host
from halocline.environment.hardware import shared_memory
from halocline.environment.kernel_files import cpu_list, size_bytes
from halocline.environment.software import mpi_variables, revision, slurm_variables

Unpack = Callable[[str], Path]


@pytest.mark.parametrize("name", ["cloud", "two-sockets", "container"])
def test_recorded_host_reads_as_expected(name: str, recorded_host: Unpack) -> None:
    expected = json.loads((HOSTS / f"{name}.json").read_text(encoding="utf-8"))
    assert read_host(recorded_host(name)) == expected


def test_host_without_any_information_reads_without_error(tmp_path: Path) -> None:
    host = read_host(tmp_path)
    assert host["host"] is None
    assert host["processor"]["threads"] == 0
    assert host["processor"]["governors"] == []
    assert host["memory"]["swap_used_bytes"] == 0
    assert host["scheduling"] == {"load": [], "steal_share": None, "autogroup": None, "nice": None}
    assert host["allotment"]["cgroup_version"] is None


def test_gvisor_has_cpus_without_topology(tmp_path: Path) -> None:
    for cpu in ("cpu0", "cpu1", "cpufreq"):
        (tmp_path / "sys/devices/system/cpu" / cpu).mkdir(parents=True)
    processor = read_host(tmp_path)["processor"]
    assert (processor["cores"], processor["threads"]) == (2, 2)


def test_amd_boost_counts_as_turbo(recorded_host: Unpack) -> None:
    root = recorded_host("cloud")
    boost = root / "sys/devices/system/cpu/cpufreq/boost"
    boost.parent.mkdir(parents=True)
    boost.write_text("1\n")
    assert read_host(root)["processor"]["turbo"] is True
    boost.write_text("0\n")
    assert read_host(root)["processor"]["turbo"] is False


def test_container_whose_cgroup_lies_outside_its_mount_uses_what_it_sees(tmp_path: Path) -> None:
    for path, content in {
        "proc/self/cgroup": "0::/../../pod7/box\n",
        "sys/fs/cgroup/cpu.max": "50000 100000\n",
        "sys/fs/cgroup/memory.max": "1073741824\n",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(content)
    allotment = read_host(tmp_path)["allotment"]
    assert (allotment["cpu_quota"], allotment["memory_bytes"]) == (0.5, 2**30)


def test_this_host_agrees_with_the_system_calls() -> None:
    host = collect([])
    assert host["host"] == os.uname().nodename
    assert host["kernel"] == os.uname().release
    assert host["allotment"]["cpus"] == len(os.sched_getaffinity(0))
    assert host["scheduling"]["nice"] == os.getpriority(os.PRIO_PROCESS, 0)
    assert host["shared_memory"]["size_bytes"] >= host["shared_memory"]["free_bytes"] > 0
    assert json.loads(json.dumps(host)) == host


def test_toolchains_are_described_with_their_variables() -> None:
    toolchain = Toolchain(
        name="intel",
        family=Family.INTEL,
        library="Intel(R) MPI Library 2021.18",
        launcher=Path("/opt/impi/bin/mpiexec"),
        driver=Path("/opt/halocline-driver"),
        environment={"FI_PROVIDER_PATH": "/opt/impi/lib"},
    )
    assert collect([toolchain], {})["mpi"] == [
        {
            "name": "intel",
            "family": "intel",
            "library": "Intel(R) MPI Library 2021.18",
            "launcher": "/opt/impi/bin/mpiexec",
            "variables": {"FI_PROVIDER_PATH": "/opt/impi/lib"},
        }
    ]


def test_only_variables_that_steer_an_mpi_are_kept() -> None:
    variables = {
        "UCX_TLS": "tcp",
        "I_MPI_DEBUG": "5",
        "LD_PRELOAD": "libm.so",
        "HOME": "/root",
        "MY_FI_X": "",
    }
    assert mpi_variables(variables) == {
        "I_MPI_DEBUG": "5",
        "LD_PRELOAD": "libm.so",
        "UCX_TLS": "tcp",
    }


def test_slurm_variables_leave_out_who_runs_the_job() -> None:
    variables = {"SLURM_JOB_ID": "17", "SLURM_NTASKS": "2", "SLURM_JOB_USER": "someone"}
    assert slurm_variables(variables) == {"SLURM_JOB_ID": "17", "SLURM_NTASKS": "2"}


def test_missing_tools_are_reported() -> None:
    assert collect([], {"PATH": ""})["tools"] == {"c++": None, "smpirun": None}


def test_missing_shared_memory_is_reported(tmp_path: Path) -> None:
    assert shared_memory(tmp_path / "shm") is None


def test_revision_is_the_commit_of_the_checkout_that_runs() -> None:
    checkout = Path(halocline.__file__).parents[2]
    head = subprocess.run(
        ["git", "-C", str(checkout), "rev-parse", "HEAD"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert revision()["revision"] == head.stdout.strip()


def test_installed_package_has_no_revision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(halocline, "__file__", str(tmp_path / "halocline/__init__.py"))
    assert revision() == {"version": halocline.__version__, "revision": None, "modified": None}


@pytest.mark.parametrize(
    ("ranges", "cpus"),
    [("", ()), ("5", (5,)), ("0-3", (0, 1, 2, 3)), ("0,2-3,8", (0, 2, 3, 8))],
)
def test_cpu_list(ranges: str, cpus: tuple[int, ...]) -> None:
    assert cpu_list(ranges) == cpus


@pytest.mark.parametrize(
    ("amount", "expected"),
    [("512", 512), ("32K", 32768), ("1024 kB", 2**20), ("2048kB", 2**21), ("1M", 2**20)],
)
def test_kernel_size(amount: str, expected: int) -> None:
    assert size_bytes(amount) == expected
