"""The verdict of a comparison in one sentence."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from halocline.base.units import counted
from halocline.compare.comparison import Comparison, Row
from halocline.summary.ratios import share_text


def sentence(comparison: Comparison) -> str:
    """Faster, slower, no difference larger than a bound, or how to reach a conclusion."""
    silent = [row for row in comparison.rows if row.low is None]
    text = _of_measured(comparison)
    if not silent or len(silent) == len(comparison.rows):
        return text
    reason, _ = Counter(row.reason for row in silent).most_common(1)[0]
    return (
        f"{text} {len(silent)} of {counted(len(comparison.rows), 'case')} gave no figure: {reason}."
    )


def _of_measured(comparison: Comparison) -> str:
    measured = [row for row in comparison.rows if row.low is not None]
    sides = f"{comparison.other} against {comparison.baseline}"
    if not measured:
        return f"{sides} is inconclusive: {_why_nothing(comparison)}."
    faster, slower = comparison.rows_of("faster"), comparison.rows_of("slower")
    if faster or slower:
        return _difference(comparison, faster, slower, len(measured))
    widest = max(_farthest(row) for row in measured)
    if widest <= comparison.resolution:
        of = "" if len(measured) == 1 else f" in any of {len(measured)} cases"
        return (
            f"No difference larger than {_rounded_up(widest)} between {comparison.other} and "
            f"{comparison.baseline}{of}."
        )
    open_ = sum(_farthest(row) > comparison.resolution for row in measured)
    return (
        f"{sides} is inconclusive: {_of(open_, measured)} "
        f"may differ by up to {_rounded_up(widest)}; {_remedy(comparison)}."
    )


def _difference(
    comparison: Comparison, faster: Sequence[Row], slower: Sequence[Row], measured: int
) -> str:
    parts: list[str] = []
    for word, rows in (("faster", faster), ("slower", slower)):
        if not rows:
            continue
        sizes = sorted(abs(row.ratio.ratio - 1) for row in rows)
        by = f"by {_amount(rows[0]) if len(rows) == 1 else _from_to(sizes[0], sizes[-1])}"
        where = "" if measured == 1 else f" in {len(rows)} of {measured} cases"
        parts.append(
            f"{word} than {comparison.baseline} {by}{where}" if not parts else f"{word} {by}{where}"
        )
    text = f"{comparison.other} is {' and '.join(parts)}"
    same = comparison.rows_of("none")
    if same:
        most = _rounded_up(max(_farthest(row) for row in same))
        text += f"; {len(same)} differ by no more than {most}"
    unknown = sum(row.low is not None for row in comparison.rows_of("unknown"))
    if unknown:
        text += f"; {unknown} inconclusive"
    return f"{text}."


def _amount(row: Row) -> str:
    ratio = row.ratio
    assert ratio.low is not None and ratio.high is not None
    ends = sorted((abs(ratio.low - 1), abs(ratio.high - 1)))
    return f"{share_text(abs(ratio.ratio - 1))} ({share_text(ends[0])} to {share_text(ends[1])})"


def _from_to(low: float, high: float) -> str:
    return " to ".join(dict.fromkeys((share_text(low), share_text(high))))


def _farthest(row: Row) -> float:
    """The largest difference within the row's bounds."""
    low, high = row.ratio.low, row.ratio.high
    return math.inf if low is None or high is None else max(1 - low, high - 1)


def _rounded_up(share: float) -> str:
    return share_text(math.ceil(1000 * share) / 1000) if share < 10 else "more than a factor of ten"


def _of(count: int, measured: Sequence[Row]) -> str:
    return "they" if len(measured) == 1 else f"{count} of {len(measured)} cases"


def _remedy(comparison: Comparison) -> str:
    if not comparison.taken:
        return "compare live sides, which take turns, or measure both again with more launches"
    return "end other work on this node, or raise --launches and --budget"


def _why_nothing(comparison: Comparison) -> str:
    reasons = list(dict.fromkeys(row.reason for row in comparison.rows if row.reason))
    with_remedy = ("skipped:", "failed:", "interrupted")
    if reasons and all(reason.startswith(with_remedy) for reason in reasons):
        return reasons[0]
    return f"{reasons[0] if reasons else 'nothing was measured'}; {_remedy(comparison)}"
