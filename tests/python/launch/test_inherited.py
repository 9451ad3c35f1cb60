"""What reaches a job of the caller's environment."""

from __future__ import annotations

from halocline.launch.inherited import inherited


def test_settings_stay_and_strays_of_other_libraries_and_jobs_go() -> None:
    settings = {
        "PATH": "/bin",
        "UCX_TLS": "tcp",
        "I_MPI_PIN": "0",
        "OMPI_MCA_btl": "self",
        "OMPI_MCA_orte_base_help_aggregate": "0",
        "PMIX_MCA_gds": "hash",
    }
    strays = {
        "LD_LIBRARY_PATH": "/opt/intel/lib",
        "LD_PRELOAD": "libfast.so",
        "FI_PROVIDER_PATH": "/opt/intel/lib",
        "PMI_RANK": "3",
        "PMIX_NAMESPACE": "job",
        "OMPI_COMM_WORLD_SIZE": "4",
        "OMPI_MCA_orte_hnp_uri": "123.0;tcp://127.0.0.1:5",
    }
    assert inherited({**settings, **strays}) == settings
