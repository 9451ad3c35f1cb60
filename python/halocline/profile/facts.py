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
        "words": [
            {"claim": sentence.claim, "evidence": sentence.evidence} for sentence in words(totals)
        ],
        "troubles": list(troubles(totals)),
        "functions": [
            {
                "name": f"MPI_{function.name}",
                "kind": function.kind.value,
                "calls": function.count,
                "time_ns": function.time_ns,
                "bytes": function.bytes,
            }
            for function in totals.functions
        ],
        "sizes": [
            {
                "above_bytes": size.limits[0] - 1 if size.size_class else None,
                "up_to_bytes": size.limits[1],
                "messages": size.messages,
                "bytes": size.bytes,
            }
            for size in totals.sizes()
        ],
        "sites": [
            {
                "function": f"MPI_{site.function}",
                "site": _site(profile.sites[site.site]) if site.site >= 0 else None,
                "calls": site.count,
                "time_ns": site.time_ns,
                "bytes": site.bytes,
                "slowest_rank": site.slowest_rank,
                "slowest_ns": site.slowest_ns,
            }
            for site in totals.sites
        ],
        "ranks": _ranks(totals),
        "missing_ranks": list(profile.missing),
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
            "rank": rank.rank,
            "host": profile.hosts[rank.host],
            "threads": rank.threads,
            "world": rank.world,
            "program": rank.program,
            "wall_ns": rank.wall_ns,
            "mpi_ns": rank.mpi_ns,
            "processor_ns": rank.processor_ns if rank.processor_ns >= 0 else None,
            "delayed_ns": rank.delayed_ns if rank.delayed_ns >= 0 else None,
            "calls": rank.calls,
            "lost_calls": rank.lost_calls,
            "bytes": int(moved),
            "bytes_in_collectives": int(collective),
            "peak_memory_bytes": rank.peak_memory_bytes,
            "ended": rank.ended,
        }
        for rank, moved, collective in zip(
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
                "function": f"MPI_{site.function}",
                "site": _site(totals.profile.sites[site.site]) if site.site >= 0 else None,
                "collectives": site.collectives,
                "waiting_ns": site.waiting_ns,
                "transferring_ns": site.transferring_ns,
                "last_rank": site.last_rank,
                "last_share": site.last_share,
            }
            for site in shares.sites
        ],
    }
