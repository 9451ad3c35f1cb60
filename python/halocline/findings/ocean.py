"""Ocean cases and phases that several claims use."""

from __future__ import annotations

from halocline.findings.claim import Number, Unanswered
from halocline.findings.evidence import Find

WORKLOAD = "ocean"
BAROCLINIC = ("baroclinic_tracers", "baroclinic_momentum", "baroclinic_halo")
SENDING = ("barotropic_halo", "barotropic_sum")
COMPUTING = ("barotropic_operator", "barotropic_vectors")
BAROTROPIC = (*SENDING, *COMPUTING)  # waiting for late ranks is a phase of its own
MESSAGES = {"protocol": "isend_irecv", "sum": "flat"}
ONE_SIDED = {"protocol": "put_flag", "sum": "one_sided"}


def analysis(*cases: tuple[str, Find]) -> tuple[Number, ...]:
    """Each phase's share of the time in the measured cases, and of this machine's bounds."""
    numbers = []
    for label, find in cases:
        try:
            case = find()
        except Unanswered:
            continue  # not needed by any check
        for phase in case.phases:
            share = phase.share
            name = f"{label}: {phase.name}"
            numbers.append(
                Number(f"{name}, share of time", share.median, "", share.low, share.high)
            )
            numbers += [
                Number(f"{name}, share of {bound}", of.share, "", of.low, of.high)
                for bound, of in (
                    ("the memory bandwidth", phase.of_memory),
                    ("the arithmetic", phase.of_arithmetic),
                )
                if of
            ]
    return tuple(numbers)
