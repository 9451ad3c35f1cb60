"""Check an MPI library: its version, and that two ranks see each other."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from halocline.base.errors import UserError
from halocline.base.reading import decoded
from halocline.base.toolchain import Family
from halocline.launch.launchers import SIMULATION
from halocline.launch.machine import machine, simulation
from halocline.mpi.children import Finished, run

_COMPILE_TIMEOUT_S = 120.0
_RUN_TIMEOUT_S = 60.0

# Open MPI refuses to start two ranks as root or on a single core without these.
PERMISSIONS = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
}

_FAMILIES = {
    "SMPI": Family.SIMGRID,
    "Intel(R) MPI": Family.INTEL,
    "Open MPI": Family.OPENMPI,
    "Spectrum MPI": Family.OPENMPI,
}

_MARK = "halocline-probe: ranks="
# C++ on purpose: a C wrapper must fail here, not during the driver's build.
_PROBE = """\
#include <cstring>
#include <dlfcn.h>
#include <iostream>
#include <mpi.h>
#include <string>
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0, length = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  MPI_Get_library_version(version, &length);
  Dl_info where{};
  dladdr(dlsym(RTLD_DEFAULT, "MPI_Init"), &where);
  std::string const path = where.dli_fname ? where.dli_fname : "";
  std::string const name(version, std::strcspn(version, "\\n"));
  std::string const seen = "halocline-probe: ranks=" + std::to_string(ranks);
  // Short and in one piece: ranks that are each alone in a world all write.
  if (rank == 0)
    std::cout << seen + '\\n' + path + '\\n' + name + '\\n';
  MPI_Finalize();
}
"""


@dataclass(frozen=True)
class Proof:
    """What an MPI library reports in a world of two ranks."""

    library: str  # first line of MPI_Get_library_version
    library_path: Path | None  # None when linked statically
    ranks: int

    @property
    def family(self) -> Family:
        """Derived from the version; an unknown library is launched like MPICH."""
        return next(
            (family for word, family in _FAMILIES.items() if word in self.library), Family.MPICH
        )


@dataclass(frozen=True)
class Launch:
    """How the programs of one MPI library are started; `family` is None while unknown."""

    family: Family | None
    launcher: Path
    settings: Mapping[str, str]

    def start(self, ranks: int, program: Sequence[str | Path], folder: Path) -> Finished:
        """Run `program` on this host with `ranks` ranks; `folder` is for the launch's files."""
        command: list[str | Path] = [self.launcher, "-n", str(ranks)]
        if self.family is Family.SIMGRID:
            on = simulation(machine("two-nodes"), ranks, folder)
            command += ["-platform", on.platform, "-hostfile", on.hostfile, "-no-privatize"]
            command += [f"--cfg={name}:{value}" for name, value in SIMULATION.items()]
        return run(
            [*command, *program],
            timeout_s=_RUN_TIMEOUT_S,
            settings={**PERMISSIONS, **self.settings},
            cwd=folder,
        )


def compile_probe(wrapper: Path, folder: Path, settings: Mapping[str, str]) -> Path:
    """Compile and link a small MPI program; UserError if `wrapper` is not an MPI C++ wrapper."""
    text, program = folder / "probe.cpp", folder / "probe"
    text.write_text(_PROBE, encoding="utf-8")
    done = run(
        [wrapper, text.name, "-o", program.name],
        timeout_s=_COMPILE_TIMEOUT_S,
        settings=settings,
        cwd=folder,
    )
    if not done.ok or not program.is_file():
        why = done.complaint if not done.ok else "it produced no program"
        raise UserError(
            f"{wrapper} is not a working MPI C++ compiler wrapper: {why}",
            remedy="give the C++ wrapper, often called mpicxx or mpic++",
        )
    return program


def run_probe(launch: Launch, probe: Path) -> Proof:
    """Run the compiled probe at two ranks; UserError unless they form one world."""
    done = launch.start(2, [probe], probe.parent)
    said = done.stdout.splitlines()
    first = next((at for at, line in enumerate(said) if line.startswith(_MARK)), len(said))
    if not done.ok or len(said) < first + 3:
        raise _no_start(launch, done)
    ranks, path, version = said[first : first + 3]
    library = Path(path) if path else None
    return _one_world(Proof(version.strip(), library, int(ranks.removeprefix(_MARK))), launch)


def catalogue_text(launch: Launch, driver: Path) -> str:
    """The driver's catalogue as JSON; UserError if it does not run."""
    with tempfile.TemporaryDirectory(prefix="halocline-") as folder:
        if launch.family is Family.SIMGRID:  # its programs do not run without smpirun
            result = launch.start(1, [driver, "--catalogue"], Path(folder))
        else:
            result = run(
                [driver, "--catalogue"], timeout_s=_RUN_TIMEOUT_S, settings=launch.settings
            )
    if not result.ok:
        raise UserError(
            f"{driver} --catalogue failed: {result.complaint}",
            remedy=f"remove {driver.parent} and try again",
        )
    return result.stdout


def prove(launch: Launch, driver: Path) -> Proof:
    """UserError unless the driver prints its catalogue and starts two ranks in one world."""
    catalogue_text(launch, driver)
    with tempfile.TemporaryDirectory(prefix="halocline-") as name:
        folder = Path(name)
        cases, samples = folder / "cases", folder / "samples.jsonl"
        cases.write_text("proof pingpong bytes=8 protocol=send_recv\n", encoding="utf-8")
        arguments: list[str | Path] = ["--cases", cases, "--output", samples, "--launch", "1"]
        arguments += ["--label", "proof", "--half-width", "1", "--case-seconds", "0.001"]
        arguments += ["--stall-seconds", "30"]
        done = launch.start(2, [driver, *arguments], folder)
        if not done.ok or not samples.is_file():
            raise UserError(
                f"the driver does not run at two ranks under {launch.launcher}: {done.complaint}",
                remedy=f"see what works: {launch.launcher} -n 2 {driver} --catalogue",
            )
        record = samples.read_text(encoding="utf-8").partition("\n")[0]
    return _one_world(_from_start_record(record, driver), launch)


class _Mpi(msgspec.Struct):
    library_version: str
    library_path: str


class _Start(msgspec.Struct):
    """What a driver's start record says about the world."""

    mpi: _Mpi
    ranks: int


def _from_start_record(line: str, driver: Path) -> Proof:
    try:
        start = decoded(line, _Start)
    except ValueError:
        raise UserError(
            f"{driver} wrote a start record that cannot be read: {line[:80]!r}",
            remedy=f"remove {driver.parent} and try again",
        ) from None
    path = start.mpi.library_path
    return Proof(start.mpi.library_version, Path(path) if path else None, start.ranks)


def _one_world(proof: Proof, launch: Launch) -> Proof:
    if proof.ranks != 2:
        raise UserError(
            f"{launch.launcher} starts ranks that do not see each other (each is alone in a world "
            f"of {proof.ranks}): it does not match {proof.library}",
            remedy="name the matching launcher with --launcher PATH",
        )
    return proof


def _no_start(launch: Launch, done: Finished) -> UserError:
    return UserError(
        f"{launch.launcher} does not start two ranks: {done.complaint}",
        remedy="name the library's launcher with --launcher PATH",
    )
