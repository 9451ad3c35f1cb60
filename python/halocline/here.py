"""What can be named and run here: the driver's catalogue, MPI libraries, simulated machines."""

from __future__ import annotations

from typing import Any

from halocline.catalogue import Catalogue, from_json, told_by
from halocline.errors import UserError, UserErrors
from halocline.machine import machines
from halocline.mpi import parts, registry
from halocline.mpi.lock import Say
from halocline.mpi.toolchain import Toolchain
from halocline.spec import Experiment, Known


def own_catalogue() -> dict[str, Any]:
    """What the driver that came with Halocline tells: names and ranges are every driver's."""
    driver = parts.bundled_driver()
    if driver is None:
        raise UserError(
            "this installation of Halocline lacks its driver",
            remedy="install it again: pip install --force-reinstall halocline",
        )
    return told_by(driver, {})


def known() -> Known:
    """What an experiment may name here."""
    return Known(
        catalogue=from_json(own_catalogue()),
        mpis=tuple(entry.name for entry in registry.known()),
        machines=tuple(machine.name for machine in machines()),
    )


def toolchains_of(experiment: Experiment, say: Say) -> dict[str, Toolchain]:
    """The experiment's libraries by name, made ready; none if no MPI is run at all.

    UserErrors names every one that cannot be.
    """
    found: dict[str, Toolchain] = {}
    problems: list[UserError] = []
    for name in () if experiment.mocked else experiment.mpi:
        try:
            found[name] = registry.toolchain(name, say)
        except UserError as problem:
            problems.append(problem)
    if problems:
        raise UserErrors(problems)
    return found


def catalogues_of(experiment: Experiment, toolchains: dict[str, Toolchain]) -> dict[str, Catalogue]:
    """What each library of the experiment can do; a mock one can do what Halocline's own can."""
    if experiment.mocked:
        return dict.fromkeys(experiment.mpi, from_json(own_catalogue()))
    return {
        name: from_json(told_by(toolchain.driver, toolchain.environment))
        for name, toolchain in toolchains.items()
    }
