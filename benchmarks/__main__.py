"""`make bench`: every goal of speed and fidelity next to what is measured here."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from math import inf
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
from benchmarks.table import Row, show
from benchmarks.verdicts import CASES
from halocline.base.errors import UserError


def parts(abi: Path, openmpi: Path, debian_openmpi: Path) -> dict[str, Callable[[], list[Row]]]:
    """What measures the rows of each part, in order."""
    overlapping = {
        "mpich": abi / "overlap-cost",
        "intel": abi / "overlap-cost",
        "openmpi": openmpi / "overlap-cost",
    }
    fields = (abi / "redistribution-cost", debian_openmpi / "redistribution-cost")
    halos = (abi / "halo-cost", debian_openmpi / "halo-cost")
    return {
        "route_cost": lambda: route_cost.rows(abi / "route-cost"),
        "redistribution": lambda: redistribution.rows(*fields),
        "shallow_water": lambda: shallow_water.rows(abi / "shallow-water-cost"),
        "chosen_way": lambda: chosen_way.rows(abi / "chosen-way-cost"),
        "halo": lambda: halo.rows(*halos),
        "barotropic": lambda: barotropic.rows(debian_openmpi / "barotropic-cost"),
        "gyrokinetic": lambda: gyrokinetic.rows(abi / "gyrokinetic-cost"),
        "balancing": balancing.rows,
        "advisor": advisor.rows,
        "lists": lambda: lists.rows(abi / "lists-cost"),
        "overlap": lambda: overlap.rows(overlapping),
        "profiler_cost": profiler_cost.rows,
        "profile_page": profile_page.rows,
        "fidelity": fidelity.rows,
        "collectives": collectives.rows,
        "survey": survey.rows,
        "verdicts": lambda: verdicts.measured(trials=10, load=1),
        "tune": lambda: tune.rows("redistribution", ["grid=16x32x4"], "mpich", "2min"),
        "under_load": lambda: under_load.rows(CASES, "mpich", pairs=20, load_=10),
    }


def main() -> None:
    """Measure one part after the other, and show each at once and all at the end.

    Arguments: the folders of the programs in C++, for the MPI standard's ABI, for Open MPI 5 and
    for Debian's Open MPI 4, then the parts to measure; without any, all. A part that fails misses
    its goals, and the others are still measured.
    """
    abi, openmpi, debian_openmpi, *chosen = sys.argv[1:]
    every = parts(Path(abi), Path(openmpi), Path(debian_openmpi))
    if unknown := set(chosen) - every.keys():
        sys.exit(f"no part {', '.join(sorted(unknown))}; there are {', '.join(every)}")
    rows: list[Row] = []
    for name in chosen or every:
        try:
            measured = every[name]()
        except (UserError, subprocess.SubprocessError, OSError) as failure:
            measured = [Row(name, inf, 0, 0, f"{failure}")]
        rows += measured
        show(measured)
        sys.stdout.flush()
    sys.exit(show(rows, redistribution.OTHERS))


if __name__ == "__main__":
    main()
