"""What can be named and run here: the driver's catalogue, MPI libraries, simulated machines."""

from __future__ import annotations

import re
import sys
from typing import Any

from halocline.catalogue import Catalogue, from_json, told_by
from halocline.errors import UserError, UserErrors
from halocline.machine import machines
from halocline.mpi import registry
from halocline.mpi.build import abi_driver
from halocline.mpi.lock import Say
from halocline.mpi.toolchain import Toolchain
from halocline.spec import Experiment, Known

_STEP = re.compile(r"\d+/\d+$")  # of a build: too many to show


def own_catalogue() -> dict[str, Any]:
    """What Halocline's own driver tells: names and ranges are every driver's."""
    return told_by(abi_driver(_say), {})


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


def _say(line: str) -> None:
    if not _STEP.search(line):
        print(line, file=sys.stderr, flush=True)
