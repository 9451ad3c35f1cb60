"""H7: how many pairs a node's memory carries."""

from __future__ import annotations

import numpy as np

from halocline.detect.curves import Curve, curve
from halocline.detect.saturation import saturation
from halocline.findings.claim import Answer, Claim, Number, Unanswered
from halocline.findings.evidence import all_cases, compared, number
from halocline.summary import CaseSummary, Summary

WORKLOAD, PATTERN = "pairs", "pingpong"
SMALL, LARGE = 8, 1024**2


def judge(summary: Summary) -> Answer:
    """All pairs that the cores allow are as fast as one for small messages, not for large ones."""
    cores = summary.environment.get("processor", {}).get("cores") or 0
    if cores < 4:
        raise Unanswered(
            f"two pairs at a time need four cores, this machine has {cores}: more ranks than cores "
            "would measure the scheduler; on a larger node `halocline findings H7 --run` answers it"
        )
    numbers: list[Number] = []
    ratios = {}
    for size in (SMALL, LARGE):
        found = _by_pairs(summary, size)
        if len(found) < 2:
            raise Unanswered(f"fewer than two numbers of pairs were measured at {size} B")
        (_, one), *_, (most, all_) = found
        ratios[size] = compared(all_, one)
        numbers += [
            number(one, "time", f"one pair, {size} B"),
            ratios[size].number(f"{most} pairs over one, {size} B"),
        ]
    times = curve(_by_pairs(summary, LARGE))
    limit = saturation(Curve(times.at, np.array(times.at) * LARGE / times.figures))
    if limit is not None and limit.full_at is not None:
        numbers.append(Number("pairs until the aggregate stops growing", limit.full_at, "pairs"))
    holds = ratios[SMALL].alike and ratios[LARGE].slower
    because = (
        f"all pairs at once take {ratios[SMALL].ratio:.3g} times as long as one at {SMALL} B and "
        f"{ratios[LARGE].ratio:.3g} times at 1 MiB"
    )
    return Answer("reproduced" if holds else "differs", because, tuple(numbers))


def _by_pairs(summary: Summary, size: int) -> list[tuple[int, CaseSummary]]:
    found = all_cases(summary, WORKLOAD, pattern=PATTERN, protocol="send_recv", bytes=size)
    return sorted(
        ((each.case.ranks // 2, each) for each in found if each.metric("time")),
        key=lambda sized: sized[0],
    )


claim = Claim(
    id="H7",
    text="on node, MPI ping-pong scales to 32 processes for small and medium messages and breaks "
    "down for large ones",
    paper="HPCx SP7/SP9, section 4.1, figures 22 and 23",
    experiment="pairs",
    judge=judge,
)
