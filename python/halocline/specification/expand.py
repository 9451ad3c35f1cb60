"""The cases of an experiment: every workload at every point of its axes, on every library."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from halocline.base.errors import UserError, UserErrors
from halocline.specification.cases import AxisValue, Case
from halocline.specification.catalogue import Catalogue
from halocline.specification.configuration import Configuration, canonical, layout_of
from halocline.specification.experiment import Experiment, Part


def expand(experiment: Experiment, catalogue: Catalogue) -> tuple[Case, ...]:
    """All cases, in the experiment's order: part, library, settings, ranks, workload, then axes.

    Unsupported cases are included: the driver skips them with the reason. A case that
    several parts have belongs to the first.
    """
    parts = expand_parts(experiment, catalogue)
    return tuple(case for cases in parts for case in cases)


def expand_parts(experiment: Experiment, catalogue: Catalogue) -> tuple[tuple[Case, ...], ...]:
    """The cases of each part that no earlier part has."""
    known: set[Case] = set()
    of_parts: list[tuple[Case, ...]] = []
    for part in experiment.all_parts:
        points = {name: _points(part, catalogue, name) for name in part.workloads}
        cases = [
            Case(name, point, mpi, experiment.machine, ranks, configuration)
            for mpi, (configuration, ranks) in product(
                experiment.mpi, configurations(part, experiment.here)
            )
            for name in part.workloads
            for point in points[name]
        ]
        of_parts.append(tuple(case for case in dict.fromkeys(cases) if case not in known))
        known.update(cases)
    return tuple(of_parts)


def configurations(part: Part, here: bool) -> tuple[tuple[Configuration, int], ...]:
    """Every configuration of a part on every number of ranks; equal ones once."""
    keys = [key for key, _ in part.configuration]
    expanded: list[tuple[Configuration, int]] = []
    for values in product(*(values for _, values in part.configuration)):
        settings = dict(zip(keys, values, strict=True))
        laid_out = "layout" in settings
        fixed = (layout_of(tuple(settings.items()), 0).ranks,) if laid_out else part.ranks
        expanded += [(canonical(settings, ranks, here), ranks) for ranks in fixed]
    return tuple(dict.fromkeys(expanded))


def check_available(experiment: Experiment, catalogues: Mapping[str, Catalogue]) -> None:
    """UserErrors for the protocols named by the experiment that none of its libraries has."""
    problems = []
    named = [name for part in experiment.all_parts for name in dict(part.axes).get("protocol", ())]
    for name in dict.fromkeys(named):
        protocols = [catalogues[mpi].protocol(str(name)) for mpi in experiment.mpi]
        if any(protocol and protocol.available for protocol in protocols):
            continue
        reasons = {protocol.reason for protocol in protocols if protocol}
        libraries = " and ".join(experiment.mpi)
        verb = "does" if len(experiment.mpi) == 1 else "do"
        why = "; ".join(sorted(reasons))
        problem = f"{libraries} {verb} not support protocol {name!r}: {why}"
        remedy = "see `halocline list protocols` for supported ones"
        problems.append(UserError(problem, remedy=remedy))
    if problems:
        raise UserErrors(problems)


def _points(part: Part, catalogue: Catalogue, name: str) -> list[tuple[tuple[str, AxisValue], ...]]:
    workload = catalogue.workload(name)
    if workload is None:
        remedy = "measure again with this version of Halocline"
        raise UserError(f"the catalogue has no workload {name!r}", remedy=remedy)
    given = dict(part.axes)
    axes = [
        [(axis.name, value) for value in given.get(axis.name) or catalogue.defaults(axis)]
        for axis in workload.axes
    ]
    return [tuple(sorted(point)) for point in product(*axes)]
