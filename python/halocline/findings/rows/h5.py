"""H5: Send against Ssend, and the eager limit."""

from __future__ import annotations

from functools import partial

from halocline.detect.eager import EagerLimit, eager_limit
from halocline.findings.claim import (
    Claim,
    Criterion,
    Evidence,
    Known,
    Number,
    Quantity,
    Unanswered,
    alike,
)
from halocline.findings.evidence import (
    OFF_NODE,
    ON_NODE,
    TWO_NODES,
    all_cases,
    case,
    check,
    compared,
    times,
    unless_rate_is_set,
    where_of,
)
from halocline.summary.summary import CaseSummary, Summary

WORKLOAD = "pingpong"
SMALL, LARGE = 8, 4 * 1024**2
QUANTITY = "time with Ssend over that with Send"
PAPER = 21 / 7.1
SLOWER = Criterion(
    "small messages, within a factor of two of the paper's 2.96",
    f"{QUANTITY}, 8 B",
    PAPER / 2,
    PAPER * 2,
    (OFF_NODE,),
)
EQUAL = alike("past the eager limit", f"{QUANTITY}, 4 MiB", (OFF_NODE,))
LIMIT = Criterion(
    "an eager limit", "sizes at which that ratio steps down to 1, found", low=1, places=(OFF_NODE,)
)


def judge(summary: Summary | None) -> Evidence:
    """Off node Ssend is slower for small messages, equal for large ones, a limit in between."""
    where = where_of(summary, OFF_NODE)
    checks = [
        check(
            SLOWER,
            f"Ssend over Send, 8 B {where}",
            partial(_ratio, summary, SMALL),
            paper="2.96",
            needs=TWO_NODES,
        ),
        check(
            EQUAL,
            f"Ssend over Send, 4 MiB {where}",
            partial(_ratio, summary, LARGE),
            paper="1",
            needs=TWO_NODES,
        ),
        check(LIMIT, f"eager limits {where}", partial(_limits, summary), needs=TWO_NODES),
    ]
    numbers: list[Number] = []
    for layout in (OFF_NODE, ON_NODE):
        for size, label in ((SMALL, "8 B"), (LARGE, "4 MiB")):
            numbers += times(
                *(
                    (f"{name}, {label} {where_of(summary, layout)}", value)
                    for name, value in (
                        ("Send", partial(_case, summary, layout, "send_recv", size)),
                        ("Ssend", partial(_case, summary, layout, "ssend_recv", size)),
                    )
                )
            )
        limit = _limit(summary, layout)
        if limit.synchronous is not None:
            what = f"Ssend meets Send {where_of(summary, layout)}"
            numbers.append(Number(what, limit.synchronous.above, "B", *limit.between))
    return Evidence(tuple(checks), tuple(numbers))


def _case(summary: Summary | None, layout: str, protocol: str, size: int) -> CaseSummary:
    return case(summary, WORKLOAD, layout, protocol=protocol, bytes=size)


def _ratio(summary: Summary | None, size: int) -> Quantity:
    send, ssend = (
        partial(_case, summary, OFF_NODE, name, size) for name in ("send_recv", "ssend_recv")
    )
    return compared(unless_rate_is_set(ssend, summary, size == LARGE)(), send())


def _limit(summary: Summary | None, layout: str) -> EagerLimit:
    """Where Ssend comes down to Send."""
    sends, ssends = (
        [
            (int(each.case.axis("bytes")), each)
            for each in all_cases(summary, WORKLOAD, layout, protocol=protocol)
        ]
        for protocol in ("send_recv", "ssend_recv")
    )
    return eager_limit(sends, ssends, [])


def _limits(summary: Summary | None) -> Quantity:
    """Finding none may be due to noise: open, as the other parts show a difference or none."""
    _ratio(summary, SMALL)
    if _limit(summary, OFF_NODE).synchronous is None:
        raise Unanswered("no sharp place where Ssend meets Send was found; more launches may")
    return Known(1, 1, 1)


claim = Claim(
    id="H5",
    text="Send 7.1 µs against Ssend 21 µs off node for small messages; equal past the eager limit",
    paper="HPCx SP7/SP9, section 4.1, figures 20 and 21",
    experiments=("messages",),
    judge=judge,
    criteria=(SLOWER, EQUAL, LIMIT),
    specification="7.1 and 21 µs are the paper's machine; their ratio is judged",
)
