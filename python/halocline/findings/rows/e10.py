"""E10: how the benchmark is done."""

from __future__ import annotations

from functools import partial

from halocline.findings.claim import (
    Claim,
    Criterion,
    Evidence,
    Known,
    Number,
    Quantity,
    Unanswered,
)
from halocline.findings.evidence import all_cases, check, is_wrong, number
from halocline.findings.redistribution import BENCHMARK_EXPERIMENT, PAPER, WORKLOAD, way
from halocline.store.paper import GRID
from halocline.summary.esmf import EXCHANGES, NAME, RUNS
from halocline.summary.summary import Summary

VERIFIED = Criterion("every point validated", "configurations with a wrong point", 0, 0)
REPEATED = Criterion(
    f"the smallest of {RUNS} runs", f"runs of the default with {EXCHANGES} exchanges", RUNS
)


def judge(summary: Summary) -> Evidence:
    """Every measured case was verified; the minimum of ten runs next to the median of all."""
    checks = (
        check(VERIFIED, "configurations with a wrong point", partial(_wrong, summary)),
        check(REPEATED, f"runs of the default with {EXCHANGES} exchanges", partial(_runs, summary)),
    )
    numbers: tuple[Number, ...] = ()
    try:
        default = way(summary, GRID)
    except Unanswered:
        return Evidence(checks)
    if smallest := default.metric(NAME):
        label = f"the paper's figure: mean of {EXCHANGES}, smallest of {smallest.launches}, {GRID}"
        numbers = (
            Number(label, smallest.median, "s"),
            number(default, "time", f"median of all {len(default.figures_s)} runs' medians"),
        )
    remark = "The fields are sums of sine waves, compared bit by bit in every run"
    return Evidence(checks, numbers, remark)


def _wrong(summary: Summary) -> Quantity:
    cases = [case for case in all_cases(summary, WORKLOAD) if case.status != "skipped"]
    wrong = sum(map(is_wrong, cases))
    if not wrong and not any(case.metric("time") for case in cases):
        raise Unanswered("no configuration ran to its end")
    return Known(wrong, wrong, wrong)


def _runs(summary: Summary) -> Quantity:
    smallest = way(summary, GRID).metric(NAME)
    runs = smallest.launches if smallest else 0
    if runs < RUNS:
        raise Unanswered(
            f"{runs} runs of the default with {EXCHANGES} exchanges; the paper takes {RUNS}: "
            "run it again"
        )
    return Known(runs, runs, runs)


claim = Claim(
    id="E10",
    text="the fields are filled with sums of sine waves and every point is validated; the mean of "
    "50 exchanges, the smallest of 10 runs",
    paper=f"{PAPER}, benchmark program",
    experiments=(BENCHMARK_EXPERIMENT,),
    judge=judge,
    criteria=(VERIFIED, REPEATED),
    specification="how the paper measures; elsewhere the median stands for its mean",
)
