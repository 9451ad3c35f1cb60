"""Submitting a run's batch job to Slurm, and waiting for its end."""

from __future__ import annotations

import shutil
import subprocess
from contextlib import suppress
from dataclasses import dataclass

from halocline.base.errors import Interrupted, RunFailed, UserError
from halocline.slurm.batch import Batch, script

_NO_SBATCH = "run this on a host with Slurm's commands, or print the script with --dry-run"


@dataclass(frozen=True)
class Submitted:
    """An accepted job. `waiting` ends with the job, if waiting was requested."""

    batch: Batch
    job: str
    waiting: subprocess.Popen[str] | None


def submit(batch: Batch, experiment: str, *, wait: bool) -> Submitted:
    """Write the script and the experiment into the run folder, and submit the script.

    UserError if the folder is in use, cannot be written, or Slurm refuses the job; files written
    by then are removed.
    """
    _write(batch, experiment)
    try:
        return _sbatch(batch, wait=wait)
    except BaseException:
        shutil.rmtree(batch.folder)
        with suppress(OSError):  # it holds a run
            batch.run.rmdir()
        raise


def wait_for_end(submitted: Submitted) -> None:
    """Wait for the job to end; RunFailed if it failed, Interrupted if the user leaves."""
    assert submitted.waiting is not None
    batch, job = submitted.batch, submitted.job
    try:
        code = submitted.waiting.wait()
    except KeyboardInterrupt as stop:
        submitted.waiting.kill()
        submitted.waiting.wait()
        remedy = f"job {job} continues; cancel it with `scancel {job}`"
        raise Interrupted(stop, saved=batch.run, remedy=remedy) from stop
    if code != 0:
        raise RunFailed(
            f"job {job} ended with exit code {code}",
            saved=batch.run,
            remedy=f"see {batch.output(job)}, fix the cause, resume with `sbatch {batch.script}`",
        )


def _write(batch: Batch, experiment: str) -> None:
    if batch.run.is_dir() and any(batch.run.iterdir()):
        again = batch.script.exists()
        remedy = f"resume with `sbatch {batch.script}`, or " if again else ""
        raise UserError(f"{batch.run} is not empty", remedy=f"{remedy}choose another --output")
    try:
        batch.folder.mkdir(parents=True)
        batch.experiment.write_text(experiment, encoding="utf-8")
        batch.script.write_text(script(batch), encoding="utf-8")
        batch.script.chmod(0o755)
    except OSError as error:
        problem = f"cannot write into {batch.run}: {error.strerror}"
        raise UserError(problem, remedy="choose another folder with --output") from None


def _sbatch(batch: Batch, *, wait: bool) -> Submitted:
    try:
        child = subprocess.Popen(
            ["sbatch", "--parsable", *(["--wait"] if wait else []), batch.script],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            process_group=0,  # Ctrl-C must reach only this process
        )
    except FileNotFoundError:
        raise UserError("sbatch is not on PATH", remedy=_NO_SBATCH) from None
    assert child.stdout is not None and child.stderr is not None
    # "12" or "12;cluster", printed at once; nothing if the job is refused.
    job = child.stdout.readline().strip().partition(";")[0]
    if job and wait:
        return Submitted(batch, job, child)
    said = [line for line in child.stderr.read().splitlines() if line.strip()]
    if child.wait() != 0 or not job:
        why = said[-1] if said else f"exit code {child.returncode}"
        raise UserError(f"Slurm rejected the job: {why}", remedy="change the request")
    return Submitted(batch, job, None)
