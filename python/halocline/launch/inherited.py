"""What a job inherits of the caller's environment."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

# They would lead a program to another library than the one that it was built for. A toolchain that
# needs one has it among its own variables.
LOADER_VARIABLES = re.compile(r"LD_LIBRARY_PATH|LD_PRELOAD|FI_PROVIDER_PATH")
# Left by a launcher around us: a child that reads them takes itself for one of that job's ranks.
JOB_VARIABLES = re.compile(
    r"(PMI|PMIX|HYDI|MPI_LOCAL)_?.*|OMPI_(COMM_WORLD|UNIVERSE|APP|FIRST|NUM|MCA_ess|MCA_orte)_?.*"
)


def inherited(caller: Mapping[str, str] | None = None) -> dict[str, str]:
    """The caller's environment, this process's by default, for a job of its own.

    Settings of MPI libraries (I_MPI_…, UCX_…, MPIR_CVAR_…) stay: the user made them, and
    `environment.json` records them.
    """
    return {
        name: value
        for name, value in (os.environ if caller is None else caller).items()
        if not LOADER_VARIABLES.fullmatch(name) and not JOB_VARIABLES.fullmatch(name)
    }
