"""The words that srun is given."""

from __future__ import annotations

import pytest

from halocline.launch.srun import STEP_SHAPE, cpu_bind, turns

SMP, WRAP, FOLDED = (0, 0, 1, 1), (0, 1, 0, 1), (0, 1, 1, 0)


@pytest.mark.parametrize(
    ("node_of_rank", "nodes", "words"),
    [
        (SMP, 2, "plane=2"),
        (WRAP, 2, "plane=1"),
        ((0, 0, 1, 1, 0, 0, 1, 1), 2, "plane=2"),
        ((0, 0, 0, 0), 1, "plane=1"),
        ((0, 1), 2, "plane=1"),
        ((0, 0, 1), 2, "plane=2"),
        (FOLDED, 2, None),
        ((1, 0), 2, None),
        ((0, 1, 1, 1), 2, None),
    ],
)
def test_nodes_that_take_turns(node_of_rank: tuple[int, ...], nodes: int, words: str) -> None:
    assert turns(node_of_rank, nodes) == words


@pytest.mark.parametrize(
    ("binding", "words"), [("core", "cores"), ("none", "none"), ("0,1", "map_cpu:0,1")]
)
def test_bindings(binding: str, words: str) -> None:
    assert cpu_bind(binding) == words


def test_what_sbatch_left_for_steps_is_not_handed_on() -> None:
    whose_job = {"SLURM_JOB_ID": "12", "SLURM_CONF": "/etc/slurm.conf", "SLURM_MPI_TYPE": "pmix"}
    allocation = {"SLURM_JOB_NODELIST": "n[1-2]", "SLURM_JOB_NUM_NODES": "2", "PATH": "/bin"}
    shape = {
        **{"SLURM_NTASKS": "1", "SLURM_NTASKS_PER_NODE": "1", "SLURM_TASKS_PER_NODE": "1(x2)"},
        **{"SLURM_DISTRIBUTION": "cyclic", "SLURM_CPU_BIND_TYPE": "mask_cpu:", "SLURM_NPROCS": "1"},
        **{"SLURM_CPUS_PER_TASK": "2", "SRUN_CPUS_PER_TASK": "2", "SLURM_EXPORT_ENV": "NONE"},
        **{"SLURM_STEP_ID": "0", "SLURM_STEP_NODELIST": "n1", "SLURM_PROCID": "0"},
        **{"SLURM_HOSTFILE": "hosts", "SLURM_TIMELIMIT": "1", "SLURM_WAIT": "9"},
    }
    assert {name for name in shape if not STEP_SHAPE.fullmatch(name)} == set()
    assert {name for name in (*whose_job, *allocation) if STEP_SHAPE.fullmatch(name)} == set()
