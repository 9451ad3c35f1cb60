"""Programs that are profiled: their sources lie here, and their counts are known."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from halocline.base.parts import scripts
from halocline.base.paths import data_home
from halocline.launch.launchers import SLEEPS
from halocline.mpi.proof import PERMISSIONS
from halocline.profile.parts import part_called_mpi
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
    """The library; ranks of MPICH sleep without a core, as other tests run at the same time."""
    own, debian, added = scripts(), Path("/usr/bin"), data_home() / "mpi"
    intel = added / "intel"
    return {
        "mpich-abi": Library(own / "mpicc_abi", own / "mpiexec", "mpi-5", SLEEPS),
        "mpich-5": Library(own / "mpicc", own / "mpiexec", "mpich", SLEEPS),
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
        self._built: dict[tuple[str, ...], Path] = {}

    def build(self, name: str, source: str, *more: str) -> Path:
        """The program, compiled with a library's wrapper and these flags."""
        key = (name, source, *more)
        if key not in self._built:
            program = self._folder / f"{Path(source).stem}-{name}-{len(self._built)}"
            wrapper = library_of(name).wrapper
            if shutil.which(wrapper) is None:
                pytest.fail(f"{wrapper} is missing; install it: make .venv/made/mpis")
            flags = ["-g", "-O1", "-pthread", *more]
            if Path(source).suffix != ".c":
                wrapper = wrapper.with_name(wrapper.name.replace("mpicc", "mpifort"))
                flags.append("-fallow-argument-mismatch")  # MPI takes buffers of every type
            words = [wrapper, *flags, SOURCES / source, "-o", program]
            subprocess.run(list(map(str, words)), check=True)
            self._built[key] = program
        return self._built[key]

    @staticmethod
    def environment(name: str) -> dict[str, str]:
        """In which the library's programs run."""
        return {**os.environ, **library_of(name).settings}

    def profile(
        self, name: str, *command: str | Path, ranks: int, folder: Path, limit_s: float = 100
    ) -> Profiled:
        """Run a command at so many ranks under `halocline profile`."""
        with self.started(name, *command, ranks=ranks, folder=folder) as job:
            out, err = job.communicate(timeout=limit_s)
        return Profiled(job.returncode, out, err, folder)

    def started(
        self, name: str, *command: str | Path, ranks: int, folder: Path
    ) -> subprocess.Popen[str]:
        """The same, while it runs: a process group of its own."""
        library = library_of(name)
        words: list[str | Path] = [scripts() / "halocline", "profile", "-o", folder, "--"]
        words += [library.launcher, "-n", str(ranks), *command]
        return subprocess.Popen(
            list(map(str, words)),
            env=self.environment(name),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )


def wait_for_calls(folder: Path, ranks: int, calls: int) -> Profile:
    """A profile that is still being recorded, once each rank has made so many calls."""
    give_up = time.monotonic() + 60
    while time.monotonic() < give_up:
        if sum(part_called_mpi(part) for part in folder.glob("*.part")) == ranks:
            profile = load(folder)
            if len(profile.ranks) == ranks and min(r.calls for r in profile.ranks) >= calls:
                return profile
        time.sleep(0.1)
    pytest.fail(f"{folder} never had {calls} calls of {ranks} ranks")


def total(profile: Profile, rank: int, name: str | None = None) -> int:
    """How often the rank called the function, or any."""
    chosen = profile.calls.rank == rank
    if name is not None:
        chosen &= profile.calls.function == profile.functions.index(f"MPI_{name}")
    return int(profile.calls.count[chosen].sum())
