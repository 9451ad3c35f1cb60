"""What a job leaves on the machine, identified by a mark in its environment."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from halocline.launch.job import Job
from halocline.launch.processes import open_topologies
from halocline.launch.traces import Trace

MARK = "HALOCLINE_TEST_MARK"
_GATE = "HALOCLINE_TEST_GATE"
CASES = tuple(f"case{number} pingpong bytes={8 * number}" for number in range(1, 101))

MakeJob = Callable[..., Job]


@dataclass(frozen=True)
class Living:
    """A job while it runs; `ranks` holds those that have not ended yet."""

    directory: Path
    launcher: int
    guardian: int
    ranks: dict[int, int]
    shared_memory: tuple[Path, ...]
    topologies: tuple[Path, ...]  # files of the launcher


def names_rank_1(reason: str, *ways: str) -> bool:
    """Whether a reason says of rank 1 that it ended, in one of these ways.

    Slow to exit, it can be gone after rank 0, whose message failed or which was killed for it. Gone
    before its own end could be read, it is said to have ended early, with what is known of rank 0.
    """
    return bool(re.match(r"rank 1 ended early (as|while) rank 0 was ", reason)) or any(
        re.match(
            rf"rank (0 (was killed|ended).* (as|while) rank )?1 ({re.escape(way)}|was ending )",
            reason,
        )
        for way in ways
    )


def marked(mark: str) -> dict[int, dict[str, str]]:
    """The environments of the living processes that were started with this mark."""
    found = {}
    for pid in (int(name) for name in os.listdir("/proc") if name.isdigit()):
        try:
            content = Path(f"/proc/{pid}/environ").read_text(errors="replace")
        except OSError:
            continue
        environment = dict(entry.partition("=")[::2] for entry in content.split("\0"))
        if environment.get(MARK) == mark:
            found[pid] = environment
    return found


def _is_elsewhere(pid: int) -> bool:
    return os.readlink(f"/proc/{pid}/ns/pid") != os.readlink("/proc/self/ns/pid")


def parent(pid: int) -> int:
    """The parent of a living process."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def mark_of(job: Job) -> str:
    """The mark in the environment of a job's processes."""
    mark = job.environment[MARK]
    assert mark is not None
    return mark


def gated(job: Job, case: int) -> Job:
    """The same job; after reporting this case it waits for `open_gate`, then misbehaves."""
    at = {"HALOCLINE_TEST_CASE": str(case), _GATE: f"{job.samples}.gate-{job.launch}"}
    return replace(job, environment={**job.environment, **at})


def open_gate(job: Job) -> None:
    """Let the job go on."""
    gate = job.environment[_GATE]
    assert gate is not None
    Path(gate).touch()


def look(job: Job) -> Living:
    """The job's processes and files; all of its ranks have written their records."""
    return look_at(mark_of(job))


def look_at(mark: str) -> Living:
    """The same for the only job that runs with this mark."""
    processes = {
        pid: environment
        for pid, environment in marked(mark).items()
        if "HALOCLINE_JOB_DIR" in environment
    }
    directory = Path(next(iter(processes.values()))["HALOCLINE_JOB_DIR"])
    # On hosts made of namespaces orphans have another parent: the first process there.
    launcher = next(
        pid for pid in processes if parent(pid) not in processes and not _is_elsewhere(pid)
    )
    records = {
        int(path.stem.removeprefix("rank-")): path.read_text().splitlines()
        for path in directory.glob("rank-*.pid")
    }
    return Living(
        directory=directory,
        launcher=launcher,
        guardian=parent(launcher),
        ranks={rank: pid for rank, lines in records.items() if (pid := _pid(lines[0], directory))},
        shared_memory=tuple(Path(line) for lines in records.values() for line in lines[1:]),
        topologies=tuple(sorted(open_topologies(processes))),
    )


def _pid(trace: str, directory: Path) -> int | None:
    pid, boot, namespace = trace.split()
    return Trace(int(pid), boot, namespace).pid_here(directory)


def left_over(job: Job, living: Living) -> list[str]:
    """What is left of the job: nothing, if all is well."""
    return left_of(mark_of(job), living)


def left_of(mark: str, living: Living) -> list[str]:
    """The same for a job that ran with this mark."""
    processes = [f"process {pid}" for pid in marked(mark)]
    files = (living.directory, *living.shared_memory, *living.topologies)
    return processes + [str(path) for path in files if path.exists()]


def wait_until_nothing_is_left(job: Job, living: Living, limit_s: float) -> list[str]:
    """What is left of the job after at most `limit_s`."""
    return wait_until_gone(mark_of(job), living, limit_s)


def wait_until_gone(mark: str, living: Living, limit_s: float) -> list[str]:
    """The same for a job that ran with this mark."""
    deadline = time.monotonic() + limit_s
    while (left := left_of(mark, living)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return left


def records(job: Job) -> list[dict[str, Any]]:
    """Every record of the job's samples file."""
    return [json.loads(line) for line in job.samples.read_text().splitlines()]


def kinds(job: Job) -> list[str]:
    """The types of the records, in their order."""
    return [record["type"] for record in records(job)]
