"""The environment of a measurement: everything about the host that affects the figures."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from halocline.base.toolchain import Toolchain
from halocline.environment.allotment import read_allotment
from halocline.environment.hardware import read_memory, read_processor, shared_memory
from halocline.environment.software import (
    mpi_variables,
    optional_tools,
    package_versions,
    revision,
    slurm_variables,
)
from halocline.environment.system import read_scheduling, read_system

SCHEMA = 1


def collect(
    toolchains: Sequence[Toolchain], variables: Mapping[str, str] = os.environ
) -> dict[str, Any]:
    """The environment of a run on this host, ready for environment.json."""
    return {
        "schema": SCHEMA,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        **read_host(Path("/")),
        "shared_memory": shared_memory(Path("/dev/shm")),
        "mpi": [_described(toolchain) for toolchain in toolchains],
        "mpi_variables": mpi_variables(variables),
        "slurm": slurm_variables(variables),
        "tools": optional_tools(variables),
        "halocline": revision(),
        "python": {"version": platform.python_version(), "packages": package_versions()},
    }


def read_host(root: Path) -> dict[str, Any]:
    """What /proc, /sys and /etc below `root` say about the host and this process's limits."""
    return {
        **read_system(root),
        "processor": read_processor(root),
        "memory": read_memory(root),
        "scheduling": read_scheduling(root),
        "allotment": read_allotment(root),
    }


def _described(toolchain: Toolchain) -> dict[str, Any]:
    return {
        "name": toolchain.name,
        "family": toolchain.family.value,
        "library": toolchain.library,
        "launcher": str(toolchain.launcher),
        "variables": dict(toolchain.environment),
    }
