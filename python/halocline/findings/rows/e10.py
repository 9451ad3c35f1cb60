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
from halocline.findings.evidence import check, number
from halocline.findings.redistribution import BENCHMARK_EXPERIMENT, GRIDS, PAPER, way, wrong_cases
from halocline.summary.esmf import EXCHANGES, NAME, RUNS
from halocline.summary.summary import Summary

VERIFIED = Criterion(
    "every point validated", "configurations with a wrong point", 0, 0, places=GRIDS
)
REPEATED = Criterion(
    f"the smallest of {RUNS} runs",
    f"runs of the default with {EXCHANGES} exchanges",
    RUNS,
    places=GRIDS,
)


def judge(summary: Summary) -> Evidence:
    """Each grid ran and was verified; the minimum of ten runs next to the median of all."""
    checks = []
    numbers: list[Number] = []
    for grid in GRIDS:
        default = partial(way, summary, grid)
        wrong = f"configurations with a wrong point, {grid}"
        runs = f"runs of the default with {EXCHANGES} exchanges, {grid}"
        checks += [
            check(VERIFIED, wrong, partial(wrong_cases, summary, grid, default)),
            check(REPEATED, runs, partial(_runs, summary, grid)),
        ]
        numbers += _figures(summary, grid)
    remark = "The fields are sums of sine waves, compared bit by bit in every run"
    return Evidence(tuple(checks), tuple(numbers), remark)


def _figures(summary: Summary, grid: str) -> tuple[Number, ...]:
    """The paper's figure and Halocline's; none without them."""
    try:
        default = way(summary, grid)
    except Unanswered:
        return ()
    smallest = default.metric(NAME)
    if smallest is None:
        return ()
    label = f"the paper's figure: mean of {EXCHANGES}, smallest of {smallest.launches}, {grid}"
    return (
        Number(label, smallest.median, "s"),
        number(default, "time", f"median of all {len(default.figures_s)} runs' medians, {grid}"),
    )


def _runs(summary: Summary, grid: str) -> Quantity:
    smallest = way(summary, grid).metric(NAME)
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
    specification="how the paper measures; Store, which it times once, is judged in E2 and E3; "
    "elsewhere the median stands for its mean",
)
