"""X8: which protocol is best."""

from __future__ import annotations

from functools import partial

from halocline.findings.claim import TOLERANCE, Check, Claim, Criterion, Evidence, Number
from halocline.findings.evidence import (
    BOTH,
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
from halocline.findings.verdicts import sentences, ties
from halocline.summary.summary import Summary

WORKLOAD = "pingping"
SMALL, LARGE = 8, 4 * 1024**2
INSENSITIVE = 0.25
# COMMTEST's, and the one that ready sends need.
PROTOCOLS = ("isend_irecv", "isend_recv", "sendrecv", "isendrecv", "rsend_irecv")
PAIRS, RANKS = 64, 128
ONE_PAIR_SMALL = {
    OFF_NODE: Criterion(
        "one pair, small: isend/recv with one rank a node",
        "time of isend_recv over each other protocol, 8 B",
        0,
        1 + TOLERANCE,
        (OFF_NODE,),
    ),
    ON_NODE: Criterion(
        "one pair, small: sendrecv with two on a node",
        "time of sendrecv over each other protocol, 8 B",
        0,
        1 + TOLERANCE,
        (ON_NODE,),
    ),
}
BEST = {OFF_NODE: "isend_recv", ON_NODE: "sendrecv"}
BEST_OF_PAIRS = {LARGE: "rsend_irecv", SMALL: "sendrecv"}
ONE_PAIR_LARGE = Criterion(
    "one pair, large: insensitive",
    "time of each protocol over sendrecv, 4 MiB",
    1 / (1 + INSENSITIVE),
    1 + INSENSITIVE,
    BOTH,
)
PAIRS_LARGE = Criterion(
    f"{PAIRS} pairs, large: ready sends into preposted receives",
    "time of rsend_irecv over each other protocol, 4 MiB",
    0,
    1 + TOLERANCE,
    (f"{PAIRS} pairs",),
)
PAIRS_SMALL = Criterion(
    f"{PAIRS} pairs, small: sendrecv competitive",
    "time of sendrecv over each other protocol, 8 B",
    0,
    1 + TOLERANCE,
    (f"{PAIRS} pairs",),
)


def judge(one_pair: Summary | None, pairs: Summary | None) -> Evidence:
    """The best small-message protocol is the paper's; large messages are insensitive."""
    checks: list[Check] = []
    numbers: list[Number] = []
    remarks = []
    for layout in BOTH:
        where = where_of(one_pair, layout)
        at = partial(case, one_pair, WORKLOAD, layout)
        best = BEST[layout]
        needs = TWO_NODES if layout == OFF_NODE else ""
        small = {
            other: check(
                ONE_PAIR_SMALL[layout],
                f"{best} over {other}, 8 B {where}",
                over(
                    partial(at, protocol=best, bytes=SMALL),
                    partial(at, protocol=other, bytes=SMALL),
                ),
                needs=needs,
            )
            for other in PROTOCOLS
            if other != best
        }
        remarks.append(ties(f"One pair, 8 B {where}", best, small))
        checks += small.values()
        checks += [
            check(
                ONE_PAIR_LARGE,
                f"{other} over sendrecv, 4 MiB {where}",
                over(
                    unless_rate_is_set(
                        partial(at, protocol=other, bytes=LARGE), one_pair, layout == OFF_NODE
                    ),
                    partial(at, protocol="sendrecv", bytes=LARGE),
                ),
                needs=needs,
            )
            for other in PROTOCOLS
            if other != "sendrecv"
        ]
        numbers += times(
            *(
                (f"{protocol}, 8 B {where}", partial(at, protocol=protocol, bytes=SMALL))
                for protocol in PROTOCOLS
            )
        )
    of_large = _pairs(pairs, PAIRS_LARGE, LARGE)
    remarks.append(ties(f"{PAIRS} pairs, {LARGE} B", BEST_OF_PAIRS[LARGE], of_large))
    checks += [*of_large.values(), *_pairs(pairs, PAIRS_SMALL, SMALL).values()]
    return Evidence(tuple(checks), tuple(numbers), sentences(*remarks))


def _pairs(summary: Summary | None, criterion: Criterion, size: int) -> dict[str, Check]:
    """The same with 64 pairs at once, which need a core for each of 128 ranks."""
    at = partial(case, summary, "pairs", ranks=RANKS, pattern="pingping", pairs=0, bytes=size)
    best = BEST_OF_PAIRS[size]
    return {
        other: check(
            criterion,
            f"{best} over {other}, {size} B, {PAIRS} pairs",
            over(partial(at, protocol=best), partial(at, protocol=other)),
            needs=f"this needs nodes with {RANKS} cores in total",
        )
        for other in PROTOCOLS
        if other != best
    }


claim = Claim(
    id="X8",
    text="best protocols. One pair: large messages insensitive; small: isend/recv with one rank a "
    "node, sendrecv with two on a node. 64 pairs: large: preposted receives with ready sends; "
    "small: sendrecv competitive",
    paper="XT3 and XT4, section 3.3",
    experiments=("protocols", "protocols_of_pairs"),
    judge=judge,
    criteria=(*ONE_PAIR_SMALL.values(), ONE_PAIR_LARGE, PAIRS_LARGE, PAIRS_SMALL),
)
