"""The software that affects the figures: variables, versions, tools."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import halocline

_MPI_PREFIXES = (
    "FI_", "HCOLL_", "HYDRA_", "I_MPI_", "MPICH_", "MPIEXEC_", "MPIR_", "MV2_", "MVP_", "OMPI_",
    "OPAL_", "PMI_", "PMIX_", "PMI2_", "PRTE_", "PSM2_", "PSM3_", "SMPI_", "UCX_", "UCC_",
)  # fmt: skip
_LOADER_VARIABLES = ("LD_LIBRARY_PATH", "LD_PRELOAD")
_SLURM_VARIABLES = (
    "SLURM_CPUS_PER_TASK", "SLURM_CPU_BIND", "SLURM_DISTRIBUTION", "SLURM_HINT", "SLURM_JOB_ID",
    "SLURM_JOB_NODELIST", "SLURM_JOB_NUM_NODES", "SLURM_JOB_PARTITION", "SLURM_MPI_TYPE",
    "SLURM_NTASKS", "SLURM_OVERSUBSCRIBE", "SLURM_TASKS_PER_NODE",
)  # fmt: skip
_PACKAGES = ("mpich", "numpy", "scipy", "scipy-openblas32", "altair", "vl-convert-python")
_TOOLS = ("c++", "smpirun")  # build for other MPI libraries; simulate machines


def mpi_variables(variables: Mapping[str, str]) -> dict[str, str]:
    """Variables that select or configure an MPI library, its transport or its launcher."""
    return {
        name: value
        for name, value in sorted(variables.items())
        if name.startswith(_MPI_PREFIXES) or name in _LOADER_VARIABLES
    }


def slurm_variables(variables: Mapping[str, str]) -> dict[str, str]:
    """How Slurm placed this job; empty outside one."""
    return {name: variables[name] for name in _SLURM_VARIABLES if name in variables}


def optional_tools(variables: Mapping[str, str]) -> dict[str, str | None]:
    """The paths of programs that some commands need; None if not on PATH."""
    path = variables.get("PATH", "")
    return {tool: shutil.which(tool, path=path) for tool in _TOOLS}


def package_versions() -> dict[str, str | None]:
    """Versions of the Python packages behind the figures; None if not installed."""
    return {name: _version(name) for name in _PACKAGES}


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def revision() -> dict[str, Any]:
    """Halocline's version, and in a git checkout its commit and whether it is modified."""
    package = Path(halocline.__file__).parent
    checkout = package.parents[1]
    facts: dict[str, Any] = {"version": halocline.__version__, "revision": None, "modified": None}
    if package != checkout / "python/halocline" or not (checkout / ".git").exists():
        return facts
    revision = _git(checkout, "rev-parse", "HEAD")
    if revision is not None:
        facts["revision"] = revision
        facts["modified"] = bool(_git(checkout, "status", "--porcelain"))
    return facts


def _git(checkout: Path, *words: str) -> str | None:
    """Git's output; None without git or in a repository that it does not trust."""
    if shutil.which("git") is None:
        return None
    done = subprocess.run(
        ["git", "-C", str(checkout), *words], capture_output=True, text=True, check=False
    )
    return done.stdout.strip() if done.returncode == 0 else None
