"""X11: balancing and coupling of CAM's spectral model."""

from __future__ import annotations

from functools import partial

from halocline.findings.atmosphere import (
    COUPLING,
    WORKLOAD,
    many,
    spectral,
)
from halocline.findings.claim import LITTLE, TOLERANCE, Check, Claim, Criterion, Evidence
from halocline.findings.evidence import (
    OFF_NODE,
    ON_NODE,
    TWO_NODES,
    between_phases,
    case,
    check,
    on_nodes,
    over,
    times,
    where_of,
)
from halocline.summary.summary import Summary

COLLECTIVE, POINTS = "alltoallv", "isend_recv"
FEW, LARGEST = 256, 512
FOUR = "2N2P"
PAYS = Criterion(
    "balancing pays up to 128 ranks",
    "time without balancing over that with it",
    LITTLE,
    places=("2 ranks, one with more of the day",),
)
STRIDE = Criterion(
    "dynamics on every second rank are 12 % faster",
    "time with stride 1 over that with stride 2",
    1.12 - TOLERANCE,
    1.12 + TOLERANCE,
    (FOUR,),
)
ONE_A_NODE = Criterion(
    "one rank a node is 10 to 15 % faster than two",
    "time with two ranks on a node over that with one",
    1.10 - TOLERANCE / 2,
    1.15 + TOLERANCE / 2,
    ("two nodes",),
)
AS_FAST = Criterion(
    "messages are as fast as the collective",
    "time with isend_recv over that with alltoallv",
    0,
    1 + TOLERANCE,
    ("2 ranks", f"{FEW} ranks"),
)
FASTER = Criterion(
    f"and faster on {LARGEST} ranks",
    "the same",
    0,
    1 / LITTLE,
    (f"{LARGEST} ranks",),
)
DEARER = Criterion(
    f"coupling by the collective costs 50 % more on {LARGEST} ranks than on {FEW}",
    f"time in the remaps to physics and back on {LARGEST} ranks over that on {FEW}",
    1.5 - 2 * TOLERANCE,
    1.5 + 2 * TOLERANCE,
    (f"{FEW} and {LARGEST} ranks",),
)


def judge(few: Summary | None, largest: Summary | None) -> Evidence:
    """What balancing gains, and how its messages travel best."""
    balanced = spectral(few, ON_NODE, POINTS, "twin")
    collective = spectral(few, ON_NODE, COLLECTIVE, "twin")
    strided = partial(case, few, WORKLOAD, FOUR, dynamics_ranks=2)
    here = where_of(few, ON_NODE)
    cores = f"this needs nodes with {LARGEST} cores in total"
    checks: list[Check] = [
        check(
            PAYS,
            f"no balancing over twin columns, {protocol} {here}",
            over(
                spectral(few, ON_NODE, protocol, "none"),
                spectral(few, ON_NODE, protocol, "twin"),
            ),
        )
        for protocol in (COLLECTIVE, POINTS)
    ]
    checks += [
        check(
            STRIDE,
            "dynamics on 2 of 4 ranks: stride 1 over stride 2",
            over(
                on_nodes(partial(strided, stride=1), few), on_nodes(partial(strided, stride=2), few)
            ),
            needs="two nodes with two cores each answer it",
        ),
        check(
            ONE_A_NODE,
            "two ranks on a node over one on each of two",
            over(balanced, on_nodes(spectral(few, OFF_NODE, POINTS, "twin"), few)),
            needs=TWO_NODES,
        ),
        check(AS_FAST, f"{POINTS} over {COLLECTIVE} {here}", over(balanced, collective)),
    ]
    checks += [
        check(
            criterion,
            f"{POINTS} over {COLLECTIVE}, {ranks} ranks",
            over(many(largest, ranks, POINTS), many(largest, ranks, COLLECTIVE)),
            needs=cores,
        )
        for criterion, ranks in ((AS_FAST, FEW), (FASTER, LARGEST))
    ]
    checks.append(
        check(
            DEARER,
            f"coupling by {COLLECTIVE}, {LARGEST} over {FEW} ranks",
            between_phases(
                many(largest, LARGEST, COLLECTIVE),
                COUPLING,
                many(largest, FEW, COLLECTIVE),
                COUPLING,
            ),
            needs=cores,
        )
    )
    numbers = times(
        (f"balanced, {POINTS} {here}", balanced), (f"balanced, {COLLECTIVE} {here}", collective)
    )
    return Evidence(tuple(checks), numbers)


claim = Claim(
    id="X11",
    text="CAM T85L26: balancing pays up to 128 ranks, and more need it; dynamics on every second "
    "rank 12 % faster; one rank a node 10 to 15 % faster than two; messages as fast as alltoallv, "
    "and faster at 512 ranks, where coupling by the collective costs 50 % more than at 256",
    paper="XT3 and XT4, section 4.1",
    experiments=("atmosphere", "atmosphere_many"),
    judge=judge,
    criteria=(PAYS, STRIDE, ONE_A_NODE, AS_FAST, FASTER, DEARER),
    specification="at most 128 ranks in the dynamics; the workload refuses more than its rows: "
    "that more ranks need balancing follows from this, and is not judged",
)
