"""H4: steps at packet boundaries."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import stdtrit

from halocline.detect.curves import Curve, curve, level, usable
from halocline.detect.packets import Packets, find_packets
from halocline.findings.claim import Check, Claim, Criterion, Evidence, Known, Number, Unanswered
from halocline.findings.evidence import BOTH, OFF_NODE, TWO_NODES, all_cases, case, times, where_of
from halocline.summary.stats import CONFIDENCE
from halocline.summary.summary import Summary

WORKLOAD, PROTOCOL = "pingpong", "send_recv"
SMALLEST, LARGEST = 4, 8000  # 1 and 2000 integers of 4 bytes
SPACING = 256  # detectors of periodic steps need equal spacing
LAST = 9216  # so that 8 KiB, the paper's fourth boundary, has sizes on both sides
PACKET = 2048
# The paper's time grows by 28 µs over 4 packets, from 11 µs: a step is a third of the time at the
# middle. A much lower one must be seen too before "no step" says anything.
STEP = 0.1

FOUND = Criterion(
    "before SP7: a detector finds such steps",
    f"period found where steps of {STEP:.0%} at each 2 KiB are put into these launches, in 2 KiB",
    0.9,
    1.1,
    BOTH,
)
NO_STEPS = Criterion("after SP7: no steps", "periodic steps found", 0, 0, BOTH)


@dataclass(frozen=True)
class Steps:
    """The boundaries found; maybe none at a risk at which their common step may be 0."""

    packets: Packets
    times_at: Curve

    @property
    def value(self) -> float:
        """Their number."""
        return self.packets.boundaries

    def bounds(self, risk: float) -> tuple[float, float]:
        """The detector tries fewer periods and first boundaries than there are pairs of sizes."""
        degrees = level(usable(self.times_at).figures).degrees
        each = risk / len(self.times_at.at) ** 2
        wider = stdtrit(degrees, 1 - each) / stdtrit(degrees, (1 + CONFIDENCE) / 2)
        step_s = self.packets.step_s
        sure = step_s.low is not None and step_s.median > wider * (step_s.median - step_s.low)
        return (self.value if sure else 0.0), self.value


def judge(summary: Summary | None) -> Evidence:
    """Nothing repeats along the sizes, in launches that would show steps like the paper's."""
    checks: list[Check] = []
    numbers: list[Number] = []
    for layout in BOTH:
        where = where_of(summary, layout)
        try:
            times_at = _even(summary, layout)
        except Unanswered as missing:
            needs = f"; {TWO_NODES}" if layout == OFF_NODE else ""
            checks += [
                Check(criterion, f"{criterion.part}, {where}", None, f"{missing}{needs}")
                for criterion in (FOUND, NO_STEPS)
            ]
            continue
        checks += _checks(times_at, where)
        for size, paper in ((SMALLEST, "11, then 7.1 µs"), (LARGEST, "39, then 18 µs")):
            label = f"{size // 4} integers {where} (the paper, off node: {paper})"
            numbers += times(
                (label, partial(case, summary, WORKLOAD, layout, protocol=PROTOCOL, bytes=size))
            )
    return Evidence(tuple(checks), tuple(numbers))


def _even(summary: Summary | None, layout: str) -> Curve:
    if layout == OFF_NODE and summary is not None and summary.made_rate is not None:
        raise Unanswered(f"it ran {summary.between}, whose packets are those of Linux")
    cases = all_cases(summary, WORKLOAD, layout, protocol=PROTOCOL)
    sized = [(int(candidate.case.axis("bytes")), candidate) for candidate in cases]
    even = curve(
        (size, candidate) for size, candidate in sized if size % SPACING == 0 and size <= LAST
    )
    lacking = sorted(set(range(SPACING, LARGEST, SPACING)) - set(even.at))
    if lacking:
        raise Unanswered(
            f"{len(lacking)} of the sizes up to {LARGEST} B, every {SPACING} B, have no figure"
        )
    return even


def _checks(times_at: Curve, where: str) -> list[Check]:
    """Launches that would hide steps leave both parts open."""
    packets = find_packets(times_at)
    planted = find_packets(_with_steps(times_at))
    seen = planted is not None and abs(planted.period_bytes / PACKET - 1) <= 0.1
    label = f"steps every so many 2 KiB, found in launches with such steps put in, {where}"
    if packets is not None:
        steps = f"steps every {packets.period_bytes} B from {packets.first_bytes} B, {where}"
        return [Check(NO_STEPS, steps, Steps(packets, times_at))]
    if planted is None or not seen:
        hidden = (
            f"launches vary so much that steps of {STEP:.0%} put into them are not found; more "
            "launches, or an idle machine, answer it"
        )
        return [
            Check(FOUND, label, None, hidden),
            Check(NO_STEPS, f"periodic steps {where}", None, hidden),
        ]
    period = planted.period_bytes / PACKET
    return [
        Check(FOUND, label, Known(period, period, period)),
        Check(NO_STEPS, f"periodic steps {where}", Known(0, 0, 0)),
    ]


def _with_steps(times_at: Curve) -> Curve:
    """Each boundary adds the same time, as one more packet does."""
    figures = times_at.figures
    usual = float(np.nanmedian(figures))
    passed = np.ceil(np.array(times_at.at) / PACKET) - 1
    return Curve(times_at.at, figures * (1 + STEP * usual * passed / np.nanmedian(figures, axis=0)))


claim = Claim(
    id="H4",
    text="before SP7 the time steps up where a message crosses packet boundaries (2k, 4k, 6k, 8k); "
    "after SP7 it does not",
    paper="HPCx SP7/SP9, sections 3 and 4.1, figures 18 and 19",
    experiments=("messages",),
    judge=judge,
    criteria=(FOUND, NO_STEPS),
    specification="SP7 itself cannot be had: the library measured stands for the one after it, and "
    "the steps before it are put into the same launches; their times in µs are the paper's",
)
