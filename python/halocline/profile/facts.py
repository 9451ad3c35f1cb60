"""A profile's numbers as one JSON object."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from halocline.profile.profile import Profile, Site
from halocline.profile.totals import Totals
from halocline.profile.waiting import waiting
from halocline.profile.words import troubles, words

SCHEMA = 1


def to_json(profile: Profile) -> dict[str, Any]:
    """What `halocline profile summary --json` prints."""
    totals = Totals(profile)
    return {
        "schema": SCHEMA,
        "profile": {
            "folder": str(profile.folder),
            "command": list(profile.command),
            "started": profile.started.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "exit_code": profile.exit_code,
            "mpi": {
                "library": profile.mpi.library,
                "path": profile.mpi.path,
                "abi": profile.mpi.abi,
            },
            "hosts": list(profile.hosts),
        },
        "totals": {
            "ranks": totals.size,
            "wall_ns": totals.wall_ns,
            "mpi_ns": totals.mpi_ns,
            "share_of_communication": totals.share_of_communication,
            "setup_ns": int(totals.rank_setup_ns.sum()),
            "running": _running(totals),
            "calls": totals.calls,
            "messages": totals.messages,
            "bytes": totals.bytes,
        },
        "words": [{"claim": each.claim, "evidence": each.evidence} for each in words(totals)],
        "troubles": list(troubles(totals)),
        "functions": [
            {
                "name": f"MPI_{each.name}",
                "kind": each.kind.value,
                "calls": each.count,
                "time_ns": each.time_ns,
                "bytes": each.bytes,
            }
            for each in totals.functions
        ],
        "sizes": [
            {
                "above_bytes": each.limits[0] - 1 if each.size_class else None,
                "up_to_bytes": each.limits[1],
                "messages": each.messages,
                "bytes": each.bytes,
            }
            for each in totals.sizes()
        ],
        "sites": [
            {
                "function": f"MPI_{each.function}",
                "site": _site(profile.sites[each.site]) if each.site >= 0 else None,
                "calls": each.count,
                "time_ns": each.time_ns,
                "bytes": each.bytes,
                "slowest_rank": each.slowest_rank,
                "slowest_ns": each.slowest_ns,
            }
            for each in totals.sites
        ],
        "ranks": _ranks(totals),
        "pairs": _pairs(totals),
        "waiting": _waiting(totals),
        "files": [
            {"name": profile.files[file], "read_bytes": read, "written_bytes": written, "calls": n}
            for file, read, written, n in totals.input_output.by_file()
        ],
    }


def _site(site: Site) -> dict[str, Any]:
    return {
        "module": Path(site.module).name,
        "offset": site.offset,
        "function": site.function,
        "file": site.file,
        "line": site.line,
    }


def _ranks(totals: Totals) -> list[dict[str, Any]]:
    profile = totals.profile
    return [
        {
            "rank": each.rank,
            "host": profile.hosts[each.host],
            "threads": each.threads,
            "world": each.world,
            "program": each.program,
            "wall_ns": each.wall_ns,
            "mpi_ns": each.mpi_ns,
            "processor_ns": each.processor_ns if each.processor_ns >= 0 else None,
            "delayed_ns": each.delayed_ns if each.delayed_ns >= 0 else None,
            "calls": each.calls,
            "lost_calls": each.lost_calls,
            "bytes": int(moved),
            "bytes_in_collectives": int(collective),
            "peak_memory_bytes": each.peak_memory_bytes,
            "ended": each.ended,
        }
        for each, moved, collective in zip(
            profile.ranks, totals.rank_bytes_sent, totals.rank_collective_bytes, strict=True
        )
    ]


def _running(totals: Totals) -> dict[str, Any] | None:
    run = totals.running
    if run is None:
        return None
    return {
        "wall_ns": run.wall_ns,
        "processor_ns": run.processor_ns,
        "delayed_ns": run.delayed_ns,
        "cores": run.cores or None,
        "not_running_in_mpi_ns": [run.idle_low_ns, run.idle_high_ns],
    }


def _pairs(totals: Totals) -> list[dict[str, int]]:
    ranks = totals.profile.ranks
    return [
        {"from": ranks[sender].rank, "to": ranks[receiver].rank, "bytes": moved}
        for sender, receiver, moved in totals.pairs()
    ]


def _waiting(totals: Totals) -> dict[str, Any] | None:
    shares = waiting(totals.profile)
    if shares is None:
        return None
    return {
        "collectives": shares.collectives,
        "waiting_ns": shares.waiting_ns,
        "transferring_ns": shares.transferring_ns,
        "sites": [
            {
                "function": f"MPI_{each.function}",
                "site": _site(totals.profile.sites[each.site]) if each.site >= 0 else None,
                "collectives": each.collectives,
                "waiting_ns": each.waiting_ns,
                "transferring_ns": each.transferring_ns,
                "last_rank": each.last_rank,
                "last_share": each.last_share,
            }
            for each in shares.sites
        ],
    }
