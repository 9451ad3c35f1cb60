"""`make bench`: every goal of speed and fidelity beside what is measured here."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks import (
    collectives,
    fidelity,
    lists,
    overlap,
    profile_page,
    profiler_cost,
    redistribution,
    route_cost,
    survey,
)
from benchmarks.table import show


def main() -> None:
    """Measure one thing after the other, then show all.

    Arguments: the folders of the programs in C++, for the MPI standard's ABI, for Open MPI 5 and
    for Debian's Open MPI 4.
    """
    abi, openmpi, debian_openmpi = map(Path, sys.argv[1:])
    rows = [
        *route_cost.rows(abi / "route-cost"),
        *redistribution.rows(abi / "redistribution-cost", debian_openmpi / "redistribution-cost"),
        *lists.rows(abi / "lists-cost"),
        *overlap.rows(
            {
                "mpich": abi / "overlap-cost",
                "intel": abi / "overlap-cost",
                "openmpi": openmpi / "overlap-cost",
            }
        ),
        *profiler_cost.rows(),
        *profile_page.rows(),
        *fidelity.rows(),
        *collectives.rows(),
        *survey.rows(),
    ]
    show(rows, redistribution.OTHERS)


if __name__ == "__main__":
    main()
