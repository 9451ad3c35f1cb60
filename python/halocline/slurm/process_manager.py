"""Which of Slurm's process managers (srun --mpi=…) an MPI library understands."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Mapping
from functools import cache

from halocline.base.errors import UserError, UserErrors
from halocline.base.toolchain import Family, Toolchain
from halocline.specification.configuration import SRUN
from halocline.specification.experiment import Experiment

_WHERE = "--launcher srun"
_OTHERWISE = "use --launcher mpiexec"
_TIMEOUT_S = 30.0
# srun's own variable; it takes precedence if the user sets it.
_CHOSEN = "SLURM_MPI_TYPE"
_UNDERSTOOD = {Family.MPICH: "pmi2", Family.INTEL: "pmi2", Family.OPENMPI: "pmix"}
# A type is on a line by itself, in some versions after "srun: ".
_TYPE = re.compile(r"^(?:srun:)?\s*(\w+)$", re.MULTILINE)


def process_manager(family: Family, environment: Mapping[str, str] | None = None) -> str:
    """The type for `srun --mpi=`; UserError if Slurm has none that the library understands.

    With another one, srun silently starts separate worlds of one rank each.
    """
    variables = os.environ if environment is None else environment
    if chosen := variables.get(_CHOSEN):
        return chosen
    return choose(family, types_listed(_listing()))


def check_process_managers(experiment: Experiment, toolchains: Iterable[Toolchain]) -> None:
    """UserErrors if srun has no process manager for a library it should start."""
    problems = []
    if SRUN in experiment.swept("launcher"):
        for toolchain in toolchains:
            try:
                process_manager(toolchain.family)
            except UserError as problem:
                problems.append(problem)
    if problems:
        raise UserErrors({str(problem): problem for problem in problems}.values())


def choose(family: Family, offered: Iterable[str]) -> str:
    """The offered type that the library understands; UserError without one."""
    understood = _UNDERSTOOD.get(family)
    if understood is None:
        raise UserError(f"srun cannot start {family}", where=_WHERE, remedy=_OTHERWISE)
    if understood not in offered:
        raise UserError(
            f"this Slurm does not offer srun --mpi={understood}, which {family} needs",
            where=_WHERE,
            allowed=", ".join(sorted(offered)) or "none",
            remedy=f"{_OTHERWISE}, or set {_CHOSEN} to a type that the library understands",
        )
    return understood


def types_listed(listing: str) -> tuple[str, ...]:
    """The types in what `srun --mpi=list` prints."""
    return tuple(_TYPE.findall(listing))


@cache
def _listing() -> str:
    try:
        done = subprocess.run(
            ["srun", "--mpi=list"],
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,  # the stream with the list depends on the version
            text=True,
            errors="replace",
            timeout=_TIMEOUT_S,
        )
    except FileNotFoundError:
        raise UserError("srun is not on PATH", where=_WHERE, remedy=_OTHERWISE) from None
    except (OSError, subprocess.TimeoutExpired) as error:
        why = error.strerror if isinstance(error, OSError) else "no answer"
        raise UserError(f"srun --mpi=list failed: {why}", where=_WHERE, remedy=_OTHERWISE) from None
    if done.returncode != 0:
        why = (done.stdout.strip().splitlines() or ["it failed without an error message"])[-1]
        raise UserError(f"srun --mpi=list failed: {why}", where=_WHERE, remedy=_OTHERWISE)
    return done.stdout
