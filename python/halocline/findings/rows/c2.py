"""C2: offloaded collectives, and the time by call."""

from __future__ import annotations

from halocline.findings.claim import Check, Claim, Criterion, Evidence, Number, Unanswered
from halocline.findings.evidence import OFF_NODE
from halocline.findings.recorded import Profiles, chosen, known, where

OFFLOAD = Criterion(
    "offloaded collectives", "time without over that with them, 32 nodes", 1.05, 1.15
)
BARRIER = Criterion("Barrier", "share of the time in MPI", 0.30, 0.56, ("8 nodes", "32 nodes"))
BCAST = Criterion("Bcast", "share of the time in MPI", 0.13, 0.28, ("8 nodes", "32 nodes"))
NO_OFFLOAD = "needs 32 nodes whose network cards carry out collectives (sharp, CORE-Direct)"


def judge(profiles: Profiles | None) -> Evidence:
    """None of it can be measured here; the shares of two nodes are shown alongside."""
    checks = [Check(OFFLOAD, "gain of offload on 32 nodes", None, NO_OFFLOAD)]
    for criterion in (BARRIER, BCAST):
        checks += [
            Check(criterion, f"{criterion.part} on {place}", None, f"needs {place}")
            for place in criterion.places
        ]
    return Evidence(tuple(checks), _shares(profiles))


def _shares(profiles: Profiles | None) -> tuple[Number, ...]:
    try:
        two = chosen(profiles, layout=OFF_NODE)
    except Unanswered:
        return ()
    shares = []
    for name, paper in (("Barrier", "33 % to 51 %"), ("Bcast", "15 % to 25 %")):
        part = known(two, lambda each, name=name: each.share_of_calls(name))  # type: ignore[misc]
        label = f"{name}, share of the time in MPI, two ranks {where(two, OFF_NODE)}"
        shares.append(Number(label, part.value, "", part.low, part.high, paper))
    return tuple(shares)


claim = Claim(
    id="C2",
    text="offloaded collectives give 10 % at 32 nodes; time by MPI call: Barrier 33 % at 8 nodes"
    " to 51 % at 32, Bcast 15 % to 25 %",
    paper="CESM profiling 2011, collective offload and time spent in MPI calls",
    profiles=("coupled_share",),
    judge=judge,
    criteria=(OFFLOAD, BARRIER, BCAST),
)
