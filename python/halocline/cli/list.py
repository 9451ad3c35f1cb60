"""`halocline list`: workloads, protocols, machines and MPI libraries."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from enum import StrEnum
from typing import Annotated, Any

import typer

from halocline.cli import here
from halocline.launch.machine import machines
from halocline.mpi import registry
from halocline.specification.catalogue import Axis, Workload

SCHEMA = 1


class Kind(StrEnum):
    """The lists."""

    WORKLOADS = "workloads"
    PROTOCOLS = "protocols"
    MACHINES = "machines"
    MPIS = "mpis"


Facts = list[dict[str, Any]]


def list_(
    kind: Annotated[Kind | None, typer.Argument(help="Default: all.", show_default=False)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """List workloads, protocols, machines or MPI libraries, and what each needs.

    Example: halocline list protocols
    """
    kinds = (kind,) if kind else tuple(Kind)
    facts = {listing.value: _FACTS[listing]() for listing in kinds}
    if as_json:
        print(json.dumps({"schema": SCHEMA, **facts}, indent=2))
        return
    for listing in kinds:
        print(_TITLES[listing])
        width = max((len(entry["name"]) for entry in facts[listing]), default=0)
        for entry in facts[listing]:
            needs = "".join(f"\n  {'':{width}}  {line}" for line in _NEEDS[listing](entry))
            print(f"  {entry['name']:{width}}  {entry['summary']}{needs}")


def _workloads() -> Facts:
    return [asdict(workload) for workload in here.catalogue().workloads]


def _protocols() -> Facts:
    """Each protocol, and which installed libraries support it."""
    catalogues = {tool.name: here.catalogue_of(tool) for tool in registry.toolchains()}
    facts: Facts = []
    for protocol in here.catalogue().protocols:
        entries = {
            name: catalogue.protocol(protocol.name) for name, catalogue in catalogues.items()
        }
        lacking = {name: its.reason for name, its in entries.items() if its and not its.available}
        facts.append(
            {
                "name": protocol.name,
                "summary": protocol.summary,
                "requires": list(protocol.requires),
                "mpis": [name for name in entries if name not in lacking],
                "lacking": lacking,
            }
        )
    return facts


def _machines() -> Facts:
    return [asdict(machine) for machine in machines()]


def _mpis() -> Facts:
    return [
        {
            "name": entry.name,
            "summary": entry.summary,
            "status": entry.status.name.lower(),
            "remedy": entry.remedy,
        }
        for entry in registry.known()
    ]


def _workload_needs(entry: dict[str, Any]) -> list[str]:
    workload = Workload(**{**entry, "axes": tuple(Axis(**axis) for axis in entry["axes"])})
    return [f"needs {workload.ranks_text}", *map(_axis_text, workload.axes)]


def _axis_text(axis: Axis) -> str:
    if axis.kind == "protocol":
        return f"{axis.name}=NAME, see `halocline list protocols`; default: all"
    default = ",".join(map(axis.value_text, axis.default))
    span = (
        f"{axis.low}..{axis.high} {axis.unit}"
        if axis.kind == "integer" and not axis.only
        else axis.allowed
    )
    return f"{axis.name}={span.rstrip()}; default: {default}"


def _protocol_needs(entry: dict[str, Any]) -> list[str]:
    lacking = [f"not with {name}: {reason}" for name, reason in entry["lacking"].items()]
    return [f"needs {', '.join(entry['requires'])}", *lacking]


def _machine_needs(entry: dict[str, Any]) -> list[str]:
    return [f"{entry['nodes']} nodes of {entry['cores']} cores; from {entry['source']}"]


def _mpi_needs(entry: dict[str, Any]) -> list[str]:
    return [entry["status"] + (f"; {entry['remedy']}" if entry["remedy"] else "")]


_TITLES = {
    Kind.WORKLOADS: "Workloads",
    Kind.PROTOCOLS: "Protocols",
    Kind.MACHINES: "Simulated machines",
    Kind.MPIS: "MPI libraries",
}
_FACTS: dict[Kind, Callable[[], Facts]] = {
    Kind.WORKLOADS: _workloads,
    Kind.PROTOCOLS: _protocols,
    Kind.MACHINES: _machines,
    Kind.MPIS: _mpis,
}
_NEEDS: dict[Kind, Callable[[dict[str, Any]], list[str]]] = {
    Kind.WORKLOADS: _workload_needs,
    Kind.PROTOCOLS: _protocol_needs,
    Kind.MACHINES: _machine_needs,
    Kind.MPIS: _mpi_needs,
}
