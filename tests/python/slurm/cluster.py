"""A real Slurm on hosts made of namespaces: a controller, and a daemon on each node."""

from __future__ import annotations

import getpass
import os
import secrets
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from halocline.hosts import Hosts
from halocline.hosts.record import LOGIN, read

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "salloc", "srun", "scancel", "squeue")
PMIX = "libpmix.so"  # the name by which Slurm loads it: only the development package has it
MUNGE_FILES = ("socket", "key-file", "pid-file", "log-file", "seed-file")
INSTALLED_BY = "sudo apt install slurmctld slurmd slurm-client munge libpmix-dev"
SYSTEM_PROGRAMS = "/usr/sbin:/sbin"
READY_S = 120.0
STOP_S = 10.0
END_S = 300.0  # of a command; other work may slow it down a lot
POLL_S = 0.05

# Every node is this machine: each has one of its cores for its jobs, in turn.
CONFIGURATION = """\
ClusterName=test
SlurmctldHost={login}
SlurmUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmctldPort=6817
SlurmdPort=6818
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
MpiParams=ports=12000-12999
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=5
MessageTimeout=20
SlurmdTimeout=300
SchedulerParameters=sched_interval=1
{nodes}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
OTHER_FILES = {
    "cgroup.conf": "CgroupPlugin=cgroup/v1\n",  # nothing uses it; slurmd asks for it all the same
    "mpi.conf": "PMIxCliTmpDirBase=/dev/shm\n",  # the one place that each node has for itself
}


@dataclass(frozen=True)
class Cluster:
    """Slurm is up: commands run on its login host, or on one of its nodes."""

    folder: Path
    hosts: Hosts
    variables: Mapping[str, str]

    @property
    def nodes(self) -> tuple[str, ...]:
        """Those that Slurm has, lost ones too."""
        return self.hosts.names

    def command(self, *words: str | Path, host: str = LOGIN) -> list[str]:
        """The command line that runs a program on a host, in the current folder."""
        enter, _ = self.hosts.entry
        return [enter, host, *map(str, words)]

    def begin(self, *words: str | Path, cwd: Path | None = None) -> subprocess.Popen[str]:
        """Start a program on the login host."""
        return subprocess.Popen(
            self.command(*words),
            env=dict(self.variables),
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(
        self, *words: str | Path, cwd: Path | None = None, limit_s: float = END_S
    ) -> subprocess.CompletedProcess[str]:
        """Run a program on the login host to its end."""
        with self.begin(*words, cwd=cwd) as process:
            try:
                out, err = process.communicate(timeout=limit_s)
            except BaseException:
                process.kill()
                raise
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def ask(self, *words: str) -> list[str]:
        """What one of Slurm's commands prints, line by line."""
        done = self.run(*words)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    def lose(self, node: str) -> None:
        """Cut the power of a node."""
        made = read(Path(self.hosts.entry[0]).parent)
        assert made is not None
        os.kill(made.firsts[1 + made.names.index(node)].pid, signal.SIGKILL)


@contextmanager
def slurm(hosts: Hosts, folder: Path, variables: Mapping[str, str]) -> Iterator[Cluster]:
    """Slurm on these hosts, with all that it writes in `folder`.

    Its controller ends with the block, what is on the nodes with the hosts. `variables` is the
    environment in which commands run.
    """
    check_installed()
    _configure(hosts, folder)
    configuration = folder / "slurm.conf"
    cluster = Cluster(folder, hosts, {**variables, "SLURM_CONF": str(configuration)})
    files = [f"--{name}={folder}/munge.{name.partition('-')[0]}" for name in MUNGE_FILES]
    with (
        _running(cluster, "munged", "--foreground", "--force", *files),
        _running(cluster, "slurmctld", "-D", "-i", "-f", configuration),
    ):
        for node in cluster.nodes:
            words = cluster.command("slurmd", "-N", node, "-f", configuration, host=node)
            subprocess.run(words, check=True, env=_with_daemons(variables))
        _wait_until_ready(cluster)
        yield cluster


def check_installed() -> None:
    """Fail, with the command that installs what is missing."""
    if os.getuid() != 0:
        pytest.fail("Slurm's daemons need root; run: sudo -E make test")
    path = f"{os.environ['PATH']}:{SYSTEM_PROGRAMS}"
    missing = [name for name in PROGRAMS if not shutil.which(name, path=path)]
    missing += [] if any(Path("/usr/lib").glob(f"*/{PMIX}")) else [PMIX]
    if missing:
        pytest.fail(f"{', '.join(missing)} missing; run: {INSTALLED_BY}")


def _configure(hosts: Hosts, folder: Path) -> None:
    text = CONFIGURATION.format(
        login=LOGIN,
        user=getpass.getuser(),
        folder=folder,
        nodes="\n".join(_node(number, name) for number, name in enumerate(hosts.names)),
    )
    for name, content in {"slurm.conf": text, **OTHER_FILES}.items():
        (folder / name).write_text(content, encoding="utf-8")
    key = folder / "munge.key"
    key.touch(mode=0o600)
    key.write_bytes(secrets.token_bytes(128))
    (folder / "state").mkdir()


def _node(number: int, name: str) -> str:
    cpus = os.cpu_count() or 1
    others = [str(cpu) for cpu in range(cpus) if cpu != number % cpus]
    reserved = f" CpuSpecList={','.join(others)}" if others else ""
    return f"NodeName={name} CPUs={cpus} Sockets=1 CoresPerSocket={cpus}{reserved}"


@contextmanager
def _running(cluster: Cluster, name: str, *words: str | Path) -> Iterator[None]:
    """A daemon on the login host, ended after the block."""
    log = cluster.folder / f"{name}.out"
    with log.open("w") as output:
        process = subprocess.Popen(
            cluster.command(name, *words),
            env=_with_daemons(cluster.variables),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(STOP_S)
        finally:
            process.kill()
            process.wait()


def _with_daemons(variables: Mapping[str, str]) -> dict[str, str]:
    return {**variables, "PATH": f"{variables['PATH']}:{SYSTEM_PROGRAMS}"}


def _wait_until_ready(cluster: Cluster) -> None:
    deadline = time.monotonic() + READY_S
    states: list[str] = []
    while states != ["idle"] * len(cluster.nodes):
        if time.monotonic() > deadline:
            logs = "\n".join(log.read_text() for log in sorted(cluster.folder.glob("*.log")))
            pytest.fail(f"Slurm did not come up, its nodes are {states}:\n{logs}")
        time.sleep(POLL_S)
        states = cluster.run("sinfo", "--Node", "--noheader", "--format=%T").stdout.split()
