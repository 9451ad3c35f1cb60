"""What can be measured, as the driver tells it: workloads with axes, protocols with needs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta

from halocline.cases import AxisValue
from halocline.errors import UserError
from halocline.reading import Positive, Whole, checked, converted, decoded
from halocline.units import size_text

SCHEMA = 1
ANY_NUMBER_OF_RANKS = 2**20  # as a workload's maximum


@dataclass(frozen=True)
class Axis:
    """A dimension of a workload.

    Kind `protocol` takes names of protocols, `integer` numbers from low to high, `choice` names,
    `file` what a command has written.
    """

    name: str
    kind: Literal["protocol", "integer", "choice", "file"]
    unit: str = ""
    low: Whole = 0
    high: Whole = 0
    default: tuple[AxisValue, ...] = ()
    choices: tuple[str, ...] = ()
    verified: tuple[str, ...] = ()  # what verification takes instead of the default
    made_by: str = ""  # the command that writes such files

    def __post_init__(self) -> None:
        if self.kind == "file" and not self.default:
            raise ValueError(f"axis {self.name} of files without a default")

    @property
    def allowed(self) -> str:
        """What it takes, for people: `0 to 1073741824 B`, or its choices."""
        if self.kind == "choice":
            return ", ".join(self.choices)
        if self.kind == "file":
            return f"{self.default[0]}, or a file of `{self.made_by}`"
        return f"{self.low} to {self.high} {self.unit}".rstrip()

    def value_text(self, value: AxisValue) -> str:
        """A value as people write it: `1MiB`, `17`, `torus`."""
        if self.unit == "B" and isinstance(value, int):
            return size_text(value)
        return str(value)


@dataclass(frozen=True)
class Workload:
    """What is measured, and on how many ranks: a multiple of `ranks_multiple` within the range."""

    name: str
    summary: str
    ranks_minimum: Positive
    ranks_maximum: Positive
    axes: tuple[Axis, ...]
    ranks_multiple: Positive = 1  # catalogues of older runs lack it

    def axis(self, name: str) -> Axis | None:
        """The axis of that name, if the workload has it."""
        return next((axis for axis in self.axes if axis.name == name), None)

    def runs_on(self, ranks: int) -> bool:
        """Whether it can be measured on so many ranks."""
        in_range = self.ranks_minimum <= ranks <= self.ranks_maximum
        return in_range and ranks % self.ranks_multiple == 0

    @property
    def ranks_text(self) -> str:
        """On how many it runs: `2 ranks`, `2 to 8 ranks`, `2 or more ranks, a multiple of 2`."""
        low, high = self.ranks_minimum, self.ranks_maximum
        several = f"{low} or more" if high >= ANY_NUMBER_OF_RANKS else f"{low} to {high}"
        span = f"{low if low == high else several} ranks"
        return span + (f", a multiple of {self.ranks_multiple}" if self.ranks_multiple > 1 else "")


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
    workloads: Annotated[tuple[Workload, ...], Meta(min_length=1)]
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


def from_json(content: object) -> Catalogue:
    """The catalogue in the driver's words; ValueError if it is none."""
    schema = content.get("schema") if isinstance(content, dict) else None
    if schema != SCHEMA:
        raise ValueError(f"schema {schema} instead of {SCHEMA}")
    checked(content)
    return converted(content, Catalogue)


def from_text(text: str, driver: Path) -> dict[str, Any]:
    """What a driver printed as its catalogue; UserError if it is none."""
    try:
        content = decoded(text, dict[str, Any])
        from_json(content)
    except ValueError as error:
        raise UserError(
            f"{driver} does not tell what it can measure: its answer is no catalogue: {error}",
            remedy=f"remove {driver.parent} and try again",
        ) from None
    return content
