"""What can be measured, as the driver tells it: workloads with axes, protocols with needs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from halocline.cases import AxisValue
from halocline.errors import UserError

SCHEMA = 1


@dataclass(frozen=True)
class Axis:
    """A dimension of a workload. Kind `protocol` takes names, `integer` takes low to high."""

    name: str
    kind: str
    unit: str = ""
    low: int = 0
    high: int = 0
    default: tuple[int, ...] = ()


@dataclass(frozen=True)
class Workload:
    """What is measured, and on how many ranks."""

    name: str
    summary: str
    ranks_minimum: int
    ranks_maximum: int
    axes: tuple[Axis, ...]

    def axis(self, name: str) -> Axis | None:
        """The axis of that name, if the workload has it."""
        return next((axis for axis in self.axes if axis.name == name), None)


@dataclass(frozen=True)
class Protocol:
    """How data travels; `reason` tells why this MPI library cannot, when it is not available."""

    name: str
    summary: str
    requires: tuple[str, ...]
    available: bool
    reason: str


@dataclass(frozen=True)
class Catalogue:
    """All that one driver can measure."""

    version: str
    mpi_standard: str
    simulated: bool
    workloads: tuple[Workload, ...]
    protocols: tuple[Protocol, ...]

    def workload(self, name: str) -> Workload | None:
        """The workload of that name, if there is one."""
        return next((workload for workload in self.workloads if workload.name == name), None)

    def protocol(self, name: str) -> Protocol | None:
        """The protocol of that name, if there is one."""
        return next((protocol for protocol in self.protocols if protocol.name == name), None)

    def defaults(self, axis: Axis) -> tuple[AxisValue, ...]:
        """The values that an axis takes when an experiment does not say."""
        if axis.kind == "protocol":
            return tuple(protocol.name for protocol in self.protocols)
        return axis.default


def from_json(content: dict[str, Any]) -> Catalogue:
    """The catalogue in the driver's words; KeyError, TypeError or ValueError if it is none."""
    if content["schema"] != SCHEMA:
        raise ValueError(f"schema {content['schema']} instead of {SCHEMA}")
    return Catalogue(
        version=str(content["version"]),
        mpi_standard=str(content["mpi_standard"]),
        simulated=bool(content["simulated"]),
        workloads=tuple(_workload(entry) for entry in content["workloads"]),
        protocols=tuple(
            Protocol(
                name=entry["name"],
                summary=entry["summary"],
                requires=tuple(entry["requires"]),
                available=entry["available"],
                reason=entry["reason"],
            )
            for entry in content["protocols"]
        ),
    )


def _workload(entry: dict[str, Any]) -> Workload:
    axes = tuple(
        Axis(**{**axis, "default": tuple(axis.get("default", ()))}) for axis in entry["axes"]
    )
    return Workload(
        name=entry["name"],
        summary=entry["summary"],
        ranks_minimum=entry["ranks_minimum"],
        ranks_maximum=entry["ranks_maximum"],
        axes=axes,
    )


def from_text(text: str, driver: Path) -> dict[str, Any]:
    """What a driver printed as its catalogue; UserError if it is none."""
    try:
        content: dict[str, Any] = json.loads(text)
        from_json(content)
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(
            f"{driver} does not tell what it can measure: its answer is no catalogue: {error}",
            remedy=f"remove {driver.parent} and try again",
        ) from None
    return content
