"""A job on two hosts, and what can happen to it."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from halocline.hosts import Hosts, temporary_hosts
from halocline.hosts.record import Made, read
from halocline.launch.job import Job, Outcome, Progress
from halocline.launch.run_job import run_job
from launch.trace import Living, MakeJob, gated, left_over, look, mark_of, marked, open_gate

FAULT_CASE = 4
PROXIES = ("hydra_pmi_proxy", "hydra_bstrap_proxy", "prted", "orted")


@dataclass(frozen=True)
class Scene:
    """What a fault can hit: rank 0 is on the first host, rank 1 on the second."""

    hosts: Hosts
    made: Made
    mark: str  # in the environment of the job's processes
    living: Living

    def kill(self, number: int, *pids: int) -> None:
        for pid in pids:
            os.kill(pid, number)

    def cut_power(self, host: str) -> None:
        self.kill(signal.SIGKILL, self.made.firsts[1 + self.hosts.names.index(host)].pid)

    def proxies(self, host: str) -> list[int]:
        """The launcher's own processes on a host."""
        space = pid_namespace(self.made.firsts[1 + self.hosts.names.index(host)].pid)
        found = [pid for pid in marked(self.mark) if program(pid) in PROXIES]
        return [pid for pid in found if pid_namespace(pid) == space]

    def unplug(self, host: str) -> None:
        on(self.hosts, host, "ip link set eth0 down")


Strike = Callable[[Scene], None]


@dataclass(frozen=True)
class Struck:
    """How a job on two hosts ended."""

    job: Job
    outcome: Outcome
    ended_in_s: float  # from the strike
    left: list[str]


def rank_ends(scene: Scene) -> None:
    """The driver does it itself."""


FAULTS: dict[str, Strike] = {
    "SIGKILL of a rank": lambda scene: scene.kill(signal.SIGKILL, scene.living.ranks[1]),
    "exit 0 of a rank": rank_ends,
    "exit 3 of a rank": rank_ends,
    "SIGSTOP of a rank": lambda scene: scene.kill(signal.SIGSTOP, scene.living.ranks[1]),
    "power cut of the second host": lambda scene: scene.cut_power("host2"),
    "power cut of the first host": lambda scene: scene.cut_power("host1"),
    "SIGKILL of the remote proxy": lambda scene: scene.kill(
        signal.SIGKILL, *scene.proxies("host2")
    ),
    "link down": lambda scene: scene.unplug("host2"),
    "host down at the start": rank_ends,
    "SIGTERM of the launcher": lambda scene: scene.kill(signal.SIGTERM, scene.living.launcher),
    "SIGKILL of the launcher": lambda scene: scene.kill(signal.SIGKILL, scene.living.launcher),
}


def strike(make_job: MakeJob, name: str, fault: str, samples: Path) -> Struck:
    """Run a job on two hosts of its own and let the fault happen as its fourth case begins."""
    struck_s: list[float] = []
    seen: list[Living] = []
    acts = f"exit:1:{fault.split()[1]}" if fault.startswith("exit") else ""
    with temporary_hosts(2) as hosts:
        job = make_job(
            name, acts, samples=samples, hosts=hosts, nodes=hosts.names, node_of_rank=(0, 1)
        )
        job = gated(job, FAULT_CASE)
        made = read(Path(hosts.entry[0]).parent)
        assert made is not None

        def on_progress(progress: Progress) -> None:
            if progress.case == FAULT_CASE:
                seen.append(look(job))
                struck_s.append(time.monotonic())
                FAULTS[fault](Scene(hosts, made, mark_of(job), seen[0]))
                open_gate(job)

        if fault == "host down at the start":
            os.kill(made.firsts[-1].pid, signal.SIGKILL)
            struck_s.append(time.monotonic())
        outcome = run_job(job, on_progress)
        ended_in_s = time.monotonic() - struck_s[0]
        left = left_over(job, seen[0]) if seen else [f"process {pid}" for pid in _marked(job)]
        for name, first in zip(hosts.names, made.firsts[1:], strict=True):
            if first.lives:
                left += [f"{name}: {file}" for file in on(hosts, name, "ls /dev/shm").split()]
    return Struck(job, outcome, ended_in_s, left)


def on(hosts: Hosts, host: str, command: str) -> str:
    """What a command of the shell prints on a host."""
    assert hosts.agent is not None
    done = subprocess.run([hosts.agent, host, command], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def pid_namespace(pid: int | str) -> str:
    """Which one a process is in; "" for one that has ended."""
    try:
        return os.readlink(f"/proc/{pid}/ns/pid")
    except OSError:
        return ""


def program(pid: int) -> str:
    """The name of a process's program; "" for one that has ended."""
    try:
        return Path(os.readlink(f"/proc/{pid}/exe")).name
    except OSError:
        return ""


def _marked(job: Job) -> list[int]:
    return list(marked(mark_of(job)))
