"""H8: one-sided against two-sided."""

from __future__ import annotations

from functools import partial

from halocline.findings.claim import TOLERANCE, Claim, Criterion, Evidence, Number, alike
from halocline.findings.evidence import (
    OFF_NODE,
    ON_NODE,
    TWO_NODES,
    case,
    check,
    over,
    times,
    unless_rate_is_set,
    where_of,
)
from halocline.summary.summary import Summary

WORKLOAD = "pingpong"
ONE_SIDED, TWO_SIDED = "put_flag", "send_recv"  # a flag behind the payload, as LAPI's ping-pong
SMALL, LARGE = 8, 1024**2
QUANTITY = "time of a put with a flag over that of send and receive"
AHEAD = Criterion("very small messages, on node", f"{QUANTITY}, 8 B", 0, 1 - TOLERANCE, (ON_NODE,))
ALIKE = alike("off node", f"{QUANTITY}, 8 B and 1 MiB", (OFF_NODE,))


def judge(summary: Summary | None) -> Evidence:
    """On node the one-sided is faster for small messages; off node they are alike."""
    checks = []
    numbers: list[Number] = []
    for criterion, layout, size in (
        (AHEAD, ON_NODE, SMALL),
        (ALIKE, OFF_NODE, SMALL),
        (ALIKE, OFF_NODE, LARGE),
    ):
        where = where_of(summary, layout)
        is_of_the_link = (layout, size) == (OFF_NODE, LARGE)  # between hosts made here, set here
        put, send = (
            partial(case, summary, WORKLOAD, layout, protocol=protocol, bytes=size)
            for protocol in (ONE_SIDED, TWO_SIDED)
        )
        checks.append(
            check(
                criterion,
                f"one-sided over two-sided, {size} B {where}",
                over(unless_rate_is_set(put, summary, is_of_the_link), send),
                needs=TWO_NODES if layout == OFF_NODE else "",
            )
        )
        numbers += times(
            (f"put with a flag, {size} B {where}", put),
            (f"send and receive, {size} B {where}", send),
        )
    return Evidence(tuple(checks), tuple(numbers))


claim = Claim(
    id="H8",
    text="LAPI and MPI are alike off node; on node LAPI wins for very small messages",
    paper="HPCx SP7/SP9, section 5, figures 25 and 26",
    experiments=("onesided",),
    judge=judge,
    criteria=(AHEAD, ALIKE),
    specification="MPI's put stands for LAPI's",
)
