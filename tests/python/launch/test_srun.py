"""The words that srun is given."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest

from halocline.launch.launchers import STEP_SHAPE, distribution

BLOCK, CYCLIC = "--distribution=block", "--distribution=cyclic"


@pytest.mark.parametrize(
    ("node_of_rank", "nodes", "words"),
    [
        ((0, 0, 1, 1), 2, [BLOCK, "--ntasks-per-node=2"]),
        ((0, 1, 0, 1), 2, [CYCLIC]),
        ((0, 1), 2, [BLOCK, "--ntasks-per-node=1"]),
        ((0, 0, 0), 1, [BLOCK, "--ntasks-per-node=3"]),
        ((0, 1, 1, 0), 2, None),  # folded
        ((1, 0), 2, None),
        ((0, 0, 1, 1, 0, 0, 1, 1), 2, None),
        ((0, 1, 1, 1), 2, None),
    ],
)
def test_how_ranks_are_dealt_to_nodes(
    node_of_rank: tuple[int, ...], nodes: int, words: list[str] | None
) -> None:
    assert distribution(node_of_rank, nodes) == words


# The variables of srun that shape a step, as its manual and those of newer versions list them.
SHAPE = {
    *("SLURM_CORE_SPEC", "SLURM_CPUS_PER_GPU", "SLURM_CPUS_PER_TASK", "SRUN_CPUS_PER_TASK"),
    *("SLURM_DISTRIBUTION", "SLURM_DIST_PLANESIZE", "SLURM_EXACT", "SLURM_EXCLUSIVE"),
    *("SLURM_GPUS", "SLURM_GPUS_PER_NODE", "SLURM_GPUS_PER_SOCKET", "SLURM_GPUS_PER_TASK"),
    *("SLURM_GPU_BIND", "SLURM_GPU_FREQ", "SLURM_GRES", "SLURM_GRES_FLAGS", "SLURM_HINT"),
    *("SLURM_HOSTFILE", "SLURM_LABELIO", "SLURM_MEM_PER_CPU", "SLURM_MEM_PER_GPU"),
    *("SLURM_MEM_PER_NODE", "SLURM_NTASKS_PER_CORE", "SLURM_NTASKS_PER_GPU"),
    *("SLURM_NTASKS_PER_NODE", "SLURM_NTASKS_PER_SOCKET", "SLURM_NTASKS_PER_TRES"),
    *("SLURM_SPREAD_JOB", "SLURM_STDERRMODE", "SLURM_STDINMODE", "SLURM_STDOUTMODE"),
    *("SLURM_THREADS_PER_CORE", "SLURM_THREAD_SPEC", "SLURM_TIMELIMIT", "SLURM_TRES_PER_TASK"),
    *("SLURM_UNBUFFEREDIO", "SLURM_USE_MIN_NODES", "SLURM_WAIT"),
}
# Those that the agent's command line gives itself.
GIVEN = {"SLURM_NTASKS", "SLURM_NPROCS", "SLURM_OVERCOMMIT", "SLURM_CPU_BIND", "SLURM_EXPORT_ENV"}


def test_what_sbatch_left_for_steps_is_not_handed_on() -> None:
    whose_job = {"SLURM_JOB_ID": "12", "SLURM_CONF": "/etc/slurm.conf", "SLURM_MPI_TYPE": "pmix"}
    allocation = {"SLURM_JOB_NODELIST": "n[1-2]", "SLURM_JOB_NUM_NODES": "2", "PATH": "/bin"}
    shape = {
        **{"SLURM_NTASKS": "1", "SLURM_NTASKS_PER_NODE": "1", "SLURM_TASKS_PER_NODE": "1(x2)"},
        **{"SLURM_DISTRIBUTION": "cyclic", "SLURM_CPU_BIND_TYPE": "mask_cpu:", "SLURM_NPROCS": "1"},
        **{"SLURM_CPUS_PER_TASK": "2", "SRUN_CPUS_PER_TASK": "2", "SLURM_EXPORT_ENV": "NONE"},
        **{"SLURM_STEP_ID": "0", "SLURM_STEP_NODELIST": "n1", "SLURM_PROCID": "0"},
        **{"SLURM_TRES_PER_TASK": "cpu=2", "SLURM_GPUS_PER_TASK": "1"},
        **{"SLURM_HOSTFILE": "hosts", "SLURM_TIMELIMIT": "1", "SLURM_WAIT": "9"},
    }
    agent = Path(str(files("halocline.hosts") / "slurm-agent")).read_text(encoding="utf-8")
    assert set(re.findall(r"\bS(?:LURM|RUN)_\w+", agent)) == SHAPE
    assert {name for name in (*SHAPE, *GIVEN, *shape) if not STEP_SHAPE.fullmatch(name)} == set()
    assert {name for name in (*whose_job, *allocation) if STEP_SHAPE.fullmatch(name)} == set()
