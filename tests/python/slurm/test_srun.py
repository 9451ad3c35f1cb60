"""Runs on the nodes of an allocation: through srun, and through the libraries' own launchers."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from launch.trace import MARK, marked, parent
from slurm.cluster import END_S, Cluster
from slurm.conftest import HALOCLINE
from slurm.runs import ALLOCATION, EIGHT_CASES, LONG, ON_SLURM, SHORT, records, wait_for

pytestmark = pytest.mark.launches

LIBRARIES = ("mpich", "intel", "openmpi")
LAUNCHERS = ("srun", "mpiexec")


def test_every_library_runs_on_two_nodes_through_either_launcher(
    cluster: Cluster, added: Callable[[str], None], tmp_path: Path
) -> None:
    words = ["run", "pingpong", "bytes=8,1MiB", "protocol=send_recv", "layout=2N1P"]
    for name in LIBRARIES:
        added(name)
        words += ["--mpi", name]
    for launcher in LAUNCHERS:
        words += ["--launcher", launcher]
    done = cluster.run(*ALLOCATION, HALOCLINE, *words, *ON_SLURM, *SHORT, "--json", cwd=tmp_path)
    assert done.returncode == 0 or "no figure for " in done.stderr, done.stderr
    cases = json.loads(done.stdout)["cases"]
    assert [(case["mpi"], case["axes"]["launcher"]) for case in cases] == [
        (name, launcher) for name in LIBRARIES for launcher in LAUNCHERS for _ in range(2)
    ]
    for start in records(tmp_path / "run", "start"):
        assert (start["nodes"], start["hosts"]) == (2, ["host1", "host2"])
    for sample in records(tmp_path / "run", "samples"):
        assert sample["status"] == "measured", sample["reason"]
        assert sample["path"]["wire_bytes"] >= 0.95 * sample["path"]["payload_bytes"] > 0


def test_placements(cluster: Cluster, tmp_path: Path) -> None:
    """Those that Slurm's PMI2 describes rightly to the library run; the other one is refused."""
    words = ("run", "pairs", "bytes=8", "protocol=send_recv", "layout=2N2P")
    options = ("--launcher", "srun", "--placement", "smp", "--placement", "wrap")
    line = (*ALLOCATION, HALOCLINE, *words, *ON_SLURM, *SHORT, *options)
    done = cluster.run(*line, "--placement", "folded", cwd=tmp_path)
    assert done.returncode == 1
    assert "placement=folded: ran on 4 nodes as the library sees them, expected 2" in done.stderr
    starts = {start["label"]: start["hosts"] for start in records(tmp_path / "run", "start")}
    one, two = "host1", "host2"
    label = "mpich launcher=srun layout=2N2P"
    assert starts == {
        label: [one, one, two, two],
        f"{label} placement=wrap": [one, two, one, two],
        f"{label} placement=folded": [one, two, two, one],
    }


def test_separate_worlds_are_no_run(cluster: Cluster, tmp_path: Path) -> None:
    """A process manager that the library does not understand: srun says nothing of it."""
    done = cluster.run(
        *(*ALLOCATION, "env", "SLURM_MPI_TYPE=none", HALOCLINE, "run", "pingpong", "bytes=8"),
        *("protocol=send_recv", "layout=2N1P", "--launcher", "srun", *ON_SLURM, *SHORT),
        cwd=tmp_path,
    )
    assert done.returncode == 1
    assert "has size 1, expected 2" in done.stderr or "separate worlds" in done.stderr


def test_outside_of_an_allocation(cluster: Cluster, tmp_path: Path) -> None:
    words = ("run", "pingpong", "bytes=8", "layout=2N1P", "--launcher", "srun")
    done = cluster.run(HALOCLINE, *words, *ON_SLURM, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == (
        "halocline: --hosts slurm: not inside a Slurm allocation: SLURM_JOB_NODELIST is not set; "
        "run inside salloc or sbatch\n"
    )


# Slurm needs a moment to end a step that was cancelled.
_THEN_STEPS = """\
"$@"
echo $?
for _ in $(seq 50); do
  steps=$(squeue --steps --noheader)
  [ "$steps" ] || break
  sleep 0.2
done
printf %s "$steps"
"""


def test_a_killed_srun_leaves_no_step(cluster: Cluster, tmp_path: Path) -> None:
    """Without it the ranks would go on: the step is cancelled."""
    run = tmp_path / "run"
    words = ("run", *EIGHT_CASES, *ON_SLURM)
    with cluster.begin(
        *(*ALLOCATION, "bash", "-c", _THEN_STEPS, "-"),
        *(HALOCLINE, *words, "--launcher", "srun", *LONG),
        cwd=tmp_path,
    ) as shell:
        wait_for(lambda: records(run, "samples") != [], shell)
        os.kill(the_srun(cluster), signal.SIGKILL)
        out, err = shell.communicate(timeout=END_S)
    assert out.splitlines() == ["1"]
    assert "the launcher was killed (signal 9, Killed) at case " in err.splitlines()[-1]


def the_srun(cluster: Cluster) -> int:
    """The process that began the ranks; it has another one to help it."""
    found = [pid for pid in marked(cluster.variables[MARK]) if "--mpi=pmi2" in cmdline(pid)]
    return next(pid for pid in found if parent(pid) not in found)


def cmdline(pid: int) -> list[str]:
    """The words of a process."""
    return Path(f"/proc/{pid}/cmdline").read_text().split("\0")
