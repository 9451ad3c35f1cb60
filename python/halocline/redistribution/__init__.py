"""Move fields in NumPy arrays between layouts over the ranks of a communicator.

from mpi4py import MPI
from halocline.redistribution import Layout, Redistribution, Route, even, whole

rows = Layout([even(384, MPI.COMM_WORLD.size), whole(320)])
columns = Layout([whole(384), even(320, MPI.COMM_WORLD.size)])
route = Route(rows, columns, MPI.COMM_WORLD)
with Redistribution(route, [temperature], [turned]) as redistribution:
    redistribution.run()

Redistributions, halos and memory must be freed, on all ranks together: by `with` or `free()`.
"""

from halocline.redistribution.halo import Fold, Halo, HaloRoute
from halocline.redistribution.layout import (
    NOBODY,
    Block,
    Cut,
    Layout,
    Points,
    Relabelling,
    at,
    cyclic,
    even,
    numbers_in,
    whole,
)
from halocline.redistribution.library import RedistributionError
from halocline.redistribution.memory import AdoptedMemory, NodeMemory
from halocline.redistribution.redistribution import Redistribution, WayTaken
from halocline.redistribution.route import Description, Route

__all__ = [
    "NOBODY",
    "AdoptedMemory",
    "Block",
    "Cut",
    "Description",
    "Fold",
    "Halo",
    "HaloRoute",
    "Layout",
    "NodeMemory",
    "Points",
    "Redistribution",
    "RedistributionError",
    "Relabelling",
    "Route",
    "WayTaken",
    "at",
    "cyclic",
    "even",
    "numbers_in",
    "whole",
]
