"""Command lines for several hosts, word for word, and placements that a launcher cannot express."""

from __future__ import annotations

import math
import os
import subprocess
from pathlib import Path

import pytest

from halocline.base.errors import UserError
from halocline.base.toolchain import Family, Toolchain
from halocline.hosts import Hosts
from halocline.launch import binding
from halocline.launch.elsewhere import SHARED_BEFORE, prepare
from halocline.launch.job import Job
from halocline.launch.launchers import launch
from halocline.launch.on_hosts import write_agents

MADE = Hosts(("a", "b"), Path("/made/agent"), "eth0", ("1", "2"), ("/made/enter", "login"))
MPICH_5, MPICH_4 = "MPICH Version: 5.0.2", "MPICH Version: 4.0.2"


def job(family: Family, library: str, places: tuple[int, ...], **changes: object) -> Job:
    toolchain = Toolchain("name", family, library, Path("/mpiexec"), Path("/driver"))
    fields = {
        "toolchain": toolchain,
        "ranks": len(places),
        "launch": 1,
        "cases": (),
        "samples": Path("/run/samples.jsonl"),
        "hosts": Hosts(("a", "b")),
        "nodes": ("a", "b"),
        "node_of_rank": places,
    }
    return Job(**{**fields, **changes})  # type: ignore[arg-type]


def words(wanted: Job, folder: Path) -> str:
    """The launcher's words before the driver, `F` for the job's folder."""
    command = launch(wanted, folder, caller={}).command
    return " ".join(command[: command.index("/driver")]).replace(str(folder), "F")


@pytest.mark.parametrize(
    ("places", "machines"),
    [
        ((0, 0, 1, 1), "a:2\nb:2\n"),
        ((0, 1, 0, 1), "a:1\nb:1\n"),
        ((0, 1, 1, 0), "a:1\nb:2\n"),
        ((1, 0), "b:1\na:1\n"),
    ],
)
def test_mpich_takes_nodes_in_turn(tmp_path: Path, places: tuple[int, ...], machines: str) -> None:
    wanted = job(Family.MPICH, MPICH_4, places, binding="none")
    assert words(wanted, tmp_path) == (
        "/mpiexec -launcher rsh -launcher-exec F/agent -f F/machines -bind-to none "
        f"-n {len(places)}"
    )
    assert (tmp_path / "machines").read_text() == machines


@pytest.mark.parametrize(
    ("library", "base"),
    [
        ("MPICH Version:      5.0.2", 5),
        ("MPI VERSION    : CRAY MPICH version 8.1.28.15 (ANL base 3.4a2)", 3),
        ("MVAPICH2 Version      :\t2.3.7", 3),
        ("Open MPI v5.0.11, package: Open MPI", 5),
        ("IBM Spectrum MPI, v10.4.0.03", 4),
    ],
)
def test_the_launcher_of_a_library_built_on_another_is_that_one(library: str, base: int) -> None:
    assert Toolchain("site", Family.MPICH, library, Path(), Path()).base_major == base


def test_mpich_5_has_a_map_of_ranks(tmp_path: Path) -> None:
    wanted = job(Family.MPICH, MPICH_5, (1, 0, 0, 1, 0, 0, 0, 1), binding="none")
    assert "-hosts a,b -rankmap 1,0,0,1,0,0,0,1 -bind-to none -n 8" in words(wanted, tmp_path)


def test_mpich_4_cannot_place_ranks_so(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"the launcher of .*4\.0\.2.* cannot place the ranks on"):
        launch(job(Family.MPICH, MPICH_4, (1, 0, 0, 1, 0, 0, 0, 1)), tmp_path)


def test_intel_has_a_machine_file(tmp_path: Path) -> None:
    wanted = job(Family.INTEL, "Intel(R) MPI Library 2021.18", (0, 1, 1, 0), binding="none")
    assert words(wanted, tmp_path) == (
        "/mpiexec -launcher rsh -launcher-exec F/agent -machinefile F/machines -n 4"
    )
    assert (tmp_path / "machines").read_text() == "a:1\nb:2\na:1\n"


