"""A case: one point of an experiment, identified by its content."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

AxisValue = str | int


@dataclass(frozen=True)
class Case:
    """What is measured: a workload at one value of each axis, on one machine with one MPI."""

    workload: str
    axes: tuple[tuple[str, AxisValue], ...]  # sorted by name
    mpi: str
    machine: str
    ranks: int

    @property
    def id(self) -> str:
        """Twelve hexadecimal digits made from the content: the same case, the same id."""
        content = json.dumps(
            [self.workload, self.axes, self.mpi, self.machine, self.ranks], separators=(",", ":")
        )
        return hashlib.blake2b(content.encode(), digest_size=6).hexdigest()

    @property
    def driver_line(self) -> str:
        """The case as the driver reads it: `ID WORKLOAD axis=value …`."""
        return " ".join([self.id, self.workload, *(f"{name}={value}" for name, value in self.axes)])

    def axis(self, name: str) -> AxisValue:
        """The value of one axis; KeyError if the workload has no such axis."""
        return dict(self.axes)[name]
