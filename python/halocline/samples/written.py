"""What a samples file holds of a launch, to be compared with what its driver wrote."""

from __future__ import annotations

import zlib
from dataclasses import dataclass


@dataclass
class Written:
    """The lines of a launch before its completion record, which has the same three numbers."""

    cases: int = 0
    samples: int = 0
    crc: int = 0

    @property
    def checksum(self) -> str:
        return f"{self.crc:08x}"

    def add(self, line: bytes, samples: int | None) -> None:
        """The next line, without its end; `samples` are those of a case, None at the start."""
        self.crc = zlib.crc32(b"\n", zlib.crc32(line, self.crc))
        self.cases += samples is not None
        self.samples += samples or 0
