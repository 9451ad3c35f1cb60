"""Whether the ranks run where requested, according to the start record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from halocline.launch.binding import binding_of
from halocline.launch.completion import Written
from halocline.launch.job import Job
from halocline.launch.on_hosts import used


def misplaced(job: Job, written: Written, called: Sequence[str]) -> str | None:
    """Why a rank is not where it should be; None if all are, as far as known.

    `called` are the names that the hosts with ranks call themselves, in node order.
    """
    if not called or not written.starts:
        return _misbound(job, written.starts[0]) if written.starts else None
    start = written.starts[0]
    name_of = dict(zip(used(job), called, strict=True))
    for rank, (node, host) in enumerate(zip(job.node_of_rank, start["hosts"], strict=True)):
        expected = name_of[job.nodes[node]]
        if _short(host) != _short(expected):
            return f"ran with rank {rank} on {host}, expected {expected}"
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
