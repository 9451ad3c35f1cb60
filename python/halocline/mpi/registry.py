"""The MPI libraries that Halocline can use here: their status; adding, adopting, removing."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from halocline.base.errors import UserError
from halocline.base.parts import scripts
from halocline.base.paths import expanded
from halocline.base.toolchain import Family, Toolchain
from halocline.mpi import identity, records, wheels
from halocline.mpi.build import abi_wrapper, build
from halocline.mpi.children import callers_settings
from halocline.mpi.establish import (
    Recipe,
    driver_of,
    establish,
    key_now,
    launchers_of,
)
from halocline.mpi.lock import Say, only_one
from halocline.mpi.records import Record


class Status(StrEnum):
    """A library's status; all except ABSENT and BROKEN become ready on first use."""

    READY = "ready"
    UNUSED = "installed, not used yet"
    CHANGED = "changed since it was added"
    BROKEN = "broken"
    ABSENT = "not installed"


@dataclass(frozen=True)
class Known:
    """An MPI library that is or can be installed; `remedy` is the command that makes it ready."""

    name: str
    summary: str
    status: Status
    remedy: str
    toolchain: Toolchain | None = None


_SUMMARIES = {
    "mpich": "MPICH 5, the default: comes with Halocline",
    **{name: wheel.summary for name, wheel in wheels.WHEELS.items()},
    "simgrid": "SimGrid's SMPI: simulated machines",
}
_INSTALLED_BY = {
    "mpich": "pip install --force-reinstall mpich==5.0.2",
    "simgrid": "apt install libsimgrid-dev",
}
_NAME = re.compile(r"[a-z0-9][a-z0-9._+-]{0,99}")


def quiet(_: str) -> None:
    """Ignores the progress of long work."""


def known() -> tuple[Known, ...]:
    """Every library that is or can be installed: Halocline's own first, then adopted ones."""
    adopted = [name for name in records.names() if name not in _SUMMARIES]
    return tuple(_look(name) for name in (*_SUMMARIES, *adopted))


def toolchains() -> tuple[Toolchain, ...]:
    """The libraries that are ready to run."""
    return tuple(entry.toolchain for entry in known() if entry.toolchain)


def toolchain(name: str, say: Say = quiet) -> Toolchain:
    """The library of this name, made ready if that only needs a build.

    UserError if it is unknown, not installed, or broken, with the command that fixes it.
    """
    names = dict.fromkeys((*_SUMMARIES, *records.names()))
    if name not in names:
        raise UserError(
            f"no MPI library is called {name!r}",
            allowed=", ".join(names),
            remedy=f"adopt it with: {_adopting(name)}",
        )
    entry = _look(name)
    if entry.toolchain:
        return entry.toolchain
    if entry.status in (Status.ABSENT, Status.BROKEN):
        raise UserError(
            f"MPI library {name} is {entry.status}", remedy=f"fix it with: {entry.remedy}"
        )
    if entry.status is Status.CHANGED:
        say(f"{name}: it, its compiler or Halocline has changed; setting it up again")
    return _make_ready(name, _recipe(name, records.load(name)), say)


def with_flags(toolchain: Toolchain, flags: str, say: Say) -> Toolchain:
    """The toolchain with a driver built with `flags` instead of -O3.

    If the driver for the standard ABI runs on the library, that one is rebuilt.
    """
    record = records.load(toolchain.name)
    if record is None:
        raise UserError(
            f"MPI library {toolchain.name} is not ready",
            remedy=f"add it with: halocline mpi add {toolchain.name}",
        )
    wrapper = record.wrapper or abi_wrapper()
    settings = record.settings if record.wrapper else {}
    library = record.library_path if record.wrapper else None
    named = identity.of_wrapper(wrapper, library, settings, record.compiler)
    named = replace(named, flags=flags)
    return replace(toolchain, driver=build(wrapper, named, settings, say))


def add(name: str, say: Say = quiet) -> Toolchain:
    """Install a library known to Halocline, unless installed, and make it ready."""
    if name not in _SUMMARIES:
        raise UserError(
            f"{name!r} is not an MPI library that Halocline can install",
            allowed=", ".join(_SUMMARIES),
            remedy="for another one: halocline mpi adopt PATH/TO/mpicxx",
        )
    if name in wheels.WHEELS:
        with only_one(
            records.folder() / f"{name}.lock", f"{name}: another process is adding it", say
        ):
            if _look(name).status in (Status.ABSENT, Status.BROKEN):
                records.forget(name)
                wheels.install(name, say)
                try:
                    return _make_ready(name, _recipe(name, None), say)
                except BaseException:
                    shutil.rmtree(wheels.home(name), ignore_errors=True)
                    raise
    return toolchain(name, say)


def adopt(
    wrapper: Path, name: str | None = None, launcher: Path | None = None, say: Say = quiet
) -> Toolchain:
    """Make a site's own MPI library ready, given its C++ compiler wrapper.

    Works without the caller's MPI settings (LD_LIBRARY_PATH, UCX_…); if that fails, with them,
    and then they are recorded. The default name is derived from the library's version.
    """
    _check_name(name)
    wrapper = _file(wrapper, "MPI compiler wrapper")
    launchers = (_file(launcher, "launcher"),) if launcher else launchers_of(wrapper)
    family = Family.SIMGRID if wrapper.name.startswith("smpi") else None
    label = name or wrapper.name
    try:
        record = establish(label, Recipe(family, wrapper, launchers, {}), say)
    except UserError:
        settings = callers_settings()
        if not settings:
            raise
        say(f"{label}: trying again with {', '.join(sorted(settings))} as set here")
        record = establish(label, Recipe(family, wrapper, launchers, settings), say)
    if name is None:
        name = f"{record.family}-{_toolchain(record).version}"
    earlier = records.load(name)
    if earlier and earlier.wrapper != wrapper:
        raise UserError(
            f"the name {name} is already used for {earlier.wrapper}",
            remedy="choose another with --name NAME",
        )
    return _remember(name, record)


