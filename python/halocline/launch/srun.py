"""How srun starts a job: one step of this process's allocation."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from halocline.base.errors import UserError
from halocline.launch.job import Job
from halocline.launch.steps import ALLOCATION
from halocline.slurm.process_manager import process_manager

HOSTFILE = "SLURM_HOSTFILE"
# Between the first rank's successful end and the last one's: srun itself would wait forever.
LAST_RANK_S = 5
# Left by sbatch and salloc for their steps; ours get all of it on the command line,
# and some versions of srun refuse a step in which the two disagree.
STEP_SHAPE = re.compile(
    r"(SLURM|SRUN)_(NTASKS|NPROCS|TASKS_PER|NTASKS_PER|CPUS_PER_TASK|DISTRIBUTION|CPU_BIND"
    r"|HINT|THREADS_PER_CORE|HOSTFILE|ARBITRARY_NODELIST|OVERCOMMIT|EXACT|EXCLUSIVE|WAIT"
    r"|KILL_BAD_EXIT|UNBUFFEREDIO|LABELIO|STDINMODE|STDOUTMODE|STDERRMODE|WORKING_DIR"
    r"|EXPORT_ENV|TIMELIMIT|STEP|STEPID|PROCID|LOCALID|NODEID|TASK_PID|GTIDS).*"
)


def srun(
    job: Job, directory: Path, caller: Mapping[str, str] | None = None
) -> tuple[list[str], dict[str, str | None]]:
    """The arguments before the driver's own, and the variables that go with them.

    UserError without an allocation, or without a process manager that the library understands.
    """
    variables = os.environ if caller is None else caller
    if ALLOCATION not in variables:
        raise UserError(
            f"not inside a Slurm allocation: {ALLOCATION} is not set",
            where="--launcher srun",
            remedy="run inside salloc or sbatch, or use `halocline submit`",
        )
    manager = process_manager(job.toolchain.family, variables)
    settings: dict[str, str | None] = dict.fromkeys(filter(STEP_SHAPE.fullmatch, variables))
    placed = distribution(job.node_of_rank, len(job.nodes))
    if placed is None:
        hostfile = directory / "srun-hosts"
        hostfile.write_text("".join(f"{job.nodes[node]}\n" for node in job.node_of_rank))
        settings[HOSTFILE] = str(hostfile)
        placed = ["--distribution=arbitrary"]
    else:
        placed = [*placed, f"--nodelist={','.join(job.nodes)}"]
    words = [
        "srun",
        f"--mpi={manager}",
        f"--job-name={directory.name}",  # to find and cancel its step
        f"--nodes={len(job.nodes)}",
        f"--ntasks={job.ranks}",
        *placed,
        # By itself it binds only if there are enough cores; named CPUs are handled elsewhere.
        f"--cpu-bind={'cores' if job.binding == 'core' else 'none'}",
        "--overlap",  # also inside another step, and while the last one is being cleaned up
        "--overcommit",  # as many ranks on a node as the layout says
        "--kill-on-bad-exit=1",
        f"--wait={LAST_RANK_S}",
        f"--time={math.ceil(job.deadlines.total_s / 60) + 1}",
        "--input=none",
        "--export=ALL",
    ]
    return words, settings


def distribution(node_of_rank: Sequence[int], nodes: int) -> list[str] | None:
    """The options for nodes filled one after the other, or round-robin.

    None for any other order. Slurm's PMI2 describes an arbitrary one to the library as if each rank
    had its own node, and its plane=K is wrong with more ranks on a node than cores.
    """
    ranks, per_node = range(len(node_of_rank)), len(node_of_rank) // nodes
    if list(node_of_rank) == [rank // per_node for rank in ranks]:
        return ["--distribution=block", f"--ntasks-per-node={per_node}"]
    if list(node_of_rank) == [rank % nodes for rank in ranks]:
        return ["--distribution=cyclic"]
    return None
