"""What is available here: the driver's catalogue, MPI libraries, simulated machines."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from halocline.base.errors import UserError, UserErrors
from halocline.base.toolchain import Family, Toolchain
from halocline.launch.machine import machines
from halocline.mpi import registry
from halocline.mpi.build import abi_driver
from halocline.mpi.lock import Say
from halocline.mpi.proof import Launch, catalogue_text
from halocline.specification.catalogue import Catalogue, from_json, from_text
from halocline.specification.configuration import built_name
from halocline.specification.experiment import Experiment
from halocline.specification.spec import Known

_TEXTS: dict[tuple[object, ...], str] = {}
_STEP = re.compile(r": \d+/\d+$")


def own_catalogue() -> dict[str, Any]:
    """The catalogue of Halocline's own driver; names and ranges are the same for all drivers."""
    driver = abi_driver(_without_steps(lambda line: print(line, file=sys.stderr, flush=True)))
    return catalogue_in(driver)


def catalogue() -> Catalogue:
    """The catalogue of Halocline's own driver, typed."""
    return from_json(own_catalogue())


def catalogue_in(driver: Path) -> dict[str, Any]:
    """The catalogue of a driver for a real machine; UserError if it does not run."""
    return from_text(_text(Launch(Family.MPICH, driver, {}), driver), driver)


def catalogue_of(toolchain: Toolchain) -> Catalogue:
    """What a library can do."""
    launch = Launch(toolchain.family, toolchain.launcher, toolchain.environment)
    return from_json(from_text(_text(launch, toolchain.driver), toolchain.driver))


def _text(launch: Launch, driver: Path) -> str:
    """A driver's catalogue, cached while the file is unchanged."""
    built_ns = driver.stat().st_mtime_ns if driver.exists() else 0
    key = (launch.family, launch.launcher, tuple(sorted(launch.settings.items())), driver, built_ns)
    if key not in _TEXTS:
        _TEXTS[key] = catalogue_text(launch, driver)
    return _TEXTS[key]


def known() -> Known:
    """What an experiment may name here."""
    return Known(
        catalogue=catalogue(),
        mpis=tuple(entry.name for entry in registry.known()),
        machines=tuple(machine.name for machine in machines()),
    )


def toolchains_of(experiment: Experiment, say: Say) -> dict[str, Toolchain]:
    """The experiment's libraries by name, ready to run; empty if no MPI runs at all.

    With compiler flags swept, each set of flags has an entry, such as `mpich flags=-O2`.
    UserErrors names every one that is unavailable.
    """
    toolchains: dict[str, Toolchain] = {}
    problems: list[UserError] = []
    said = _without_steps(say)
    for name in () if experiment.mocked else experiment.mpi:
        try:
            toolchains[name] = registry.toolchain(name, said)
            for flags in experiment.flags:
                toolchains[built_name(name, flags)] = registry.with_flags(
                    toolchains[name], flags, said
                )
        except UserError as problem:
            problems.append(problem)
    if problems:
        raise UserErrors(problems)
    return toolchains


def catalogues_of(experiment: Experiment, toolchains: dict[str, Toolchain]) -> dict[str, Catalogue]:
    """Each library's catalogue; a mock's is that of Halocline's own driver."""
    if experiment.mocked:
        return dict.fromkeys(experiment.mpi, catalogue())
    return {name: catalogue_of(toolchains[name]) for name in experiment.mpi}


def _without_steps(say: Say) -> Say:
    """Hides the numbered build steps: too many to show."""
    return lambda line: None if _STEP.search(line) else say(line)
