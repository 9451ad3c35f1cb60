"""Ocean cases and phases that several claims use."""

from __future__ import annotations

WORKLOAD = "ocean"
BAROCLINIC = ("baroclinic_tracers", "baroclinic_momentum", "baroclinic_halo")
SENDING = ("barotropic_halo", "barotropic_sum")
COMPUTING = ("barotropic_operator", "barotropic_vectors")
BAROTROPIC = (*SENDING, *COMPUTING)  # waiting for late ranks is a phase of its own
MESSAGES = {"protocol": "isend_irecv", "sum": "flat"}
ONE_SIDED = {"protocol": "put_flag", "sum": "one_sided"}
