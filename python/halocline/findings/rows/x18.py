"""X18: ways of load balancing."""

from __future__ import annotations

from functools import partial

from halocline.findings.claim import LITTLE, Check, Claim, Criterion, Evidence
from halocline.findings.evidence import ON_NODE, WHERE, case, check, over, times
from halocline.findings.verdicts import ties
from halocline.summary.summary import CaseSummary, Summary

WORKLOAD = "atmosphere"
BEST = "isend_recv"
OTHERS = (
    "send_recv",
    "ssend_recv",
    "rsend_irecv",
    "bsend_recv",
    "isend_irecv",
    "sendrecv",
    "isendrecv",
    "swap",
    "swap_handshake",
    "swap_ready",
    "persistent",
    "isend_irecv_type",
    "partitioned",
)
IS_BEST = Criterion(
    "isend/recv is the best", f"time of a step with {BEST} over that with another", 0, LITTLE
)
INSIDE = Criterion(
    "other collectives inside the dynamics bring nothing",
    "time of a step with alltoallv in the dynamics over that with messages there",
    0,
    LITTLE,
    ("at most 128 ranks",),
)
COLLECTIVE = "alltoallv"


def judge(summary: Summary) -> Evidence:
    """Each way over messages against the paper's best, and messages inside the dynamics."""

    def with_(protocol: str, inside: str = COLLECTIVE) -> partial[CaseSummary]:
        return partial(
            case,
            summary,
            WORKLOAD,
            ON_NODE,
            protocol=protocol,
            dynamics_protocol=inside,
            balance="twin",
        )

    others = {
        other: check(
            IS_BEST, f"{BEST} over {other} {WHERE[ON_NODE]}", over(with_(BEST), with_(other))
        )
        for other in OTHERS
    }
    checks: list[Check] = [*others.values()]
    checks.append(
        check(
            INSIDE,
            f"{COLLECTIVE} over {BEST} in the dynamics {WHERE[ON_NODE]}",
            over(with_(BEST), with_(BEST, BEST)),
        )
    )
    names = (BEST, COLLECTIVE)
    numbers = times(*((f"a step with {name}", with_(name)) for name in names))
    remark = ties(f"A step {WHERE[ON_NODE]}", BEST, others, tolerance=LITTLE - 1)
    return Evidence(tuple(checks), numbers, remark)


claim = Claim(
    id="X18",
    text="CAM load balancing has alltoallv and 19 point-to-point ways, of which isend/recv is "
    "the best; replacing the collectives inside the dynamics (at most 128 ranks) brings "
    "nothing",
    paper="XT3 and XT4, section 4.1",
    experiments=("atmosphere_ways",),
    judge=judge,
    criteria=(IS_BEST, INSIDE),
    specification=f"19, the number of CAM's ways; here {len(OTHERS) + 1}",
)
