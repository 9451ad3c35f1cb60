"""A case: one point of an experiment, identified by its content."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from halocline.specification.configuration import Configuration, label, value_of

AxisValue = str | int


@dataclass(frozen=True)
class Case:
    """What is measured: a workload at one value of each axis, on one machine with one MPI.

    `configuration` is what its launches need in addition, without default values.
    """

    workload: str
    axes: tuple[tuple[str, AxisValue], ...]  # sorted by name
    mpi: str
    machine: str
    ranks: int
    configuration: Configuration = ()

    @cached_property
    def id(self) -> str:
        """Twelve hexadecimal digits computed from the content: the same case, the same id."""
        content: list[object] = [self.workload, self.axes, self.mpi, self.machine, self.ranks]
        if self.configuration:
            content.append(self.configuration)
        text = json.dumps(content, separators=(",", ":"))
        return hashlib.blake2b(text.encode(), digest_size=6).hexdigest()

    @property
    def label(self) -> str:
        """The label of its launches: the MPI library, and the configuration if it has one."""
        return label(self.mpi, self.configuration)

    @property
    def is_collective(self) -> bool:
        """Whether it is a collective operation: only these can be flat or on two levels."""
        return "structure" in dict(self.axes)

    @property
    def driver_line(self) -> str:
        """The case in the driver's format: `ID WORKLOAD axis=value …`."""
        return " ".join([self.id, self.workload, *(f"{name}={value}" for name, value in self.axes)])

    def axis(self, name: str) -> AxisValue:
        """The value of one axis; KeyError if the workload has no such axis."""
        return dict(self.axes)[name]

    def shared_with(self, other: Case) -> Case:
        """This case without the axes in which the other differs."""
        return replace(self, axes=tuple(axis for axis in self.axes if axis in other.axes))

    def settings(self, keys: Iterable[str]) -> dict[str, str]:
        """The values of these keys of the configuration, defaults included."""
        return {key: value_of(self.configuration, self.ranks, key) for key in keys}
