"""What a samples file holds of a launch, to be compared with what its driver wrote."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass
class Written:
    """The lines of a launch before its completion record, which has the same three numbers."""

    cases: int = 0
    samples: int = 0
    crc: int = 0

    def add(self, line: bytes, samples: int | None) -> None:
        """The next line, without its end; `samples` are those of a case, None at the start."""
        self.crc = zlib.crc32(b"\n", zlib.crc32(line, self.crc))
        self.cases += samples is not None
        self.samples += samples or 0

    def differences(self, recorded: Mapping[str, object]) -> list[str]:
        """Where the completion record says otherwise: `cases 2 recorded, 1 found`."""
        found = {"cases": self.cases, "samples": self.samples, "checksum": f"{self.crc:08x}"}
        return [
            f"{name} {recorded.get(name)} recorded, {value} found"
            for name, value in found.items()
            if recorded.get(name) != value
        ]