@pytest.mark.parametrize(
    ("library", "agent", "ranks"),
    [
        (
            "Open MPI v5.0.11",
            "--prtemca plm ssh --prtemca plm_ssh_agent F/agent --prtemca plm_ssh_no_tree_spawn 1 "
            "--leave-session-attached --prtemca plm_ssh_num_concurrent 2",
            "--map-by rankfile:FILE=F/ranks",
        ),
        (
            "Open MPI v4.1.4",
            "--mca plm rsh --mca plm_rsh_agent F/agent --mca plm_rsh_no_tree_spawn 1 "
            "--leave-session-attached --mca plm_rsh_num_concurrent 2",
            "--rankfile F/ranks",
        ),
    ],
)
def test_open_mpi_has_a_rank_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, library: str, agent: str, ranks: str
) -> None:
    monkeypatch.setattr(binding, "cores_of_a_node", lambda *_: 2)
    wanted = job(Family.OPENMPI, library, (0, 1, 1, 0))
    assert words(wanted, tmp_path) == (
        f"/mpiexec {agent} -x HALOCLINE_JOB_DIR --host a:2,b:2 {ranks} -n 4"
    )
    assert (tmp_path / "ranks").read_text() == (
        "rank 0=a slot=0\nrank 1=b slot=0\nrank 2=b slot=1\nrank 3=a slot=1\n"
    )


def test_unbound_ranks_of_open_mpi_follow_a_list_of_hosts(tmp_path: Path) -> None:
    wanted = job(Family.OPENMPI, "Open MPI v5.0.11", (0, 1, 1, 0), binding="none")
    said = words(wanted, tmp_path)
    assert "--hostfile F/machines --map-by seq:OVERSUBSCRIBE --bind-to none -n 4" in said
    assert (tmp_path / "machines").read_text() == "a\nb\nb\na\n"


@pytest.mark.parametrize(
    ("answers", "bound"), [((2, 3), True), ((3, 1), False), ((2, ""), True), (("", ""), False)]
)
def test_the_host_with_fewest_cores_decides_on_binding(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, answers: tuple[object, object], bound: bool
) -> None:
    """A front end of one core, and hosts that answer for themselves, or not at all."""
    monkeypatch.setattr(binding, "available_cores", lambda: 1)
    reach, asked = tmp_path / "reach", tmp_path / "asked"
    cores = "".join(f"{host}) echo Welcome {n} ;; " for host, n in zip("ab", answers, strict=True))
    reach.write_text(f'#!/bin/sh\necho "$1" >> {asked}\ncase $1 in {cores}esac\n')
    reach.chmod(0o700)
    wanted = job(Family.MPICH, MPICH_5, (0, 0, 1, 1), hosts=Hosts(("a", "b", "c"), reach))
    for _ in range(2):
        assert f"-bind-to {'core' if bound else 'none'} -n 4" in words(wanted, tmp_path)
    assert sorted(asked.read_text().split()) == ["a", "b"]  # once


DESCRIBED = "NodeName=a CoresPerSocket=8 CPUTot=32 Sockets=2 ThreadsPerCore=2 Weight=1"


@pytest.mark.parametrize(
    ("nodes", "variables", "cores"),
    [
        (DESCRIBED, {}, 16),
        (f"{DESCRIBED}\nNodeName=b CoresPerSocket=4 CPUTot=4 Sockets=1 ThreadsPerCore=1", {}, 4),
        (f"{DESCRIBED}\nNodeName=b CoresPerSocket=1 CPUTot=1 Sockets=1 ThreadsPerCore=2", {}, 1),
        ("", {}, 7),  # those here
        (DESCRIBED, {"SLURMD_NODENAME": "a"}, 7),  # here is one of the nodes
    ],
)
def test_slurm_describes_the_nodes_to_a_login_node(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    nodes: str,
    variables: dict[str, str],
    cores: int,
) -> None:
    scontrol = tmp_path / "scontrol"
    asked = 'case "$*" in "show node --oneliner a,b") ;; *) exit 1 ;; esac'
    scontrol.write_text(f"#!/bin/sh\n{asked}\ncat <<END\n{nodes}\nEND\n")
    scontrol.chmod(0o700)
    monkeypatch.setattr(binding, "available_cores", lambda: 7)
    monkeypatch.delenv("SLURMD_NODENAME", raising=False)
    known = {"SLURM_JOB_ID": "1"} | variables
    for name, value in {"PATH": f"{tmp_path}:{os.environ['PATH']}", **known}.items():
        monkeypatch.setenv(name, value)
    binding._described_cores.cache_clear()
    assert binding.cores_of_a_node(Hosts(("a", "b", "c")), 2) == cores


