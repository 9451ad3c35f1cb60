"""The steps of a job in a Slurm allocation. Standard library only: the guardian uses it."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

ALLOCATION = "SLURM_JOB_ID"
RECORD = "allocation"
ANSWER_S = 5.0  # after this the controller counts as unreachable


def note_allocation(directory: Path, environment: Mapping[str, str]) -> None:
    """Record where the job's steps are, if in an allocation; they are named after `directory`.

    Steps are started by srun: the ranks, or the commands with which other launchers reach nodes.
    """
    if allocation := environment.get(ALLOCATION):
        (directory / RECORD).write_text(allocation, encoding="utf-8")


def steps_are_over(directory: Path) -> None:
    """Record that nothing is left to cancel."""
    (directory / RECORD).unlink(missing_ok=True)


def cancel_steps(directory: Path) -> None:
    """Let Slurm cancel the steps, wherever they are: they can outlive their srun."""
    with suppress(FileNotFoundError):
        allocation = (directory / RECORD).read_text(encoding="utf-8")
        name = ("--steps", f"--jobs={allocation}", f"--name={directory.name}")
        if steps := _output("squeue", *name, "--noheader", "--format=%i").split():
            _output("scancel", *steps)


def _output(*words: str) -> str:
    """The output of a Slurm command; empty if it does not answer."""
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
