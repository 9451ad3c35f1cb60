"""Why a job did not complete, in one plain line."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Mapping, Sequence
from typing import Any

from halocline.launch.job import Job

# How Open MPI's launcher reports the rank that ended first: by signal, exit code, exit 0.
_OPENMPI_SIGNAL = re.compile(
    r"process rank (\d+) with PID \d+ on node \S+ exited on\s+signal (\d+)"
)
_OPENMPI_CODE = re.compile(r"Process name: \[.*,(\d+)\]\s+Exit code: +(\d+)")
# MPICH's and Intel's report pids, including those of ranks that they killed afterwards; MPICH's
# with the wait status. Ranks on two hosts may have the same pid.
_HYDRA = re.compile(
    r"PID (\d+) RUNNING AT (\S+)(?:\s+=\s+(?:EXIT CODE: (\d+)|KILLED BY SIGNAL: (\d+)))?"
)
_HYDRA_SIGNALS = "(signal "  # said at the end, unless a rank just exited, of which versions differ
# Text has one; the ruled lines around launchers' messages do not.
_LETTER = re.compile(r"[^\W\d_]")

# MPICH's mark for a rank that left before its status was known; printed as this signal.
_HYDRA_UNKNOWN = signal.SIGHUP

BEFORE_FIRST_CASE = "before the first case"
_AT_CASE = re.compile(r" at case \d+ of \d+ \((.+?)\)")


def case_of(reason: str) -> str:
    """The case at which a job ended, in the driver's words without the id; "" if none is named."""
    match = _AT_CASE.search(reason)
    return match[1] if match else ""


def out_of_time(end: Mapping[str, Any]) -> bool:
    """Whether a job ended because it took longer than its deadlines, with no rank stopped."""
    return end["cause"] in ("start", "progress", "total") and not end["stopped"]


def reason(job: Job, end: Mapping[str, Any], missing: str) -> str:
    """One line from the guardian's report; `missing` is what the samples file lacks."""
    line = _cause(job, end, missing)
    if end.get("errors"):
        line = f"{line}: {end['errors'][0]}"
    return "; ".join(filter(None, (line, remains(end))))


def remains(end: Mapping[str, Any]) -> str:
    """What could not be cleaned up after a job; empty if nothing."""
    words = []
    if end.get("survivors"):
        words.append(f"these processes could not be killed: {', '.join(end['survivors'])}")
    if end.get("unreached") and end["cause"] != "host":
        words.append(f"these hosts do not answer: {', '.join(end['unreached'])}")
    return "; ".join(words)


def _cause(job: Job, end: Mapping[str, Any], missing: str) -> str:
    if end["cause"] == "launcher":
        return "cannot start the launcher"
    if end["cause"] == "host":
        return "cannot prepare the job's hosts"
    where = _where(job, end)
    stopped = "".join(f": rank {rank} is stopped (SIGSTOP)" for rank in end["stopped"])
    limit = job.deadlines
    match end["cause"]:
        case "start":
            return f"the driver did not start within {limit.start_s:g} s{stopped}"
        case "progress":
            return f"no progress for {limit.progress_s:g} s {where}{stopped}"
        case "total":
            return f"not done after {limit.total_s:g} s, the limit for a launch, {where}{stopped}"
        case "world":
            return (
                f"MPI_COMM_WORLD has size {end['world']}, expected {job.ranks}: the launcher "
                f"{job.toolchain.launcher} does not match the driver's MPI library"
            )
        case "guardian":
            return f"the supervisor of the job was stopped from outside {where}"
    return missing if end["complete"] else _early_end(job, end, missing, where)


def _early_end(job: Job, end: Mapping[str, Any], missing: str, where: str) -> str:
    status: int = end["status"]
    if end["cause"] == "exit" and os.WIFSIGNALED(status):
        return f"the launcher was killed ({_signal_name(os.WTERMSIG(status))}) {where}"
    for pattern, how in ((_OPENMPI_SIGNAL, _killed), (_OPENMPI_CODE, _exited)):
        if match := pattern.search(end["output"]):
            return f"rank {match[1]} {how(int(match[2]))} {where}"
    if end["lost"]:
        first = end["lost"][0]
        ended = _how(job, first, end["output"])
        return f"rank {first['rank']} {ended}{_perhaps_first(job, end)} {where}"
    code = os.waitstatus_to_exitcode(status)
    return f"ended early with exit code {code} and {missing} {where}{_first_words(end)}"


def _first_words(end: Mapping[str, Any]) -> str:
    """The launcher's first message, if no rank got as far as writing anything.

    Only the first line: later ones explain it, or report later failures.
    """
    if end["world"] is not None or end["errors"]:
        return ""
    spoken = (line.strip() for line in end["output"].splitlines() if _LETTER.search(line))
    return next((f": {line}" for line in spoken), "")


def _how(job: Job, lost: Mapping[str, int], output: str) -> str:
    """How a rank ended: from its wait status, or from the launcher's message about its pid."""
    status = lost["status"]
    if status is not None:
        if os.WIFSIGNALED(status):
            return _killed(os.WTERMSIG(status))
        return _exited(os.waitstatus_to_exitcode(status))
    return _how_by_launcher(job, lost, output) or "ended early"


def _perhaps_first(job: Job, end: Mapping[str, Any]) -> str:
    """The rank that may have ended before the one that was seen first.

    A message that a rank's memory was to give fails: where that rank is slow to exit, another can
    be gone before it is, by an error or unexplained. Of ranks that were gone when they were met,
    or before their status could be read, none is known to be the first.
    """
    first, output = end["lost"][0], end["output"]
    failed_call = any(error.startswith(f"rank {first['rank']}: MPI_") for error in end["errors"])
    explained = first["status"] is not None or bool(_reports(job, first, output))
    if first["met_alive"] and explained and not failed_call:
        return ""
    for other in end["ending"]:
        if how := _how_by_launcher(job, other, output):
            return f" as rank {other['rank']} {how}"
    return f" while {_ranks(end['ending'])} ending" if end["ending"] else ""


def _reports(job: Job, ended: Mapping[str, Any], output: str) -> list[tuple[str, str]]:
    """The wait statuses and signals that MPICH's or Intel's launcher reports of a rank's pid."""
    host = job.nodes[job.node_of_rank[ended["rank"]]] if job.nodes else None
    return [
        (status, number)
        for pid, at, status, number in _HYDRA.findall(output)
        if int(pid) == ended["pid"] and host in (None, at)
    ]


def _how_by_launcher(job: Job, ended: Mapping[str, Any], output: str) -> str:
    """How a rank ended, if MPICH's or Intel's launcher knows it of its pid."""
    for status, number in _reports(job, ended, output):
        if number:
            return _killed(int(number))
        by_signal = os.WTERMSIG(int(status)) if status and _HYDRA_SIGNALS in output else 0
        if by_signal not in (0, _HYDRA_UNKNOWN):
            return _killed(by_signal)
    return ""


def _ranks(several: Sequence[Mapping[str, int]]) -> str:
    return f"rank {several[0]['rank']} was" if len(several) == 1 else "other ranks were"


def _killed(number: int) -> str:
    return f"was killed ({_signal_name(number)})"


def _exited(code: int) -> str:
    return f"ended early with exit code {code}"


def _signal_name(number: int) -> str:
    return f"signal {number}, {signal.strsignal(number)}"


def _where(job: Job, end: Mapping[str, Any]) -> str:
    case = end["case"]
    if not case:
        return BEFORE_FIRST_CASE
    name = job.cases[case - 1].partition(" ")[2] if case <= len(job.cases) else "unknown"
    return f"at case {case} of {end['cases']} ({name})"
