"""H3: put against get."""

from __future__ import annotations

from halocline.findings.claim import Answer, Claim, Number
from halocline.findings.evidence import ON_NODE, case, compared, layouts, number, where_of
from halocline.summary import Summary

SYNCHRONISATION = "flush"  # as LAPI: the origin waits for completion, the target does nothing
SMALL, LARGE = 8, 4 * 1024**2


def judge(summary: Summary) -> Answer:
    """Alike for large messages; small: get ahead on node, put ahead off node."""
    numbers: list[Number] = []
    told: list[str] = []
    holds = True
    for layout in layouts(summary, "put", synchronisation=SYNCHRONISATION, bytes=SMALL):
        where = where_of(summary, layout)
        for size in (SMALL, LARGE):
            put, get = (
                case(summary, workload, layout, synchronisation=SYNCHRONISATION, bytes=size)
                for workload in ("put", "get")
            )
            found = compared(put, get)
            numbers += [
                number(put, "time", f"put, {size} B {where}"),
                number(get, "time", f"get, {size} B {where}"),
            ]
            if size == LARGE:
                numbers.append(found.number(f"put over get, {size} B {where}", "1"))
                holds = holds and found.alike
            elif layout == ON_NODE:
                numbers.append(found.number(f"put over get, {size} B {where}", "a little above 1"))
                holds = holds and not found.faster
            else:
                numbers.append(found.number(f"put over get, {size} B {where}", "a little below 1"))
                holds = holds and not found.slower
            told.append(f"{found.ratio:.3g} times the time of a get at {size} B {where}")
    because = "a put that is flushed takes " + ", ".join(told)
    if not holds:
        because += (
            ". MPI's put into a window of shared memory is a store and its get a load; between "
            "nodes over sockets a put needs a message and its acknowledgement, a get a request and "
            "the data, which the target's library must serve"
        )
    return Answer("reproduced" if holds else "differs", because, tuple(numbers))


claim = Claim(
    id="H3",
    text="put and get perform alike for large messages; small on-node get slightly ahead, small "
    "off-node put ahead",
    paper="HPCx SP7/SP9, section 3.1, figures 5 and 6",
    experiment="onesided",
    judge=judge,
)
