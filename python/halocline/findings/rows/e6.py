"""E6: asynchronous against synchronous."""

from __future__ import annotations

from halocline.findings.claim import Answer, Claim, Number
from halocline.findings.evidence import compared, number
from halocline.findings.redistribution import EXPERIMENT, GRIDS, PAPER, way
from halocline.summary import Summary


def judge(summary: Summary) -> Answer:
    """Isend/Irecv never slower than Sendrecv; the route knows nothing of the protocol."""
    numbers: list[Number] = []
    told = []
    holds = True
    for grid in GRIDS:
        together, in_turn = (
            way(summary, grid, protocol) for protocol in ("isend_irecv", "sendrecv")
        )
        found = compared(in_turn, together)
        numbers += [
            number(together, "time", f"asynchronous, {grid}"),
            number(in_turn, "time", f"synchronous, {grid}"),
            found.number(f"synchronous over asynchronous, {grid}", "a little above 1"),
        ]
        told.append(f"{found.ratio:.3g} times the time on {grid}")
        holds = holds and not found.faster
    because = (
        f"synchronous (sendrecv) takes {', '.join(told)}; Store is the same for both, as the route "
        "is made from the layouts before a protocol is chosen"
    )
    if not holds:
        because += (
            ". With two ranks each has one peer: a single Sendrecv sends and receives at once as "
            "Isend and Irecv do, and more peers, which a synchronous rank serves in turn, need "
            "more nodes"
        )
    return Answer("reproduced" if holds else "differs", because, tuple(numbers))


claim = Claim(
    id="E6",
    text="asynchronous (Isend/Irecv) is slightly faster than synchronous (Sendrecv); Store is the "
    "same for both",
    paper=f"{PAPER}, figures 1 and 2",
    experiment=EXPERIMENT,
    judge=judge,
)