def remove(name: str) -> None:
    """Remove a library, and what Halocline installed and built for it."""
    installed = name in wheels.WHEELS and wheels.home(name).is_dir()
    if (name == "mpich" and not _damaged(name)) or not (installed or name in records.names()):
        removable = [other for other in records.names() if other != "mpich"]
        raise UserError(
            f"MPI library {name!r} was not added",
            allowed=", ".join(removable) or "none was added",
            remedy="list them with: halocline mpi list",
        )
    record = _readable(name)
    records.forget(name)
    if name in wheels.WHEELS:
        shutil.rmtree(wheels.home(name), ignore_errors=True)
    other_keys = {other.key for other in map(_readable, records.names()) if other}
    if record and record.wrapper and record.key not in other_keys:
        shutil.rmtree(driver_of(record).parent, ignore_errors=True)


def _damaged(name: str) -> bool:
    return name in records.names() and _readable(name) is None


def _readable(name: str) -> Record | None:
    """The record; None if damaged, which may be why it is being removed."""
    try:
        return records.load(name)
    except UserError:
        return None


def _look(name: str) -> Known:
    """The status of one library, without building anything."""
    summary = _SUMMARIES.get(name, "adopted")
    adding = f"halocline mpi add {name}"
    try:
        record = records.load(name)
    except UserError:
        return Known(name, summary, Status.BROKEN, f"halocline mpi remove {name}")
    if record is None and name not in _SUMMARIES:  # removed since its name was read
        return Known(name, summary, Status.ABSENT, _adopting(name))
    recipe = _recipe(name, record)
    missing = [path for path in (recipe.wrapper, *recipe.launchers) if path and not path.is_file()]
    if missing or not recipe.launchers:
        if name in _SUMMARIES:
            return Known(name, summary, Status.ABSENT, _INSTALLED_BY.get(name, adding))
        remedy = f"halocline mpi remove {name}, then adopt it where it is now"
        return Known(name, f"adopted; {missing[0]} is gone", Status.BROKEN, remedy)
    if record is None:
        if name in wheels.WHEELS and not wheels.complete(name):
            interrupted = f"{summary}; its installation was interrupted"
            return Known(name, interrupted, Status.BROKEN, adding)
        return Known(name, summary, Status.UNUSED, adding)
    if name not in _SUMMARIES:
        summary = f"adopted from {record.wrapper}"
        adding = shlex.join(["halocline", "mpi", "adopt", str(record.wrapper), "--name", name])
    if key_now(recipe, record) != record.key or not driver_of(record).is_file():
        return Known(name, summary, Status.CHANGED, adding)
    return Known(name, summary, Status.READY, "", _toolchain(record))


def _adopting(name: str) -> str:
    return f"halocline mpi adopt PATH/TO/mpicxx --name {name}"


def _recipe(name: str, record: Record | None) -> Recipe:
    """The current recipe for setting up a library."""
    programs = wheels.home(name) / "bin"
    match name:
        case "mpich":
            return Recipe(Family.MPICH, None, (scripts() / "mpiexec",), {})
        case "intel":
            # Its own libraries come before those that the driver was linked with.
            folder = str(wheels.home(name) / "lib")
            settings = {"LD_LIBRARY_PATH": folder, "FI_PROVIDER_PATH": folder}
            return Recipe(Family.INTEL, None, (programs / "mpiexec",), settings)
        case "openmpi":
            return Recipe(Family.OPENMPI, programs / "mpicxx", (programs / "mpiexec",), {})
        case "simgrid":
            wrapper, launcher = shutil.which("smpicxx"), shutil.which("smpirun")
            launchers = (Path(launcher),) if launcher else ()
            return Recipe(Family.SIMGRID, Path(wrapper or "smpicxx"), launchers, {})
    if record is None:
        raise ValueError(f"no recipe for {name}")
    return Recipe(record.family, record.wrapper, (record.launcher,), record.settings)


def _make_ready(name: str, recipe: Recipe, say: Say) -> Toolchain:
    return _remember(name, establish(name, recipe, say))


def _remember(name: str, record: Record) -> Toolchain:
    named = replace(record, name=name)
    records.save(named)
    return _toolchain(named)


def _toolchain(record: Record) -> Toolchain:
    return Toolchain(
        name=record.name,
        family=record.family,
        library=record.library,
        launcher=record.launcher,
        driver=driver_of(record),
        environment=record.settings,
    )


def _check_name(name: str | None) -> None:
    if name is None:
        return
    if name in _SUMMARIES:
        raise UserError(f"the name {name} is reserved", remedy="choose another with --name NAME")
    if not _NAME.fullmatch(name):
        raise UserError(
            f"{name!r} cannot be the name of an MPI library",
            allowed="up to 100 lower-case letters, digits and ._+-, a letter or a digit first",
            remedy="choose another with --name NAME",
        )


def _file(path: Path, what: str) -> Path:
    """The absolute path of a program, which may be one of PATH; UserError if it is not one."""
    if path.name == str(path) and not path.exists():
        path = Path(shutil.which(path) or path)
    path = expanded(path).absolute()
    problem = (
        "does not exist"
        if not path.exists()
        else "is a folder"
        if path.is_dir()
        else "is not executable"
        if not os.access(path, os.X_OK)
        else ""
    )
    if problem:
        raise UserError(
            f"{path} {problem}", remedy=f"give the path of the {what}, e.g. $(which mpicxx)"
        )
    return path
