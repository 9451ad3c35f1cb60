"""H9: the ranges of sizes, on and off node, and up to 64 processes."""

from __future__ import annotations

from functools import partial

from halocline.findings.claim import (
    TOLERANCE,
    Claim,
    Criterion,
    Evidence,
    Known,
    Quantity,
    Unanswered,
)
from halocline.findings.evidence import (
    BOTH,
    OFF_NODE,
    TWO_NODES,
    all_cases,
    case,
    check,
    is_wrong,
    times,
    where_of,
)
from halocline.summary.summary import CaseSummary, Summary

WORKLOAD, PROTOCOL = "pingpong", "send_recv"
INTEGERS = (1, 2000, 1_000_000)
PROCESSES = 64
COMPLETE = Criterion(
    "both ranges",
    f"share of their ends, known to {TOLERANCE:.0%}, that arrived complete, byte by byte",
    1,
    1,
    BOTH,
)
IN_PAIRS = Criterion(
    f"{PROCESSES} processes in pairs",
    f"share of the sizes, known to {TOLERANCE:.0%}, that arrived complete, byte by byte",
    1,
    1,
    (f"{PROCESSES} processes, a core each",),
)


def judge(messages: Summary | None, pairs: Summary | None) -> Evidence:
    """Both ends of both ranges at both places; and 64 processes at once."""
    checks = [
        check(
            COMPLETE,
            f"complete, 1 to 2000 and to 1 M integers {where_of(messages, layout)}",
            partial(_complete, messages, layout),
            needs=TWO_NODES if layout == OFF_NODE else "",
        )
        for layout in BOTH
    ]
    checks.append(check(IN_PAIRS, f"complete, {PROCESSES} processes", partial(_pairs, pairs)))
    numbers = times(
        *(
            (
                f"{count} integers {where_of(messages, layout)}",
                partial(case, messages, WORKLOAD, layout, protocol=PROTOCOL, bytes=4 * count),
            )
            for layout in BOTH
            for count in INTEGERS
        )
    )
    return Evidence(tuple(checks), numbers)


def _complete(summary: Summary | None, layout: str) -> Quantity:
    """A case with wrong payloads has `failed`: the benchmark does not cover that range."""
    wrong = 0
    for count in INTEGERS:
        cases = all_cases(summary, WORKLOAD, layout, protocol=PROTOCOL, bytes=4 * count)
        if cases and is_wrong(cases[0]):
            wrong += 1
        else:
            _known(case(summary, WORKLOAD, layout, protocol=PROTOCOL, bytes=4 * count))
    share = 1 - wrong / len(INTEGERS)
    return Known(share, share, share)


def _known(each: CaseSummary) -> None:
    """A time that scatters too much between launches does not count as measured."""
    time = each.metric("time")
    width = time.half_width_relative if time else None
    if width is None or width > TOLERANCE:
        known = "from one launch" if width is None else f"to {width:.0%}"
        raise Unanswered(
            f"a time is only known {known}, {TOLERANCE:.0%} are needed; more launches, or an idle "
            "machine, answer it"
        )


def _pairs(summary: Summary | None) -> Quantity:
    cases = all_cases(summary, "pairs", ranks=PROCESSES, pattern="pingpong", pairs=0)
    if not cases:
        raise Unanswered(
            f"{PROCESSES} processes need as many cores, or nodes that have them together: there "
            "`halocline findings H9 --run` answers it"
        )
    complete = [candidate for candidate in cases if not is_wrong(candidate)]
    for candidate in complete:
        if not candidate.metric("time"):
            name = f"pairs bytes={candidate.case.axis('bytes')}"
            raise Unanswered(f"{name} was {candidate.status}: {candidate.reason}")
        _known(candidate)
    share = len(complete) / len(cases)
    return Known(share, share, share)


claim = Claim(
    id="H9",
    text="small range 1 to 2000 integers and large range 1 to 1 M integers; 1N2P and 2N1P "
    "throughout; up to 64 processes in pairs",
    paper="HPCx SP7/SP9, sections 3 and 4",
    experiments=("messages", "pairs"),
    judge=judge,
    criteria=(COMPLETE, IN_PAIRS),
    specification="the ranges and the ranks on a node are how the paper measures, no findings",
)
