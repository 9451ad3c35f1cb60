"""Ratios of times and claims about them, valid for all rows of a table together."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from halocline.base.quantities import significant
from halocline.summary.metrics import INCONCLUSIVE, is_wide
from halocline.summary.stats import Estimate, estimate

# Smaller differences count as none; if that is not significant, the verdict is inconclusive.
NO_DIFFERENCE = 0.03
RISK = 0.05  # of at least one wrong claim in a table
# A difference that would print as 0.0 % is none, however significant.
_LEAST = 0.0005
_MOST = math.log(1000)  # wider intervals are useless

Verdict = Literal["faster", "slower", "none", "unknown"]
VERDICTS: tuple[Verdict, ...] = ("faster", "slower", "none", "unknown")


@dataclass(frozen=True)
class Ratio:
    """Time with a setting over time with the baseline; no bounds with too few data.

    The bounds are at the level at which Holm's procedure tested the ratio: they exclude 1 exactly
    where a difference is claimed.
    """

    verdict: Verdict
    ratio: float
    low: float | None
    high: float | None
    launches: int
    level: float = field(default=RISK, compare=False)  # one minus the confidence of the bounds

    @property
    def wide(self) -> bool:
        """Whether the interval is wider than the ratio."""
        return is_wide(self.ratio, self.low, self.high)

    @property
    def text(self) -> str:
        """The verdict with its interval, in words."""
        if self.low is None or self.high is None:
            return "inconclusive: too few launches, or too much spread"
        span = f"{percent_text(self.low - 1)} to {percent_text(self.high - 1)}"
        if self.verdict == "none":
            most = math.ceil(1000 * max(1 - self.low, self.high - 1)) / 1000
            return f"no difference larger than {share_text(most)}"
        if self.verdict == "unknown":
            return f"inconclusive: {span}"
        if 0.5 <= self.ratio <= 2:
            return f"{self.verdict} by {share_text(abs(self.ratio - 1))} ({span})"
        span = f"{self.low:.3g} to {self.high:.3g}"
        return f"{self.verdict}: {self.ratio:.3g} times the time ({span})"

    def to_json(self) -> dict[str, Any]:
        """All of it, with its verdict in words."""
        shown = {name: value for name, value in asdict(self).items() if name != "level"}
        return {**shown, "text": self.text}


def judged(rows: Sequence[Sequence[float]]) -> list[Ratio]:
    """A verdict for each row of logarithms, all rows as one table."""
    estimates = [estimate(logs) if len(logs) > 1 else None for logs in rows]
    return [
        ratio
        if known
        else Ratio("unknown", math.exp(logs[0]) if logs else 1.0, None, None, len(logs))
        for logs, known, ratio in zip(
            rows, estimates, judged_estimates(estimates, [*map(len, rows)]), strict=True
        )
    ]


def judged_estimates(
    estimates: Sequence[Estimate | None],
    launches: Sequence[int],
    no_difference: float = NO_DIFFERENCE,
) -> list[Ratio]:
    """The same from estimates of the logarithms with their launches; None: too few."""
    risks = _holm({at: known.p_value for at, known in enumerate(estimates) if known is not None})
    return [
        _ratio(known, count, risks.get(at, RISK), no_difference)
        for at, (known, count) in enumerate(zip(estimates, launches, strict=True))
    ]


def _holm(p_values: Mapping[int, float]) -> dict[int, float]:
    """The level at which each hypothesis is tested; it is rejected if its p is below."""
    levels: dict[int, float] = {}
    level, open_ = 0.0, True
    for step, at in enumerate(sorted(p_values, key=lambda at: p_values[at])):
        if open_:
            level = RISK / (len(p_values) - step)
            open_ = p_values[at] < level
        levels[at] = level
    return levels


def _ratio(log_ratio: Estimate | None, launches: int, risk: float, no_difference: float) -> Ratio:
    if log_ratio is None:
        return Ratio("unknown", 1.0, None, None, launches)
    ratio = math.exp(log_ratio.centre)
    if not log_ratio.reach(risk) < _MOST:
        return Ratio("unknown", ratio, None, None, launches)
    low, high = log_ratio.bounds(risk)
    verdict: Verdict = "unknown"
    if log_ratio.p_value < risk and abs(ratio - 1) >= _LEAST:
        verdict = "faster" if ratio < 1 else "slower"
    elif max(1 - low, high - 1) <= no_difference:
        verdict = "none"
    return Ratio(verdict, ratio, low, high, launches, risk)


def side_by_side(rows: Sequence[Mapping[int, float]]) -> list[tuple[float, ...]]:
    """The launches, or turns, common to all rows; if none has all of them, pair their first,
    second...
    """
    common = sorted(set(rows[0]).intersection(*rows[1:]))
    if common:
        return [tuple(row[launch] for row in rows) for launch in common]
    ordered = ([row[launch] for launch in sorted(row)] for row in rows)
    return list(zip(*ordered, strict=False))


def share_text(share: float) -> str:
    """`0.3 %`, `12 %`."""
    percent = 100 * share
    return f"{percent:.1f} %" if abs(percent) < 9.95 else f"{percent:.0f} %"


def fine_share_text(share: float) -> str:
    """`12.3 %`: one digit for all, as of the phases of a step."""
    return f"{100 * share:.1f} %"


def percent_text(share: float) -> str:
    return ("-" if share < 0 else "+") + share_text(abs(share))


def plus_minus(half_width_relative: float | None) -> str:
    """Half an interval's width: `± 0.4 %`, or a word if inconclusive."""
    if half_width_relative is None:
        return "± unknown"
    if half_width_relative > INCONCLUSIVE:
        return "(inconclusive)"
    percent = 100 * half_width_relative
    if percent == 0:
        return "± 0 %"
    if percent < 0.1:
        return "± <0.1 %"
    return f"± {percent:.1f} %" if percent < 9.95 else f"± {percent:.0f} %"


def target(half_width_relative: float) -> str:
    """The requested half-width: `± 1 %`."""
    return f"± {100 * half_width_relative:g} %"


def times_text(ratio: float) -> str:
    """A ratio with the precision used in sentences: `2.6`, `1.05`, `140`."""
    return significant(ratio, 3 if ratio < 2 else 2)
