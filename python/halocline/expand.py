"""The cases of an experiment: every workload at every point of its axes, on every library."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from halocline.cases import AxisValue, Case
from halocline.catalogue import Catalogue
from halocline.configuration import Configuration, canonical, layout_of
from halocline.errors import UserError, UserErrors
from halocline.spec import Experiment


def expand(experiment: Experiment, catalogue: Catalogue) -> tuple[Case, ...]:
    """All cases, in the experiment's order: library, configuration, ranks, workload, then axes.

    Cases that a library lacks are among them: its driver skips them with the reason.
    """
    points = {name: _points(experiment, catalogue, name) for name in experiment.workloads}
    machine = experiment.machine
    return tuple(
        Case(name, point, mpi, machine, ranks, configuration)
        for mpi, (configuration, ranks) in product(experiment.mpi, configurations(experiment))
        for name in experiment.workloads
        for point in points[name]
    )


def configurations(experiment: Experiment) -> tuple[tuple[Configuration, int], ...]:
    """Every configuration of an experiment on every number of ranks; equal ones once."""
    keys = [key for key, _ in experiment.configuration]
    found: list[tuple[Configuration, int]] = []
    for values in product(*(values for _, values in experiment.configuration)):
        settings = dict(zip(keys, values, strict=True))
        laid_out = "layout" in settings
        fixed = (layout_of(tuple(settings.items()), 0).ranks,) if laid_out else experiment.ranks
        for ranks in fixed:
            found.append((canonical(settings, ranks, experiment.here), ranks))
    return tuple(dict.fromkeys(found))


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


def _points(
    experiment: Experiment, catalogue: Catalogue, name: str
) -> list[tuple[tuple[str, AxisValue], ...]]:
    workload = catalogue.workload(name)
    if workload is None:
        remedy = "measure again with this version of Halocline"
        raise UserError(f"the catalogue has no workload {name!r}", remedy=remedy)
    given = dict(experiment.axes)
    axes = [
        [(axis.name, value) for value in given.get(axis.name) or catalogue.defaults(axis)]
        for axis in workload.axes
    ]
    return [tuple(sorted(point)) for point in product(*axes)]
