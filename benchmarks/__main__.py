"""`make bench`: every goal of speed and fidelity beside what is measured here."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks import collectives, fidelity, route_cost, survey
from benchmarks.table import show


def main() -> None:
    """Measure one thing after the other, then show all; argument: the program route-cost."""
    rows = [
        *route_cost.rows(Path(sys.argv[1])),
        *fidelity.rows(),
        *collectives.rows(),
        *survey.rows(),
    ]
    show(rows)


if __name__ == "__main__":
    main()
