"""The layout advisor next to a sweep of every layout of the coupled model on two ranks.

python -m benchmarks.advisor
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.table import Row, likely_median, show, without_figure
from halocline.cli import measuring
from halocline.cli.here import known
from halocline.model.components import COMPONENTS, MIXED, advise, ranks_of
from halocline.specification.spec import load
from halocline.summary.ratios import side_by_side
from halocline.summary.summary import CaseSummary, of_run

RANKS = 2
CLOSE = 0.15
# In a sequential model each component has one rank or both; in a mixed one the ocean has one and
# the others have the other.
_COMMON = """workloads = ["coupled"]
[part.axes]
truncation = [10]
ocean_levels = [5]
history = ["none"]
protocol = ["isend_irecv"]
"""
SWEEP = f"""
schema = 1
[experiment]
title = "every layout"
[measure]
budget = "240s"
launches_maximum = 16
[[part]]
title = "what the advisor learns from"
ranks = [2]
{_COMMON}
arrangement = ["sequential", "mixed"]
[[part]]
title = "one rank"
ranks = [1]
{_COMMON}
arrangement = ["sequential"]
[[part]]
title = "every layout"
ranks = [2]
{_COMMON}
arrangement = ["sequential"]
land_ranks = [1, 2]
ice_ranks = [1, 2]
atmosphere_ranks = [1, 2]
ocean_ranks = [1, 2]
"""


def rows() -> list[Row]:
    """The advised layout over the fastest, and the largest error of the predictions.

    The advisor sees the cases that a user would measure, not the sweep.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "sweep.toml"
        file.write_text(SWEEP, encoding="utf-8")
        path = measuring.begin(load(file, known()), Path(folder) / "run", report=False)
        summary = of_run(path)
    lacking = next((each for each in summary.cases if each.status != "measured"), None)
    if lacking:
        layout = " ".join(map(str, _key(lacking)))
        return [without_figure("advised layout / fastest of all", (0, 1), lacking, layout)]
    seen = replace(summary, cases=tuple(each for each in summary.cases if _is_seen(each)))
    layouts = {_key(each): each for each in summary.cases if each.case.ranks == RANKS}
    advice = advise(seen, RANKS)
    best = advice.layouts[0]
    advised = layouts[best.arrangement, *(best.ranks[name] for name in COMPONENTS)]
    fastest = min(layouts.values(), key=_median_s)
    ratios = [a / b for a, b in side_by_side([advised.figures_s, fastest.figures_s])]
    errors = {
        key: advice.costs.layout(str(key[0]), ranks_of(each), RANKS).predicted_s / _median_s(each)
        for key, each in layouts.items()
    }
    worst = max(errors, key=lambda key: abs(errors[key] - 1))
    return [
        Row(
            "advised layout / fastest of all",
            float(np.median(ratios)),
            0,
            1.0,
            f"{best.words}; {len(layouts)} layouts, {len(ratios)} launches",
            likely_median(ratios),
        ),
        Row(
            "predicted / measured, the worst of all layouts",
            errors[worst],
            1 - CLOSE,
            1 + CLOSE,
            " ".join(map(str, worst)),
        ),
    ]


def _median_s(case: CaseSummary) -> float:
    return float(np.median(list(case.figures_s.values())))


def _is_seen(case: CaseSummary) -> bool:
    """Whether the advisor sees it: all components on all ranks, or a mixed model."""
    counts = set(ranks_of(case).values())
    return case.case.axis("arrangement") == MIXED or counts == {case.case.ranks}


def _key(case: CaseSummary) -> tuple[str | int, ...]:
    counts = ranks_of(case)
    return (case.case.axis("arrangement"), *(counts[name] for name in COMPONENTS))


if __name__ == "__main__":
    sys.exit(show(rows()))
