"""What can be measured, as reported by the driver: workloads with axes, protocols with needs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta

from halocline.base.errors import UserError
from halocline.base.reading import Positive, Whole, checked, converted, decoded
from halocline.base.units import size_text
from halocline.specification.cases import AxisValue

SCHEMA = 1
ANY_NUMBER_OF_RANKS = 2**20  # as a workload's maximum


@dataclass(frozen=True)
class Axis:
    """A dimension of a workload.

    Kind `protocol` takes names of protocols, `integer` numbers from low to high, `choice` names,
    `file` files written by a command.
    """

    name: str
    kind: Literal["protocol", "integer", "choice", "file"]
    unit: str = ""
    low: Whole = 0
    high: Whole = 0
    default: tuple[AxisValue, ...] = ()
    choices: tuple[str, ...] = ()
    verified: tuple[AxisValue, ...] = ()  # values for verification instead of the default
    made_by: str = ""  # the command that writes such files
    only: tuple[Whole, ...] = ()  # numbers, if not all in the range

    def __post_init__(self) -> None:
        if self.kind == "file" and not self.default:
            raise ValueError(f"axis {self.name} of files without a default")

    @property
    def allowed(self) -> str:
        """The allowed values as text: `0 to 1073741824 B`, or its choices."""
        if self.kind == "choice":
            return ", ".join(self.choices)
        if self.kind == "file":
            return f"{self.default[0]}, or a file of `{self.made_by}`"
        values = ", ".join(map(str, self.only)) or f"{self.low} to {self.high}"
        return f"{values} {self.unit}".rstrip()

    def allows(self, number: int) -> bool:
        """Whether an `integer` axis has this value."""
        return self.low <= number <= self.high and (not self.only or number in self.only)

    def value_text(self, value: AxisValue) -> str:
        """A value as users write it: `1MiB`, `17`, `torus`."""
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
        """Whether it can be measured on this many ranks."""
        in_range = self.ranks_minimum <= ranks <= self.ranks_maximum
        return in_range and ranks % self.ranks_multiple == 0

    @property
    def ranks_text(self) -> str:
        """The allowed ranks: `2 ranks`, `2 to 8 ranks`, `2 or more ranks, a multiple of 2`."""
        low, high = self.ranks_minimum, self.ranks_maximum
        several = f"{low} or more" if high >= ANY_NUMBER_OF_RANKS else f"{low} to {high}"
        span = f"{low if low == high else several} ranks"
        return span + (f", a multiple of {self.ranks_multiple}" if self.ranks_multiple > 1 else "")


@dataclass(frozen=True)
class Protocol:
    """How data travels; `reason` says why it is unavailable with this MPI library.

    `restriction`: what it forbids programs that other protocols allow, so that only they choose it.
    """

    name: str
    summary: str
    requires: tuple[str, ...]
    available: bool
    reason: str
    restriction: str = ""


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
        """The default values of an axis."""
        if axis.kind == "protocol":
            return tuple(protocol.name for protocol in self.protocols)
        return axis.default


def from_json(content: object) -> Catalogue:
    """The catalogue from the driver's output; ValueError if it is invalid."""
    schema = content.get("schema") if isinstance(content, dict) else None
    if schema != SCHEMA:
        raise ValueError(f"schema {schema} instead of {SCHEMA}")
    checked(content)
    return converted(content, Catalogue)


def from_text(text: str, driver: Path) -> dict[str, Any]:
    """The catalogue from a driver's output; UserError if it is invalid."""
    try:
        content = decoded(text, dict[str, Any])
        from_json(content)
    except ValueError as error:
        raise UserError(
            f"{driver} did not report what it can measure: invalid catalogue: {error}",
            remedy=f"remove {driver.parent} and try again",
        ) from None
    return content
