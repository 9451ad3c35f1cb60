"""`make bench`: every goal of speed and fidelity next to what is measured here."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks import (
    advisor,
    balancing,
    barotropic,
    chosen_way,
    collectives,
    fidelity,
    gyrokinetic,
    halo,
    lists,
    overlap,
    profile_page,
    profiler_cost,
    redistribution,
    route_cost,
    shallow_water,
    survey,
    tune,
    under_load,
    verdicts,
)
from benchmarks.table import show
from benchmarks.verdicts import CASES


def main() -> None:
    """Measure one thing after the other, then show all.

    Arguments: the folders of the programs in C++, for the MPI standard's ABI, for Open MPI 5 and
    for Debian's Open MPI 4.
    """
    abi, openmpi, debian_openmpi = map(Path, sys.argv[1:])
    rows = [
        *route_cost.rows(abi / "route-cost"),
        *redistribution.rows(abi / "redistribution-cost", debian_openmpi / "redistribution-cost"),
        *shallow_water.rows(abi / "shallow-water-cost"),
        *chosen_way.rows(abi / "chosen-way-cost"),
        *halo.rows(abi / "halo-cost", debian_openmpi / "halo-cost"),
        *barotropic.rows(debian_openmpi / "barotropic-cost"),
        *gyrokinetic.rows(abi / "gyrokinetic-cost"),
        *balancing.rows(),
        *advisor.rows(),
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
        *verdicts.measured(trials=10, load=1),
        *tune.rows("redistribution", ["grid=16x32x4"], "mpich", "2min"),
        *under_load.rows(CASES, "mpich", pairs=20, load_=10),
    ]
    sys.exit(show(rows, redistribution.OTHERS))


if __name__ == "__main__":
    main()
