"""H8: one-sided against two-sided."""

from __future__ import annotations

from halocline.findings.claim import Answer, Claim, Number
from halocline.findings.evidence import OFF_NODE, case, compared, layouts, number, where_of
from halocline.summary import Summary

WORKLOAD = "pingpong"
ONE_SIDED, TWO_SIDED = "put_flag", "send_recv"  # a flag behind the payload, as LAPI's ping-pong
SMALL, LARGE = 8, 1024**2


def judge(summary: Summary) -> Answer:
    """On node the one-sided is faster for small messages; off node they are alike."""
    numbers: list[Number] = []
    told: list[str] = []
    holds = True
    for layout in layouts(summary, WORKLOAD, protocol=ONE_SIDED, bytes=SMALL):
        where = where_of(summary, layout)
        for size in (SMALL, LARGE):
            put, send = (
                case(summary, WORKLOAD, layout, protocol=protocol, bytes=size)
                for protocol in (ONE_SIDED, TWO_SIDED)
            )
            found = compared(put, send)
            numbers += [
                number(put, "time", f"put with a flag, {size} B {where}"),
                number(send, "time", f"send and receive, {size} B {where}"),
                found.number(f"one-sided over two-sided, {size} B {where}"),
            ]
            told.append(f"{found.ratio:.3g} times the two-sided time at {size} B {where}")
            if layout == OFF_NODE:
                holds = holds and found.alike
            elif size == SMALL:
                holds = holds and found.faster
    because = "one-sided takes " + ", ".join(told)
    if not holds:
        because += (
            ". MPI's put is no LAPI: completion at the target needs a flush and a second, atomic "
            "access, which over sockets are messages of their own that the target's library must "
            "answer"
        )
    return Answer("reproduced" if holds else "differs", because, tuple(numbers))


claim = Claim(
    id="H8",
    text="LAPI and MPI are alike off node; on node LAPI wins for very small messages",
    paper="HPCx SP7/SP9, section 5, figures 25 and 26",
    experiment="onesided",
    judge=judge,
)
