"""Programs that are profiled: their sources lie here, and their counts are known."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from halocline.mpi.parts import scripts
from halocline.mpi.proof import PERMISSIONS
from halocline.paths import data_home
from halocline.profile.profile import Profile
from halocline.profile.store import load

SOURCES = Path(__file__).parent / "sources"


@dataclass(frozen=True)
class Library:
    """An MPI library: its compiler wrappers and its launcher."""

    wrapper: Path
    launcher: Path
    abi: str
    settings: Mapping[str, str] = field(default_factory=dict)


def library_of(name: str) -> Library:
    own, debian, added = scripts(), Path("/usr/bin"), data_home() / "mpi"
    intel = added / "intel"
    return {
        "mpich-abi": Library(own / "mpicc_abi", own / "mpiexec", "mpi-5"),
        "mpich-5": Library(own / "mpicc", own / "mpiexec", "mpich"),
        "debian-mpich": Library(debian / "mpicc.mpich", debian / "mpiexec.mpich", "mpich"),
        "debian-openmpi": Library(
            debian / "mpicc.openmpi", debian / "mpiexec.openmpi", "openmpi", PERMISSIONS
        ),
        "openmpi-5": Library(
            added / "openmpi/bin/mpicc", added / "openmpi/bin/mpiexec", "openmpi", PERMISSIONS
        ),
        "intel": Library(
            own / "mpicc_abi",
            intel / "bin/mpiexec",
            "mpi-5",
            {"LD_LIBRARY_PATH": str(intel / "lib")},
        ),
    }[name]


LIBRARIES = ("mpich-abi", "mpich-5", "debian-mpich", "debian-openmpi", "openmpi-5", "intel")


@dataclass(frozen=True)
class Profiled:
    """How a profiled command ended, and what was recorded."""

    code: int
    out: str
    err: str
    folder: Path

    @property
    def profile(self) -> Profile:
        assert self.folder.is_dir(), self.err
        return load(self.folder)


class Programs:
    """Builds programs once and profiles them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._built: dict[tuple[str, str], Path] = {}

    def build(self, name: str, source: str) -> Path:
        """The program, compiled with a library's wrapper."""
        key = (name, source)
        if key not in self._built:
            program = self._folder / f"{Path(source).stem}-{name}"
            wrapper = library_of(name).wrapper
            if shutil.which(wrapper) is None:
                pytest.fail(f"{wrapper} is missing; install it: make .venv/made/mpis")
            words = [wrapper, "-g", "-O1", "-pthread", SOURCES / source, "-o", program]
            subprocess.run(list(map(str, words)), check=True)
            self._built[key] = program
        return self._built[key]

    def profile(
        self, name: str, *command: str | Path, ranks: int, folder: Path, **settings: str
    ) -> Profiled:
        """Run a command at so many ranks under `halocline profile`."""
        library = library_of(name)
        words = [scripts() / "halocline", "profile", "-o", folder, "--"]
        words += [library.launcher, "-n", str(ranks), *command]
        ended = subprocess.run(
            list(map(str, words)),
            env={**os.environ, **library.settings, **settings},
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        return Profiled(ended.returncode, ended.stdout, ended.stderr, folder)
