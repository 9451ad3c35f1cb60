"""H9: the ranges of sizes, on and off node."""

from __future__ import annotations

from halocline.findings.claim import Answer, Claim, Number
from halocline.findings.evidence import WHERE, case, layouts, number, where_of
from halocline.summary import Summary

WORKLOAD, PROTOCOL = "pingpong", "send_recv"
INTEGERS = (1, 2000, 1_000_000)


def judge(summary: Summary) -> Answer:
    """Both ends of both ranges, with one node and two."""
    found = layouts(summary, WORKLOAD, protocol=PROTOCOL, bytes=4)
    numbers: list[Number] = []
    for layout in found:
        for count in INTEGERS:
            each = case(summary, WORKLOAD, layout, protocol=PROTOCOL, bytes=4 * count)
            what = f"{count} integers {where_of(summary, layout)}"
            numbers.append(number(each, "time", what))
            numbers.append(number(each, "bandwidth", what))
    both = len(found) == len(WHERE)
    two = "on two" if summary.made_rate is None else summary.between
    because = (
        f"both ranges were measured on one node and {two}"
        if both
        else f"only {WHERE[found[0]]}: no second node was there"
    )
    return Answer("reproduced" if both else "cannot be answered", because, tuple(numbers))


claim = Claim(
    id="H9",
    text="small range 1 to 2000 integers and large range 1 to 1 M integers; 1N2P and 2N1P "
    "throughout; up to 64 processes in pairs",
    paper="HPCx SP7/SP9, sections 3 and 4",
    experiment="messages",
    judge=judge,
)
