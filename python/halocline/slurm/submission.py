"""Submitting a run's batch job to Slurm, and waiting for its end."""

from __future__ import annotations

import shutil
import subprocess
from contextlib import suppress
from dataclasses import dataclass

from halocline.base.errors import Interrupted, RunFailed, UserError
from halocline.base.files import files_in, writing_into
from halocline.base.process_group import end_group
from halocline.base.shell import pasted
from halocline.slurm.batch import Batch, script

_GRACE_S = 3.0
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
    _make_folder(batch)
    try:
        _write(batch, experiment)
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
            remedy=f"see {batch.output(job)}, fix the cause, {_resume(batch)}",
        )


def _resume(batch: Batch) -> str:
    return f"resume with {pasted('sbatch', batch.script)}"


def _make_folder(batch: Batch) -> None:
    if batch.run.is_dir() and files_in(batch.run):
        again = batch.script.exists()
        remedy = f"{_resume(batch)}, or " if again else ""
        raise UserError(f"{batch.run} is not empty", remedy=f"{remedy}choose another --output")
    with writing_into(batch.run):
        batch.folder.mkdir(parents=True)


def _write(batch: Batch, experiment: str) -> None:
    with writing_into(batch.run):
        batch.experiment.write_text(experiment, encoding="utf-8")
        batch.script.write_text(script(batch), encoding="utf-8")
        batch.script.chmod(0o755)


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
    assert child.stdout is not None
    job = ""
    try:
        job = _number(child.stdout.readline())
        if job and wait:
            return Submitted(batch, job, child)
        _, errors = child.communicate()
    except BaseException:
        end_group(child, _GRACE_S)
        printed, _ = child.communicate()
        if job := job or _number(printed):
            _cancel(job)
        raise
    if child.returncode != 0 or not job:
        said = [line for line in errors.splitlines() if line.strip()]
        why = said[-1] if said else f"exit code {child.returncode}"
        raise UserError(
            f"Slurm rejected the job: {why}", remedy="change the options of halocline submit"
        )
    return Submitted(batch, job, None)


def _number(line: str) -> str:
    """Of "12" or "12;cluster", which sbatch prints at once; empty if the job is refused."""
    return line.strip().partition(";")[0]


def _cancel(job: str) -> None:
    with suppress(OSError):  # no scancel
        subprocess.run(["scancel", job], stdin=subprocess.DEVNULL, check=False)
