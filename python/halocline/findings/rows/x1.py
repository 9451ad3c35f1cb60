"""X1: matrix multiplication on one core and on all, small pages and large ones."""

from __future__ import annotations

from halocline.findings.claim import Answer, Claim, Unanswered
from halocline.findings.evidence import all_cases, compared, number
from halocline.summary import CaseSummary, Summary

WORKLOAD, ORDER = "dgemm", 1024
ALIKE = 0.05  # the paper sees "little difference"
PAGES_COST = 0.03  # the paper's 1 %, and what a figure of it would still be called so


def judge(summary: Summary) -> Answer:
    """One core as fast as both at once, and small pages no dearer than a few percent."""
    one, both, small = (
        _case(summary, active, pages)
        for active, pages in (("one", "huge"), ("all", "huge"), ("one", "base"))
    )
    contention, pages = compared(both, one), compared(small, one)
    # Work is charged to all ranks: a core's rate is its share.
    numbers = (
        number(one, "rate", f"one core, n = {ORDER}", "4.6 Gflop/s, 88 % of peak"),
        number(both, "rate", "all at once, together", "9.2 Gflop/s"),
        contention.number("time on all at once over time on one", "1"),
        pages.number("time with small pages over time with large ones", "1.01"),
    )
    holds = contention.high < 1 + ALIKE and pages.high < 1 + PAGES_COST
    because = (
        f"running on all cores at once takes {contention.ratio:.3g} times as long as on one, and "
        f"small pages {pages.ratio:.3g} times as long as large ones"
    )
    if not holds:
        because += (
            ". Blocks of a matrix multiplication stay in the caches, so memory does not explain "
            "it: cores that are hardware threads of one core share its arithmetic, and a shared "
            "host's cores are not always there"
        )
    return Answer("reproduced" if holds else "differs", because, numbers)


def _case(summary: Summary, active: str, pages: str) -> CaseSummary:
    found = [
        each
        for each in all_cases(summary, WORKLOAD, n=ORDER, active=active)
        if each.case.settings(("pages",))["pages"] == pages
    ]
    if not found:
        raise Unanswered(f"{WORKLOAD} active={active} pages={pages} was not asked for")
    if not found[0].metric("time"):
        raise Unanswered(
            f"{WORKLOAD} active={active} pages={pages} was {found[0].status}: {found[0].reason}"
        )
    return found[0]


claim = Claim(
    id="X1",
    text="DGEMM: 4.6 of 5.2 GF/s (88 %), one core or both at once; small pages cost about 1 %",
    paper="XT3 and XT4, section 3.1, figure 3.1",
    experiment="dgemm",
    judge=judge,
)