@pytest.mark.launches
@pytest.mark.waits
def test_a_host_counts_the_cores_that_its_ranks_may_use(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(binding, "available_cores", lambda: 7)
    cpu, reach = min(os.sched_getaffinity(0)), tmp_path / "reach"
    reach.write_text(f'#!/bin/sh\nshift\nexec taskset -c {cpu} /bin/sh -c "$*"\n')
    reach.chmod(0o700)
    assert binding.cores_of_a_node(Hosts(("a",), reach), 1) == 1


def test_made_hosts_share_the_cores_of_this_machine(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(binding, "_one_cpu_of_each_core", lambda: [0, 2])
    wanted = job(Family.MPICH, MPICH_5, (0, 1), hosts=MADE)
    said = words(wanted, tmp_path)
    assert said.startswith("/made/enter login /mpiexec -launcher rsh -launcher-exec F/agent ")
    assert " -iface eth0 -f F/machines -bind-to none -n 2 /bin/sh -c " in said
    assert said.endswith(' "$@" 0:2')


def test_cpus_that_are_named_go_round_the_ranks_of_each_node(tmp_path: Path) -> None:
    wanted = job(Family.MPICH, MPICH_5, (0, 0, 1, 1), binding="3,1")
    assert words(wanted, tmp_path).endswith(' "$@" 3:1:3:1')


def test_only_made_hosts_get_a_network_device(tmp_path: Path) -> None:
    for hosts, device in ((MADE, "eth0"), (Hosts(("a", "b")), None)):
        wanted = job(Family.MPICH, MPICH_5, (0, 1), hosts=hosts, binding="none")
        environment = launch(wanted, tmp_path, caller={}).environment
        assert environment.get("UCX_NET_DEVICES") == device
        assert "UCX_TLS" not in environment


def test_the_way_to_a_host(tmp_path: Path) -> None:
    launch(job(Family.MPICH, MPICH_5, (0, 1), binding="none"), tmp_path)
    assert (
        'ssh -x -o BatchMode=yes -o ConnectTimeout=10 "$host"' in (tmp_path / "agent").read_text()
    )
    launch(job(Family.MPICH, MPICH_5, (0, 1), hosts=MADE), tmp_path)
    assert '/made/agent "$host"' in (tmp_path / "agent").read_text()
    assert (tmp_path / "hosts").read_text() == "a\nb\n"


def test_hosts_that_share_a_file_system_have_scratch_space_apart(tmp_path: Path) -> None:
    """Daemons of Open MPI with the same pid on two hosts overwrote each other's files."""
    reach = tmp_path / "reach-any"
    reach.write_text('#!/bin/sh\nshift\nexec /bin/sh -c "$*"\n')
    reach.chmod(0o700)
    write_agents(job(Family.OPENMPI, "", (0, 1), hosts=Hosts(("a", "b"), reach)), tmp_path)
    own = [
        subprocess.check_output([tmp_path / "agent", host, "echo $TMPDIR"], text=True).strip()
        for host in ("a", "b")
    ]
    assert own == [f"{tmp_path}/scratch-a", f"{tmp_path}/scratch-b"]


def test_shared_memory_of_another_user_on_a_host_stops_no_launch(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A folder that only its owner may read: `find` complains, and fails."""
    programs, folder = tmp_path / "bin", tmp_path / "job"
    for program, body in {"reach": 'shift\nexec /bin/sh -c "$*"', "find": "echo F\nexit 1"}.items():
        (programs / program).parent.mkdir(exist_ok=True)
        (programs / program).write_text(f"#!/bin/sh\n{body}\n")
        (programs / program).chmod(0o700)
    monkeypatch.setenv("PATH", str(programs), prepend=":")
    folder.mkdir()
    (folder / "cases").touch()
    hosts = Hosts(("a",), programs / "reach")
    write_agents(job(Family.MPICH, MPICH_5, (0,), hosts=hosts, nodes=("a",)), folder)
    assert prepare(folder, os.environ, math.inf, lambda: False) == [os.uname().nodename]
    assert (folder / f"{SHARED_BEFORE}-{os.uname().nodename}").read_text() == "F\n"


def test_no_shell_reads_the_name_of_the_jobs_folder(tmp_path: Path) -> None:
    folder = tmp_path / "a 'b' $(touch canary) `touch canary`; touch canary"
    folder.mkdir()
    reach = folder / "reach-any"
    reach.write_text('#!/bin/sh\nshift\nexec /bin/sh -c "$*"\n')
    reach.chmod(0o700)
    write_agents(job(Family.OPENMPI, "", (0, 1), hosts=Hosts(("a", "b"), reach)), folder)
    command = [str(folder / "agent"), "a", "echo \"$TMPDIR\" 'it''s'"]
    assert subprocess.check_output(command, text=True, cwd=tmp_path) == f"{folder}/scratch-a its\n"
    assert not list(tmp_path.rglob("canary"))
