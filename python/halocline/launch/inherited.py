"""What a job inherits from the caller's environment."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

# These make a program load a library other than the one it was built for. A toolchain that needs
# one sets it among its own variables.
LOADER_VARIABLES = re.compile(r"LD_LIBRARY_PATH|LD_PRELOAD|FI_PROVIDER_PATH")
# Left by an outer launcher: a child that reads them takes itself for one of that job's ranks. Other
# parameters of PMIx and Open MPI are the user's settings.
JOB_VARIABLES = re.compile(
    r"(?!PMIX_MCA_)(PMI|PMIX|HYDI|MPI_LOCAL)_?.*|OMPI_(COMM_WORLD|UNIVERSE|APP|FIRST|NUM|MCA_ess)_?.*"
    r"|OMPI_MCA_orte_(app_num|bound_at_launch|ess_.*|hnp_uri|jobfam_session_dir|launch|num_nodes"
    r"|local_daemon_uri|precondition_transports|tmpdir_base|top_session_dir)"
)

# A resource manager's, and a site's for starting through it: launchers that are given no host take
# those of its allocation.
MANAGER_VARIABLES = re.compile(
    r"(SLURM|SLURMD|SRUN|PBS|LSB|LSF|COBALT|FLUX)_.*|PE_HOSTFILE"
    r"|(I_MPI_)?HYDRA_(BOOTSTRAP|LAUNCHER|RMK).*|OMPI_MCA_(plm|ras)(_.*)?|PRTE_MCA_(plm|ras)(_.*)?"
)


def inherited(caller: Mapping[str, str] | None = None) -> dict[str, str]:
    """The caller's environment, this process's by default, for a new job.

    Settings of MPI libraries (I_MPI_…, UCX_…, MPIR_CVAR_…) stay: the user set them, and
    `environment.json` records them.
    """
    return {
        name: value
        for name, value in (os.environ if caller is None else caller).items()
        if not LOADER_VARIABLES.fullmatch(name) and not JOB_VARIABLES.fullmatch(name)
    }
