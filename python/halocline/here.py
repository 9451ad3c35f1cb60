"""What can be named and run here: the driver's catalogue, MPI libraries, simulated machines."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from halocline.catalogue import Catalogue, from_json, from_text
from halocline.configuration import built_name
from halocline.errors import UserError, UserErrors
from halocline.experiment import Experiment
from halocline.machine import machines
from halocline.mpi import registry
from halocline.mpi.build import abi_driver
from halocline.mpi.flags import with_flags
from halocline.mpi.lock import Say
from halocline.mpi.proof import Launch, catalogue_text
from halocline.mpi.toolchain import Family, Toolchain
from halocline.spec import Known

_TEXTS: dict[tuple[object, ...], str] = {}
_STEP = re.compile(r": \d+/\d+$")


def own_catalogue() -> dict[str, Any]:
    """What Halocline's own driver tells: names and ranges are every driver's."""
    driver = abi_driver(_without_steps(lambda line: print(line, file=sys.stderr, flush=True)))
    return told_by(driver)


def told_by(driver: Path) -> dict[str, Any]:
    """What a driver for a real machine tells; UserError if it does not run."""
    return from_text(_text(Launch(Family.MPICH, driver, {}), driver), driver)


def catalogue_of(toolchain: Toolchain) -> Catalogue:
    """What a library can do."""
    launch = Launch(toolchain.family, toolchain.launcher, toolchain.environment)
    return from_json(from_text(_text(launch, toolchain.driver), toolchain.driver))


def _text(launch: Launch, driver: Path) -> str:
    """What a driver tells. It is asked once, as long as it is the same file."""
    built_ns = driver.stat().st_mtime_ns if driver.exists() else 0
    key = (launch.family, launch.launcher, tuple(sorted(launch.settings.items())), driver, built_ns)
    if key not in _TEXTS:
        _TEXTS[key] = catalogue_text(launch, driver)
    return _TEXTS[key]


def known() -> Known:
    """What an experiment may name here."""
    return Known(
        catalogue=from_json(own_catalogue()),
        mpis=tuple(entry.name for entry in registry.known()),
        machines=tuple(machine.name for machine in machines()),
    )


def toolchains_of(experiment: Experiment, say: Say) -> dict[str, Toolchain]:
    """The experiment's libraries by name, made ready; none if no MPI is run at all.

    Where it sweeps compiler flags there is one for each besides, as in `mpich flags=-O2`.
    UserErrors names every one that cannot be.
    """
    found: dict[str, Toolchain] = {}
    problems: list[UserError] = []
    said = _without_steps(say)
    for name in () if experiment.mocked else experiment.mpi:
        try:
            found[name] = registry.toolchain(name, said)
            for flags in experiment.flags:
                found[built_name(name, flags)] = with_flags(found[name], flags, said)
        except UserError as problem:
            problems.append(problem)
    if problems:
        raise UserErrors(problems)
    return found


def catalogues_of(experiment: Experiment, toolchains: dict[str, Toolchain]) -> dict[str, Catalogue]:
    """What each library of the experiment can do; a mock one can do what Halocline's own can."""
    if experiment.mocked:
        return dict.fromkeys(experiment.mpi, from_json(own_catalogue()))
    return {name: catalogue_of(toolchains[name]) for name in experiment.mpi}


def _without_steps(say: Say) -> Say:
    """Leaves out the numbered steps of a build: they are too many to show."""
    return lambda line: None if _STEP.search(line) else say(line)
