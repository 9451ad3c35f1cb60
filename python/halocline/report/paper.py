"""Published figures of five machines in 2005, for scale; None where missing."""

from __future__ import annotations

from dataclasses import dataclass

SOURCE = (
    "P. H. Worley, Comparative Analysis of Interprocess Communication on the X1, XD1, and XT3, "
    "Cray User Group 2005, “Technical Specifications”"
)


@dataclass(frozen=True)
class Published:
    """MPI latency of 8 bytes one way, and bandwidth of 1 MB one way and both ways."""

    machine: str
    processor: str
    latency_us: tuple[float | None, float | None]  # on the node, between nodes
    one_way_mb_s: tuple[float | None, float | None]
    both_ways_mb_s: tuple[float | None, float | None]


MACHINES = (
    Published("X1", "Cray, 800 MHz", (7.3, 7.3), (9503, 9364), (17145, 16936)),
    Published("XD1", "Opteron, 2200 MHz", (1.7, 1.7), (1087, 1342), (1095, 2173)),
    Published("XT3", "Opteron, 2400 MHz", (None, 29), (None, 1111), (None, 2150)),
    Published("Altix 3700", "Itanium 2, 1500 MHz", (1.1, 1.1), (1595, 1397), (2286, 2561)),
    Published("p690", "Power4, 1300 MHz", (3, 6), (1580, 936), (2402, 985)),
)
