"""Run one job under a guardian; its records decide the outcome, and say where its ranks ran."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from halocline.base.toolchain import Family
from halocline.launch.binding import binding_of
from halocline.launch.completion import (
    Records,
    incomplete,
    read_records,
    recorded,
    wrong_world,
)
from halocline.launch.elsewhere import CLEAN_S
from halocline.launch.guardians import Guardian, guardian
from halocline.launch.job import Job, NodeMemory, Outcome, Progress
from halocline.launch.launchers import cases_file, distribution, launch
from halocline.launch.leftovers import KILL_S, TERMINATE_S, clean, make_job_directory, sweep
from halocline.launch.on_hosts import used
from halocline.launch.reasons import out_of_time, reason, remains
from halocline.launch.watch import Orders
from halocline.specification.configuration import SRUN

_SLURMS_ORDER = (
    "; srun takes nodes in Slurm's order: name hosts as `scontrol show hostnames` lists them"
)
GUARDIAN_END_S = TERMINATE_S + KILL_S + CLEAN_S + 10.0


class Stop:
    """Ends a job cleanly from another thread."""

    def __init__(self) -> None:
        self._guardian: Guardian | None = None
        self._stopped = False
        self._lock = threading.Lock()

    def now(self) -> None:
        """End it, or prevent its start."""
        with self._lock:
            self._stopped = True
            if self._guardian is not None:
                self._guardian.terminate()

    def watch(self, started: Guardian) -> None:
        """Attach the guardian of the job, which has its orders."""
        with self._lock:
            self._guardian = started
            if self._stopped:
                started.terminate()


@dataclass
class Watched:
    """The result of a guarded job."""

    end: dict[str, Any] | None = None  # the guardian's report; None if it was killed
    called: tuple[str, ...] = ()  # the names that the job's hosts call themselves
    wrong: str | None = None  # why the front end ended the job
    stderr: str = ""


def run_job(job: Job, on_progress: Callable[[Progress], None], stop: Stop | None = None) -> Outcome:
    """Launch the driver and wait for its end; afterwards nothing of the job is left.

    The records in `job.samples` decide: the launch is ok with a completion record that agrees with
    them; any other end is recorded there as a failure. KeyboardInterrupt, and whatever
    `on_progress` raises, ends the job cleanly and is raised again. `stop` ends it as
    failed.
    """
    sweep()
    return recorded(job, lambda offset: _run(job, offset, on_progress, stop))


def _run(
    job: Job, offset: int, on_progress: Callable[[Progress], None], stop: Stop | None
) -> Outcome:
    try:
        directory, lock = make_job_directory()
    except OSError as error:
        return Outcome(False, f"cannot prepare the job: {error}")
    try:
        try:
            cases_file(directory).write_text("".join(f"{case}\n" for case in job.cases))
            orders = _orders(job, directory)
            started = guardian(lock)
        except OSError as error:
            return Outcome(False, f"cannot prepare the job: {error}")
        watched = _watch(job, started, orders, offset, on_progress, stop)
    finally:
        if directory.exists():  # the guardian was killed, or never started
            clean(directory)
        os.close(lock)
    return _judge(job, read_records(job, offset), watched)


def _orders(job: Job, directory: Path) -> Orders:
    invocation = launch(job, directory)
    return Orders(
        command=invocation.command,
        environment=invocation.environment,
        directory=str(directory),
        ranks=job.ranks,
        pids_are_real=job.toolchain.family is not Family.SIMGRID,
        **asdict(job.deadlines),
    )


def _watch(
    job: Job,
    started: Guardian,
    orders: Orders,
    offset: int,
    on_progress: Callable[[Progress], None],
    stop: Stop | None,
) -> Watched:
    watched = Watched()
    with _ended(started, watched):
        with suppress(BrokenPipeError):  # it exited at once: its stderr says why
            started.stdin.write(json.dumps(asdict(orders)).encode() + b"\n")
            started.stdin.flush()
        if stop is not None:
            stop.watch(started)
        for line in started.stdout:
            event = json.loads(line)
            if event["event"] == "end":
                watched.end = event
                continue
            if event["event"] == "hosts":
                watched.called = tuple(event["called"])
                continue
            if event["event"] == "memory":
                workload = job.cases[event["case"] - 1].split()[1]
                memory = NodeMemory(workload, event["bytes"], event["percent"])
                on_progress(Progress(event["case"], event["cases"], memory))
                continue
            if event["case"] == 1:
                records = read_records(job, offset)
                if wrong := wrong_world(job, records) or misplaced(job, records, watched.called):
                    watched.wrong = wrong
                    break  # it would not measure what was requested
            on_progress(Progress(case=event["case"], cases=event["cases"]))
    return watched


@contextmanager
def _ended(started: Guardian, watched: Watched) -> Iterator[None]:
    """The guardian's job is ended, and waited for, on exit from the block."""
    try:
        yield
    finally:
        try:
            stdout, stderr = started.rest(GUARDIAN_END_S)
            watched.stderr = stderr.decode(errors="replace").strip()
            for line in stdout.splitlines():
                event = json.loads(line)
                watched.end = event if event["event"] == "end" else watched.end
        except TimeoutError:
            started.kill()
        finally:
            started.close()


def _judge(job: Job, records: Records, watched: Watched) -> Outcome:
    output = watched.end.get("output", "") if watched.end else watched.stderr
    missing = incomplete(job, records)
    wrong = watched.wrong or wrong_world(job, records) or misplaced(job, records, watched.called)
    if wrong is None and missing is None:
        return Outcome(True, "complete", output, remains=remains(watched.end or {}))
    if wrong is None and watched.end is not None:
        end = watched.end
        return Outcome(False, reason(job, end, missing or ""), output, out_of_time(end))
    last_words = watched.stderr.splitlines()[-1:] or ["it was killed"]
    return Outcome(
        False, wrong or f"the supervisor of the job ended early: {last_words[0]}", output
    )


def misplaced(job: Job, records: Records, called: Sequence[str]) -> str | None:
    """Why a rank is not where it should be; None if all are, as far as known.

    `called` are the names that the hosts with ranks call themselves, in node order.
    """
    if not records.starts:
        return None
    start = records.starts[0]
    if not called:
        hosts = sorted(set(start["hosts"]))
        if not job.nodes and len(hosts) > 1 and job.simulation is None:
            return f"ran on {', '.join(hosts)}, expected this host alone"
        return _misbound(job, start)
    name_of = dict(zip(used(job), called, strict=True))
    for rank, (node, host) in enumerate(zip(job.node_of_rank, start["hosts"], strict=True)):
        expected = name_of[job.nodes[node]]
        if _short(host) != _short(expected):
            swapped = _short(host) in {_short(name) for name in called}
            in_order = distribution(job.node_of_rank, len(job.nodes)) is not None
            order = _SLURMS_ORDER if job.launcher_kind == SRUN and swapped and in_order else ""
            return f"ran with rank {rank} on {host}, expected {expected}{order}"
    nodes = len(set(job.node_of_rank))
    if start["nodes"] != nodes:
        return f"ran on {start['nodes']} nodes as the library sees them, expected {nodes}"
    return _misbound(job, start)


def _misbound(job: Job, start: dict[str, Any]) -> str | None:
    """Only CPUs listed one by one can be checked."""
    for rank, (cpu, bound) in enumerate(zip(binding_of(job).cpus, start["cpus"], strict=False)):
        if bound != str(cpu):
            return f"ran with rank {rank} on CPU {bound}, expected {cpu}"
    return None


def _short(host: str) -> str:
    """The host's name without its domain, which some libraries leave out."""
    return host.partition(".")[0].lower()
