"""H5: Send against Ssend, and the eager limit."""

from __future__ import annotations

from halocline.detect.changes import find_changes
from halocline.detect.curves import ratio
from halocline.findings.claim import Answer, Claim, Number
from halocline.findings.evidence import (
    OFF_NODE,
    all_cases,
    case,
    compared,
    layouts,
    number,
    where_of,
)
from halocline.summary import CaseSummary, Summary

WORKLOAD = "pingpong"
SMALL, LARGE = 8, 4 * 1024**2


def _sized(summary: Summary, layout: str, protocol: str) -> list[tuple[int, CaseSummary]]:
    found = all_cases(summary, WORKLOAD, layout, protocol=protocol)
    return [(int(each.case.axis("bytes")), each) for each in found]


def judge(summary: Summary) -> Answer:
    """Ssend is slower for small messages, alike for large ones, and the limit is in between."""
    numbers: list[Number] = []
    told: list[str] = []
    holds = True
    for layout in layouts(summary, WORKLOAD, protocol="send_recv", bytes=SMALL):
        where = where_of(summary, layout)
        send, ssend, long_send, long_ssend = (
            case(summary, WORKLOAD, layout, protocol=protocol, bytes=size)
            for size in (SMALL, LARGE)
            for protocol in ("send_recv", "ssend_recv")
        )
        small, large = compared(ssend, send), compared(long_ssend, long_send)
        paper = "7.1 µs" if layout == OFF_NODE else ""
        numbers += [
            number(send, "time", f"Send, {SMALL} B {where}", paper),
            number(ssend, "time", f"Ssend, {SMALL} B {where}", "21 µs" if paper else ""),
            small.number(f"Ssend over Send, {SMALL} B {where}", "3" if paper else "more than 1"),
            large.number(f"Ssend over Send, 4 MiB {where}", "1"),
        ]
        changes = find_changes(
            ratio(_sized(summary, layout, "ssend_recv"), _sized(summary, layout, "send_recv")),
            affine=False,
        )
        downs = [change for change in changes if change.height < 0]
        if downs:
            last = downs[-1]
            numbers.append(
                Number(f"Ssend meets Send {where}", last.above, "B", last.below, last.above)
            )
        holds = holds and small.slower and large.alike
        told.append(
            f"{where} Ssend takes {small.ratio:.3g} times as long at {SMALL} B and "
            f"{large.ratio:.3g} times at 4 MiB"
            + (
                f", and they meet between {downs[-1].below} and {downs[-1].above} B"
                if downs
                else ", without a sharp place where they meet"
            )
        )
    because = "; ".join(told) + (
        ""
        if holds
        else ". A library whose Ssend is no slower acknowledges a message in shared memory by the "
        "flag that tells the sender of its arrival anyway"
    )
    return Answer("reproduced" if holds else "differs", because, tuple(numbers))


claim = Claim(
    id="H5",
    text="Send 7.1 µs against Ssend 21 µs off node for small messages; equal past the eager limit",
    paper="HPCx SP7/SP9, section 4.1, figures 20 and 21",
    experiment="messages",
    judge=judge,
)
