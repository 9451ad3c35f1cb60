"""H7: how many pairs a node's memory carries."""

from __future__ import annotations

from functools import partial

from halocline.findings.claim import (
    TOLERANCE,
    Claim,
    Criterion,
    Evidence,
    Quantity,
    Unanswered,
)
from halocline.findings.evidence import case, check, compared, times
from halocline.summary.summary import CaseSummary, Summary

WORKLOAD, PATTERN = "pairs", "pingpong"
PROCESSES = 32
MEDIUM, LARGE = 1024, 1024**2
QUANTITY = f"time of {PROCESSES} processes in pairs over that of one pair"
ONE_NODE = (f"{PROCESSES} processes on one node, a core each",)
SCALES = {
    size: Criterion(f"{name} messages scale", f"{QUANTITY}, {size} B", 0, 1 + TOLERANCE, ONE_NODE)
    for name, size in (("small", 8), ("medium", MEDIUM))
}
BREAKS_DOWN = Criterion("large messages break down", f"{QUANTITY}, 1 MiB", 1.5, places=ONE_NODE)


def judge(summary: Summary | None) -> Evidence:
    """All 32 processes are as fast as two for small and medium messages, not for large ones."""
    checks = [
        check(
            criterion, f"{PROCESSES // 2} pairs over one, {size} B", partial(_ratio, summary, size)
        )
        for size, criterion in (*SCALES.items(), (LARGE, BREAKS_DOWN))
    ]
    cores = _cores(summary)
    numbers = [
        number
        for size in (*SCALES, LARGE)
        for ranks in (2, 4, 8, 16, PROCESSES)
        if ranks <= cores
        for number in times((f"{ranks // 2} pairs, {size} B", partial(_case, summary, size, ranks)))
    ]
    return Evidence(tuple(checks), tuple(numbers))


def _cores(summary: Summary | None) -> int:
    return (summary.environment.get("processor", {}).get("cores") or 0) if summary else 0


def _ratio(summary: Summary | None, size: int) -> Quantity:
    if (cores := _cores(summary)) < PROCESSES:
        raise Unanswered(
            f"{PROCESSES} processes need as many cores, this machine has {cores}: more would "
            "measure the scheduler; on a larger node `halocline findings H7 --run` answers it"
        )
    return compared(_case(summary, size, PROCESSES), _case(summary, size, 2))


def _case(summary: Summary | None, size: int, ranks: int) -> CaseSummary:
    """The case of this many ranks, each in a pair."""
    return case(
        summary, WORKLOAD, ranks=ranks, pattern=PATTERN, protocol="send_recv", bytes=size, pairs=0
    )


claim = Claim(
    id="H7",
    text="on node, MPI ping-pong scales to 32 processes for small and medium messages and breaks "
    "down for large ones",
    paper="HPCx SP7/SP9, section 4.1, figures 22 and 23",
    experiments=("pairs",),
    judge=judge,
    criteria=(*SCALES.values(), BREAKS_DOWN),
)
