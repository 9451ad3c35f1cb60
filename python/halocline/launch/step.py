"""The step of a job that srun started. Standard library only: the guardian uses it."""

from __future__ import annotations

import subprocess
from contextlib import suppress
from pathlib import Path

RECORD = "slurm-job"
ANSWER_S = 5.0  # from a controller that does not answer nothing can be had


def note_step(directory: Path, job: str) -> None:
    """Keep in which of Slurm's jobs the step is, which is named after the directory."""
    (directory / RECORD).write_text(job, encoding="utf-8")


def step_is_over(directory: Path) -> None:
    """There is nothing to cancel any more."""
    (directory / RECORD).unlink(missing_ok=True)


def cancel_step(directory: Path) -> None:
    """Have Slurm end the step, wherever its ranks are: without srun it would go on."""
    with suppress(FileNotFoundError):
        job = (directory / RECORD).read_text(encoding="utf-8")
        listed = _ask(
            "squeue",
            "--steps",
            "--noheader",
            f"--jobs={job}",
            f"--name={directory.name}",
            "--format=%i",
        )
        if steps := listed.split():
            _ask("scancel", *steps)


def _ask(*words: str) -> str:
    try:
        done = subprocess.run(
            words,
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            timeout=ANSWER_S,
        )
    except subprocess.TimeoutExpired:
        return ""
    return done.stdout
