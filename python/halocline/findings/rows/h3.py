"""H3: put against get."""

from __future__ import annotations

from functools import partial

from halocline.findings.claim import LITTLE, NOT_LITTLE, Claim, Criterion, Evidence, Number, alike
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
from halocline.summary.summary import Summary

SYNCHRONISATION = "flush"  # as LAPI: the origin waits for completion, the target does nothing
SMALL, LARGE = 8, 4 * 1024**2
QUANTITY = "time of a flushed put over that of a get"
LARGE_ALIKE = alike("large messages", f"{QUANTITY}, 4 MiB", BOTH)
GET_AHEAD = Criterion("small, on node", f"{QUANTITY}, 8 B", LITTLE, NOT_LITTLE, (ON_NODE,))
PUT_AHEAD = Criterion("small, off node", f"{QUANTITY}, 8 B", high=1 / LITTLE, places=(OFF_NODE,))


def judge(summary: Summary | None) -> Evidence:
    """Equal for large messages; small: get slightly ahead on node, put ahead off node."""
    wanted = [
        (GET_AHEAD, ON_NODE, SMALL),
        (PUT_AHEAD, OFF_NODE, SMALL),
        (LARGE_ALIKE, ON_NODE, LARGE),
        (LARGE_ALIKE, OFF_NODE, LARGE),
    ]
    checks = []
    numbers: list[Number] = []
    for criterion, layout, size in wanted:
        where = where_of(summary, layout)
        is_of_the_link = (layout, size) == (OFF_NODE, LARGE)  # between hosts made here, set here
        put, get = (
            partial(case, summary, name, layout, synchronisation=SYNCHRONISATION, bytes=size)
            for name in ("put", "get")
        )
        checks.append(
            check(
                criterion,
                f"put over get, {size} B {where}",
                over(unless_rate_is_set(put, summary, is_of_the_link), get),
                needs=TWO_NODES if layout == OFF_NODE else "",
            )
        )
        numbers += times((f"put, {size} B {where}", put), (f"get, {size} B {where}", get))
    return Evidence(tuple(checks), tuple(numbers))


claim = Claim(
    id="H3",
    text="put and get perform alike for large messages; small on-node get slightly ahead, small "
    "off-node put ahead",
    paper="HPCx SP7/SP9, section 3.1, figures 5 and 6",
    experiments=("onesided",),
    judge=judge,
    criteria=(LARGE_ALIKE, GET_AHEAD, PUT_AHEAD),
)
