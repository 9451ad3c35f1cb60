"""Programs that are timed, and what they print."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

# What Open MPI wants said of a user who is root.
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def output_of(
    command: Sequence[str | Path],
    limit_s: float,
    more: Mapping[str, str] | None = None,
    environment: Mapping[str, str] | None = None,
) -> str:
    """What a program prints; CalledProcessError or TimeoutExpired if it does not end well.

    It has the environment, this process's by default, and more.
    """
    variables = {**(os.environ if environment is None else environment), **(more or {})}
    return subprocess.run(
        command, env=variables, capture_output=True, text=True, timeout=limit_s, check=True
    ).stdout
