"""How srun starts a job: one step of the allocation that this process is in."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from halocline.errors import UserError
from halocline.launch.job import Job
from halocline.launch.step import note_step
from halocline.slurm.process_manager import process_manager

HOSTFILE = "SLURM_HOSTFILE"
# Between the first rank's good end and the last one's: srun itself would wait for ever.
LAST_RANK_S = 5
# Left by sbatch and salloc for the steps below them; ours are told all of it on the command line,
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
    """The words before the driver's own, and the variables that go with them.

    UserError if there is no allocation, or no process manager that the library understands.
    """
    variables = os.environ if caller is None else caller
    if not (allocation := variables.get("SLURM_JOB_ID")):
        raise UserError(
            "no allocation of Slurm is here: SLURM_JOB_ID is not set",
            where="--launcher srun",
            remedy="run inside of salloc or sbatch, or use `halocline submit`",
        )
    manager = process_manager(job.toolchain.family, variables)
    note_step(directory, allocation)
    settings: dict[str, str | None] = dict.fromkeys(filter(STEP_SHAPE.fullmatch, variables))
    distribution = turns(job.node_of_rank, len(job.nodes))
    if distribution is None:
        hostfile = directory / "srun-hosts"
        hostfile.write_text("".join(f"{job.nodes[node]}\n" for node in job.node_of_rank))
        settings[HOSTFILE] = str(hostfile)
    words = [
        "srun",
        f"--mpi={manager}",
        f"--job-name={directory.name}",  # by which its step is found and cancelled
        f"--nodes={len(job.nodes)}",
        f"--ntasks={job.ranks}",
        f"--distribution={distribution or 'arbitrary'}",
        # Of a hostfile srun takes the nodes from there.
        *([f"--nodelist={','.join(job.nodes)}"] if distribution else []),
        f"--cpu-bind={cpu_bind(job.binding)}",
        "--overlap",  # also inside of another step, and while the last one is being cleaned up
        "--overcommit",  # as many ranks on a node as the layout says
        "--kill-on-bad-exit=1",
        f"--wait={LAST_RANK_S}",
        f"--time={math.ceil(job.deadlines.total_s / 60) + 1}",
        "--input=none",
        "--export=ALL",
        f"--chdir={os.sep}",  # the job's own directory is on this host only
    ]
    return words, settings


def turns(node_of_rank: Sequence[int], nodes: int) -> str | None:
    """`plane=K` if the nodes take K ranks each in turn, as in block and cyclic; else None.

    An arbitrary order Slurm's PMI2 describes to the library as if each rank had a node of its own.
    """
    for size in range(1, len(node_of_rank) + 1):
        if list(node_of_rank) == [rank // size % nodes for rank in range(len(node_of_rank))]:
            return f"plane={size}"
    return None


def cpu_bind(binding: str) -> str:
    """The same binding in srun's words; a list of CPUs goes round the ranks of each node."""
    match binding:
        case "core":
            return "cores"
        case "none":
            return "none"
    return f"map_cpu:{binding}"
