"""A toolchain: a driver built for one MPI library, and its launcher."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path


class Family(StrEnum):
    """Determines the launcher's command line."""

    MPICH = "mpich"
    INTEL = "intel"
    OPENMPI = "openmpi"
    SIMGRID = "simgrid"


@dataclass(frozen=True)
class Toolchain:
    """One MPI library, ready to run the driver on.

    `library` is the first line of MPI_Get_library_version when the library was added;
    every launch must report the same one.
    """

    name: str
    family: Family
    library: str
    launcher: Path
    driver: Path
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def version(self) -> str:
        """The number in `library`, e.g. 5.0.2; all of it if it has none."""
        number = re.search(r"\d+(\.\d+)+", self.library)
        return number[0] if number else self.library

    @property
    def base_major(self) -> int:
        """The major version of the MPICH or Open MPI that the library is, or is built on."""
        if "Spectrum MPI" in self.library:
            return 4
        if "MVAPICH" in self.library:  # 2.x and 3.x
            return 3
        base = re.search(r"ANL base (\d+)", self.library)  # of Cray MPICH
        return int(base[1] if base else self.version.partition(".")[0])
