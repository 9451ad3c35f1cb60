"""Whether a launch completed, proven by its records in the samples file."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from halocline.base.errors import stopped_by
from halocline.launch.job import Job, Outcome
from halocline.launch.written import Written


@dataclass
class Records:
    """The records of one launch, as found in the samples file."""

    starts: list[dict[str, Any]] = field(default_factory=list)
    completions: list[dict[str, Any]] = field(default_factory=list)
    written: Written = field(default_factory=Written)


def read_records(job: Job, offset: int) -> Records:
    """The job's records so far; `offset` is the size of the samples file before it."""
    records = Records()
    try:
        with job.samples.open("rb") as file:
            file.seek(offset)
            lines = file.readlines()
    except FileNotFoundError:
        return records
    for line in lines:
        record = _record(line)
        if (record.get("label"), record.get("launch")) != (job.label, job.launch):
            continue
        match record.get("type"):
            case "start":
                records.starts.append(record)
                records.written.add(line.removesuffix(b"\n"), None)
            case "samples":
                records.written.add(line.removesuffix(b"\n"), len(record["preempted"]))
            case "complete":
                records.completions.append(record)
    return records


def wrong_world(job: Job, records: Records) -> str | None:
    """Why the wrong thing started; None if it looks right so far."""
    if len(records.starts) > 1:
        return (
            f"{len(records.starts)} separate worlds started instead of one of {job.ranks} ranks: "
            f"the launcher {job.toolchain.launcher} does not match the driver's MPI library"
        )
    for start in records.starts:
        if start["ranks"] != job.ranks:
            return f"MPI_COMM_WORLD has size {start['ranks']}, expected {job.ranks}"
        library = start["mpi"]["library_version"]
        if library != job.toolchain.library:
            return f"ran on {library!r}, expected {job.toolchain.library!r}"
    return None


def incomplete(job: Job, records: Records) -> str | None:
    """Why the records do not prove that the launch completed; None if they do."""
    if len(records.starts) != 1:
        return "no start record" if not records.starts else wrong_world(job, records)
    if len(records.completions) != 1:
        return f"{len(records.completions) or 'no'} completion record"
    completion, cases = records.completions[0], records.written.cases
    wrong = records.written.differences(completion)
    if completion.get("ranks") != job.ranks:
        wrong.append(f"ranks {completion.get('ranks')} recorded, {job.ranks} started")
    if cases != len(job.cases):
        wrong.append(f"{len(job.cases)} cases requested, {cases} found")
    if wrong:
        return f"{job.samples} does not hold what the driver wrote: {', '.join(wrong)}"
    return None


def recorded(job: Job, run: Callable[[int], Outcome]) -> Outcome:
    """Run the job and record in its samples file if it fails, for whatever reason.

    `run` gets the size of the samples file before the job.
    """
    offset = job.samples.stat().st_size if job.samples.exists() else 0
    try:
        outcome = run(offset)
    except BaseException as error:
        interrupted = isinstance(error, KeyboardInterrupt)
        _append_failure(job, stopped_by(error) if interrupted else f"stopped by {error!r}")
        raise
    if not outcome.ok:
        _append_failure(job, outcome.reason)
    return outcome


def append_record(job: Job, record: Mapping[str, Any]) -> bytes:
    """Append one record of this launch and return its line; all or nothing if the disk is full.

    An incomplete line of an interrupted writer is terminated first.
    """
    named = {"type": record["type"], "label": job.label, "launch": job.launch, **record}
    line = json.dumps(named, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
    with job.samples.open("ab+", buffering=0) as file:
        end = file.seek(0, os.SEEK_END)
        file.seek(max(0, end - 1))
        whole = (b"\n" if file.read(1) not in b"\n" else b"") + line
        try:
            if file.write(whole) != len(whole):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError:
            file.truncate(end)
            raise
    return line


def _append_failure(job: Job, reason: str) -> None:
    # On a full disk, the missing completion record shows the failure.
    with suppress(OSError):
        append_record(job, {"type": "failure", "reason": reason})


def _record(line: bytes) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except ValueError:  # cut off when its writer ended
        return {}
    return record if isinstance(record, dict) else {}
