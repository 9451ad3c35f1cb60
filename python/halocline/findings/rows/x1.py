"""X1: matrix multiplication on one core and on all, small pages and large ones."""

from __future__ import annotations

from functools import partial

from halocline.findings.claim import Claim, Criterion, Evidence, Quantity, Unanswered, alike
from halocline.findings.evidence import case, check, number, over, over_large_pages, ratio
from halocline.summary.bounds import MULTIPLY_ADD
from halocline.summary.summary import CaseSummary, Summary

WORKLOAD, ORDER = "dgemm", 1024
SHARE = Criterion("88 % of the peak", "rate of one core over its peak", 0.83, 0.93)
BOTH = alike(
    "one core or both at once", "time on all at once over time on one", tolerance=0.05
)  # the paper calls it "little difference"
# The paper's 1 %, with a margin.
PAGES = Criterion("small pages cost about 1 %", "time with small pages over large", 0.99, 1.03)


def judge(summary: Summary) -> Evidence:
    """One core as fast as both at once, small pages slightly slower, near the peak."""
    core, both, small = (
        partial(case, summary, WORKLOAD, None, {"pages": pages}, n=ORDER, active=active)
        for active, pages in (("one", "huge"), ("all", "huge"), ("one", "base"))
    )
    peak = partial(case, summary, MULTIPLY_ADD, None, {"pages": "huge"}, active="one")
    checks = (
        check(
            SHARE,
            "rate of one core over that of multiply-adds in registers",
            lambda: of_peak(core(), peak()),
            paper="0.88",
        ),
        check(BOTH, "time on all at once over time on one", over(both, core), paper="1"),
        check(
            PAGES,
            "time with small pages over large ones",
            over_large_pages(summary, small, core),
            paper="1.01",
        ),
    )
    numbers = []
    for label, find, paper in (
        (f"one core, n = {ORDER}", core, "4.6 Gflop/s, 88 % of peak"),
        ("all at once, together", both, "9.2 Gflop/s"),
        ("multiply-adds in registers, one core", peak, "5.2 Gflop/s"),
    ):
        try:
            numbers.append(number(find(), "rate", label, paper))
        except Unanswered:
            continue  # its check says so
    return Evidence(checks, tuple(numbers))


def of_peak(product: CaseSummary, peak: CaseSummary) -> Quantity:
    """The rate of a product over that of the peak, launch by launch."""
    operations = 2.0 * ORDER**3 / float(peak.case.axis("operations"))
    return ratio(
        {turn: operations * time_s for turn, time_s in peak.figures_s.items()}, product.figures_s
    )


claim = Claim(
    id="X1",
    text="DGEMM: 4.6 of 5.2 GF/s (88 %), one core or both at once; small pages cost about 1 %",
    paper="XT3 and XT4, section 3.1, figure 3.1",
    experiments=("dgemm",),
    judge=judge,
    criteria=(SHARE, BOTH, PAGES),
    specification="4.6 and 5.2 GF/s are the paper's machine; their share is judged",
)
