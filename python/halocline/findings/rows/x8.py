"""X8: which protocol is best."""

from __future__ import annotations

from halocline.findings.claim import Answer, Claim, Number
from halocline.findings.evidence import (
    all_cases,
    compared,
    fastest,
    indistinguishable,
    layouts,
    number,
    protocol_of,
    where_of,
)
from halocline.summary import Summary

WORKLOAD = "pingping"
SMALL, LARGE = 8, 4 * 1024**2
INSENSITIVE = 1.25  # the slowest of the protocols over the fastest
PAPER = {"1N2P": "sendrecv", "2N1P": "isend_irecv or isend_recv"}
# Ping-ping over these is one message after the other: they say nothing on both directions at once.
ONE_AT_A_TIME = ("send_recv", "ssend_recv")


def judge(summary: Summary) -> Answer:
    """The best small-message protocol is the paper's; large messages do not mind."""
    numbers: list[Number] = []
    told: list[str] = []
    holds = True
    for layout in layouts(summary, WORKLOAD, protocol="sendrecv", bytes=SMALL):
        where = where_of(summary, layout)
        small, large = (
            [
                each
                for each in all_cases(summary, WORKLOAD, layout, bytes=size)
                if protocol_of(each) not in ONE_AT_A_TIME
            ]
            for size in (SMALL, LARGE)
        )
        best = [protocol_of(each) for each in indistinguishable(small)]
        by_time = fastest(large)
        spread = compared(by_time[-1], by_time[0])
        numbers += [
            number(fastest(small)[0], "time", f"best at {SMALL} B {where}: {best[0]}"),
            spread.number(
                f"slowest over fastest at 4 MiB {where}: {protocol_of(by_time[-1])} over "
                f"{protocol_of(by_time[0])}",
                "1",
            ),
        ]
        wanted = PAPER[layout].split(" or ")
        holds = holds and bool({*wanted} & {*best}) and spread.ratio <= INSENSITIVE
        told.append(
            f"{where} the best at {SMALL} B is {' or '.join(best)} (the paper: {PAPER[layout]}), "
            f"and at 4 MiB the slowest protocol takes {spread.ratio:.3g} times the fastest's time"
        )
    because = "; ".join(told)
    if not holds:
        because += (
            ". Which calls are cheap is the library's own affair: on one node a message costs what "
            "the calls cost, and each request more costs some; the interrupt that one core of an "
            "XT had to make for the other is gone"
        )
    return Answer("reproduced" if holds else "differs", because, tuple(numbers))


claim = Claim(
    id="X8",
    text="best protocols, one pair: large messages insensitive; small: isend/recv with one rank a "
    "node, sendrecv with two on a node",
    paper="XT3 and XT4, section 3.3",
    experiment="protocols",
    judge=judge,
)
