"""E10: how the benchmark is done."""

from __future__ import annotations

from halocline.findings.claim import Answer, Claim, Number, Unanswered
from halocline.findings.evidence import all_cases, number
from halocline.findings.redistribution import BENCHMARK_EXPERIMENT, PAPER, WORKLOAD, way
from halocline.store.paper import GRID
from halocline.summary import Summary

RUNS = 10


def judge(summary: Summary) -> Answer:
    """Every measured case was verified; the minimum of ten runs beside the median of all."""
    cases = [each for each in all_cases(summary, WORKLOAD) if each.status != "skipped"]
    wrong = [each for each in cases if each.status == "failed"]
    default = way(summary, GRID)
    runs = sorted(default.figures_s)
    if len(runs) < RUNS:
        raise Unanswered(f"{len(runs)} runs of the default; the paper takes {RUNS}: run it again")
    smallest_s = min(default.figures_s[run] for run in runs[:RUNS])
    numbers = (
        Number(f"the paper's figure: the smallest of {RUNS} runs, {GRID}", smallest_s, "s"),
        number(default, "time", f"median of all {len(runs)} runs"),
    )
    because = (
        f"{len(cases)} configurations were filled with sums of sine waves and compared bit by bit "
        f"at every point in every run, {len(wrong)} wrongly. A run's figure is the median of its "
        "exchanges where the paper takes the mean of 50, so that one disturbed exchange does not "
        "count, and has the interval that the smallest of ten lacks"
    )
    return Answer("differs" if wrong else "reproduced", because, numbers)


claim = Claim(
    id="E10",
    text="the fields are filled with sums of sine waves and every point is validated; the mean of "
    "50 exchanges, the smallest of 10 runs",
    paper=f"{PAPER}, benchmark program",
    experiment=BENCHMARK_EXPERIMENT,
    judge=judge,
)
