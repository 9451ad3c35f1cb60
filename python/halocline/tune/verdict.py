"""The verdict of the final comparison: which candidate to use, or that the default is as good."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halocline.base.units import counted
from halocline.compare.comparison import LAUNCHES_MINIMUM, cautious
from halocline.summary.ratios import (
    NO_DIFFERENCE,
    Ratio,
    judged_estimates,
    percent_text,
    share_text,
)
from halocline.summary.stats import Estimate, estimate
from halocline.tune.candidates import Candidate


@dataclass(frozen=True)
class Verdict:
    """The finalists, each against the default and against the best one, as one table.

    `recommended` is None if the default is as good, or if the comparison is inconclusive.
    """

    default: Candidate
    finalists: tuple[Candidate, ...]
    against_default: tuple[Ratio, ...]
    against_best: tuple[Ratio | None, ...]  # of the best itself None
    recommended: int | None

    @property
    def best(self) -> int | None:
        """The one with the shortest time."""
        ratios = [
            ratio.ratio if ratio.low is not None else math.inf for ratio in self.against_default
        ]
        return min(range(len(ratios)), key=lambda at: ratios[at]) if ratios else None

    @property
    def outcome(self) -> str:
        """`better`, `as_good` (the default is), or `unknown`."""
        if self.recommended is not None:
            return "better"
        return "as_good" if self.finalists and self.open is None else "unknown"

    @property
    def open(self) -> int | None:
        """The one with the shortest time of those that may be faster, as far as is known."""
        unknown = [
            (ratio.ratio if ratio.low is not None else math.inf, at)
            for at, ratio in enumerate(self.against_default)
            if ratio.verdict == "unknown"
        ]
        return min(unknown)[1] if unknown else None


def judged(
    default: Candidate,
    finalists: Sequence[Candidate],
    tables: Sequence[NDArray[np.float64]],
    resolution: float = NO_DIFFERENCE,
) -> Verdict:
    """Make a verdict from the logarithm of each finalist's time over the default's.

    A table has a row per launch of all sides and a column per problem. Among those that
    do not differ from the best one, the one that changes least is recommended.
    """
    rows = [np.mean(table, axis=1) if table.size else np.empty(0) for table in tables]
    centres = [known.centre if known else math.inf for known in map(_estimate, rows)]
    best = min(range(len(rows)), key=lambda at: centres[at]) if rows else -1
    behind = [row - rows[best] for at, row in enumerate(rows) if at != best]
    ratios = _ratios([*rows, *behind], resolution)
    against_default = ratios[: len(rows)]
    rest = iter(ratios[len(rows) :])
    against_best = [None if at == best else next(rest) for at in range(len(rows))]
    # Launches that one of the two lacks, and outliers, can make another one faster than the best.
    beaten = any(other is not None and other.verdict == "faster" for other in against_best)
    recommended = [
        at
        for at, (ratio, other) in enumerate(zip(against_default, against_best, strict=True))
        if ratio.verdict == "faster" and (not beaten if other is None else _may_be_as_fast(other))
    ]
    simplest = min(
        recommended,
        key=lambda at: (len(finalists[at].changes(default)), centres[at]),
        default=None,
    )
    return Verdict(default, tuple(finalists), tuple(against_default), tuple(against_best), simplest)


def _may_be_as_fast(other: Ratio) -> bool:
    """Whether it is as good as the best one, as far as the data show."""
    return other.low is not None and other.verdict != "slower"


def sentence(verdict: Verdict, measured: int, left_out: int) -> str:
    """The recommendation, its gain, and how sure it is; or that the default is as good."""
    usual = " ".join(f"{key}={value}" for key, value in verdict.default.settings.items())
    default = f"the default ({usual})" if usual else "the default"
    of = f"{counted(measured, 'candidate')} {'was' if measured == 1 else 'were'} measured"
    of += f", {left_out} could not be" if left_out else ""
    if verdict.recommended is not None:
        ratio = verdict.against_default[verdict.recommended]
        name = verdict.finalists[verdict.recommended].name(verdict.default)
        return f"Use {name}: {_faster(ratio)} than {default}; {of}."
    if not verdict.finalists:
        return f"No candidate could be compared with {default}: {of}."
    best = verdict.best if verdict.open is None else verdict.open
    assert best is not None
    name, ratio = verdict.finalists[best].name(verdict.default), verdict.against_default[best]
    if verdict.outcome == "as_good":
        return f"Keep {default}: the best of the others, {name}, is {_none(ratio)}; {of}."
    return (
        f"Whether {name} beats {default} is inconclusive: {_open(ratio)}; raise --budget or "
        f"--resolution, or end other work on this node, and search again; {of}."
    )


def _faster(ratio: Ratio) -> str:
    assert ratio.low is not None and ratio.high is not None
    span = f"{share_text(1 - ratio.high)} to {share_text(1 - ratio.low)}"
    return f"faster by {share_text(1 - ratio.ratio)} ({span})"


def _none(ratio: Ratio) -> str:
    assert ratio.low is not None and ratio.high is not None
    if ratio.verdict == "slower":
        return f"slower by {share_text(ratio.ratio - 1)}"
    most = share_text(max(1 - ratio.low, 0.0))
    return "no faster" if most == share_text(0.0) else f"faster by {most} at most"


def _open(ratio: Ratio) -> str:
    if ratio.low is None or ratio.high is None:
        return "too few launches, or too much spread"
    return f"{percent_text(ratio.low - 1)} to {percent_text(ratio.high - 1)} of its time"


def _estimate(row: NDArray[np.float64]) -> Estimate | None:
    """From the launches that have a figure; None if they are too few."""
    usable = row[np.isfinite(row)]
    return cautious(estimate(usable)) if usable.size >= LAUNCHES_MINIMUM else None


def _ratios(rows: Sequence[NDArray[np.float64]], resolution: float) -> list[Ratio]:
    launches = [int(np.isfinite(row).sum()) for row in rows]
    return judged_estimates([_estimate(row) for row in rows], launches, resolution)
