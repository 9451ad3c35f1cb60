"""The cases of an experiment: every workload at every point of its axes, on every library."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from halocline.cases import AxisValue, Case
from halocline.catalogue import Catalogue
from halocline.errors import UserError, UserErrors
from halocline.spec import Experiment


def expand(experiment: Experiment, catalogue: Catalogue) -> tuple[Case, ...]:
    """All cases, in the experiment's order: library, ranks, workload, then its axes.

    Cases that a library lacks are among them: its driver skips them with the reason.
    """
    cases: list[Case] = []
    for mpi, ranks, name in product(experiment.mpi, experiment.ranks, experiment.workloads):
        points = product(*_axes(experiment, catalogue, name))
        cases += [
            Case(name, tuple(sorted(point)), mpi, experiment.machine, ranks) for point in points
        ]
    return tuple(cases)


def check_available(experiment: Experiment, catalogues: Mapping[str, Catalogue]) -> None:
    """UserErrors for the protocols named by the experiment that none of its libraries has."""
    problems = []
    for name in dict(experiment.axes).get("protocol", ()):
        found = [catalogues[mpi].protocol(str(name)) for mpi in experiment.mpi]
        if any(protocol and protocol.available for protocol in found):
            continue
        reasons = {protocol.reason for protocol in found if protocol}
        libraries = " and ".join(experiment.mpi)
        what = f"{libraries} cannot do protocol {name!r}: {'; '.join(sorted(reasons))}"
        remedy = "see `halocline list protocols` for what it can"
        problems.append(UserError(what, remedy=remedy))
    if problems:
        raise UserErrors(problems)


def _axes(
    experiment: Experiment, catalogue: Catalogue, name: str
) -> list[list[tuple[str, AxisValue]]]:
    workload = catalogue.workload(name)
    if workload is None:
        remedy = "measure again with this version of Halocline"
        raise UserError(f"the catalogue has no workload {name!r}", remedy=remedy)
    given = dict(experiment.axes)
    return [
        [(axis.name, value) for value in given.get(axis.name) or catalogue.defaults(axis)]
        for axis in workload.axes
    ]
