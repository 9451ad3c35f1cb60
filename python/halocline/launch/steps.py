"""The steps of a job in an allocation of Slurm. Standard library only: the guardian uses it."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

ALLOCATION = "SLURM_JOB_ID"
RECORD = "allocation"
ANSWER_S = 5.0  # from a controller that does not answer nothing can be had


def note_allocation(directory: Path, environment: Mapping[str, str]) -> None:
    """Keep where the job's steps are, if there is an allocation; they are named after `directory`.

    Its steps are what srun starts: the ranks, or the commands by which other launchers reach nodes.
    """
    if allocation := environment.get(ALLOCATION):
        (directory / RECORD).write_text(allocation, encoding="utf-8")


def steps_are_over(directory: Path) -> None:
    """There is nothing to cancel any more."""
    (directory / RECORD).unlink(missing_ok=True)


def cancel_steps(directory: Path) -> None:
    """Have Slurm end the steps, wherever they are: they can outlive the srun that began them."""
    with suppress(FileNotFoundError):
        allocation = (directory / RECORD).read_text(encoding="utf-8")
        name = ("--steps", f"--jobs={allocation}", f"--name={directory.name}")
        if steps := _told("squeue", *name, "--noheader", "--format=%i").split():
            _told("scancel", *steps)


def _told(*words: str) -> str:
    """What a command of Slurm prints; nothing if it does not answer."""
    with suppress(subprocess.TimeoutExpired):
        return subprocess.run(
            words,
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            timeout=ANSWER_S,
        ).stdout
    return ""
