"""`make bench`: every goal of speed and fidelity beside what is measured here."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks import collectives, fidelity, redistribution, route_cost, survey
from benchmarks.table import show


def main() -> None:
    """Measure one thing after the other, then show all; arguments: the two programs in C++."""
    rows = [
        *route_cost.rows(Path(sys.argv[1])),
        *redistribution.rows(Path(sys.argv[2])),
        *fidelity.rows(),
        *collectives.rows(),
        *survey.rows(),
    ]
    show(rows, redistribution.OTHERS)


if __name__ == "__main__":
    main()
