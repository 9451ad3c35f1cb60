"""The batch job of a run: a script that starts or resumes the run."""

from __future__ import annotations

import math
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

# In the run folder, written before the run starts.
FOLDER = "batch"
SCRIPT = "job.sh"
EXPERIMENT = "experiment.toml"
# Before the time limit: ending a launch takes up to 10 s, the report the rest; Slurm may be early.
WARNING_S = 60


@dataclass(frozen=True)
class Batch:
    """The requested job, and its run. Paths are absolute."""

    title: str
    run: Path
    command: Path  # halocline itself
    directory: Path  # base of relative paths in the experiment
    nodes: int
    time_s: float
    partition: str | None = None
    account: str | None = None
    options: tuple[str, ...] = ()  # of sbatch, as on the command line
    variables: tuple[tuple[str, str], ...] = ()

    @property
    def folder(self) -> Path:
        """The folder of the script, its experiment and its output."""
        return self.run / FOLDER

    @property
    def script(self) -> Path:
        """The job script, which can be submitted again."""
        return self.folder / SCRIPT

    @property
    def experiment(self) -> Path:
        """The experiment that the run starts from."""
        return self.folder / EXPERIMENT

    def output(self, job: str) -> Path:
        """The job's output file."""
        return self.folder / f"slurm-{job}.out"


def script(batch: Batch) -> str:
    """The text of the script. It can be submitted any number of times, and requeued."""
    run, command = shlex.quote(str(batch.run)), shlex.quote(str(batch.command))
    return "\n".join(
        [
            "#!/bin/bash",
            f"# Measures {batch.title} inside a Slurm allocation.",
            "# If submitted again or requeued, it resumes where it stopped:",
            f"#   sbatch {shlex.quote(str(batch.script))}",
            *(f"#SBATCH {option}" for option in _asked(batch)),
            *_explained(batch),
            "",
            *(f"export {name}={shlex.quote(value)}" for name, value in batch.variables),
            f"run={run}",
            "# exec: Slurm signals the script's own process, which then is Halocline.",
            'if [ -e "$run/environment.json" ]; then',
            f'  exec {command} run --resume "$run"',
            "else",
            f'  exec {command} run "$run/{FOLDER}/{EXPERIMENT}" --output "$run"',
            "fi",
            "",
        ]
    )


def _asked(batch: Batch) -> list[str]:
    return [
        f"--job-name={job_name(batch.title)}",
        f"--nodes={batch.nodes}",
        "--exclusive",
        f"--time={math.ceil(batch.time_s / 60)}",
        *([f"--partition={shlex.quote(batch.partition)}"] if batch.partition else []),
        *([f"--account={shlex.quote(batch.account)}"] if batch.account else []),
        f"--chdir={shlex.quote(str(batch.directory))}",
        f"--output={shlex.quote(_pattern(batch))}",
        "--open-mode=append",
    ]


def _pattern(batch: Batch) -> str:
    """The output's path as sbatch reads it: %j is the job's number, %% a percent sign."""
    folder = str(batch.folder).replace("%", "%%")
    return str(Path(folder, batch.output("%j").name))


def _explained(batch: Batch) -> list[str]:
    return [
        "# If a node fails, Slurm requeues the job, and the run is resumed.",
        "#SBATCH --requeue",
        f"# {WARNING_S} s before the time limit: results are saved, the exit code is 143.",
        f"#SBATCH --signal=B:TERM@{WARNING_S}",
        *(f"#SBATCH {option}" for option in batch.options),
    ]


def job_name(title: str) -> str:
    """`halocline-` and the characters of the title allowed in a job name."""
    return "-".join(["halocline", *re.findall(r"[A-Za-z0-9]+", title)])[:40].rstrip("-")
