"""The eager limit: the size from which a standard send waits for its receive."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from halocline.detect.changes import Change, Kind, find_changes
from halocline.detect.curves import Curve, curve, ratio
from halocline.metrics import Metric
from halocline.summary import CaseSummary

Sized = list[tuple[int, CaseSummary]]

EQUAL = 0.03  # Send and Ssend differ by less: they do the same
_AFTER = 3  # points past a step that must be equal


@dataclass(frozen=True)
class Probed:
    """What the probe of a late receiver saw: sends up to `below` returned, those from `above` on
    did not.

    `above` is None if all that were tried returned; `below` if none did. One send that returns is
    proof; that none does is as sure as `confidence`.
    """

    below: int | None
    above: int | None
    confidence: float


@dataclass(frozen=True)
class EagerLimit:
    """What each way of looking found, independent of the others."""

    probed: Probed | None  # None: not looked at in this way
    synchronous: Change | None  # where Ssend stops taking longer than Send
    compared: bool  # whether there were sizes with both
    steps: tuple[Change, ...]  # of the time of Send, a limit or not

    @property
    def between(self) -> tuple[int | None, int | None]:
        """The limit, from the surest way that found one: the largest size below, the next above."""
        if self.probed is not None:
            return self.probed.below, self.probed.above
        if self.synchronous is not None:
            return self.synchronous.surely_above, self.synchronous.surely_below
        return None, None


def eager_limit(send: Sized, ssend: Sized, probe: Sized) -> EagerLimit:
    """From the cases of `pingpong` over send_recv and ssend_recv and of `eager_probe`, by size."""
    compared = ratio(ssend, send)
    return EagerLimit(
        probed=probed(probe),
        synchronous=_equal_from(compared),
        compared=len(compared.at) > 0,
        steps=tuple(c for c in find_changes(curve(send)) if c.kind is Kind.STEP),
    )


def probed(probe: Iterable[tuple[int, CaseSummary]]) -> Probed | None:
    """From the cases of `eager_probe`: its time is at least the patience unless the send returned.

    One batch that is shorter proves it, so the fastest decides, and noise cannot feign it.
    """
    times = {size: metric for size, case in probe if (metric := _waiting(case)) is not None}
    returned = {size for size, (time, patience_s) in times.items() if time.minimum < patience_s}
    blocked = sorted(times.keys() - returned)
    if not times:
        return None
    above = blocked[0] if blocked else None
    below = max((size for size in returned if above is None or size < above), default=None)
    if above is None:
        return Probed(below, None, 1.0)
    # A send that could return may still be late when its rank has to wait for a core. If most are
    # not, where they are known to return, then the chance that all were is at most this.
    mostly = below is None or times[below][0].median < times[below][1]
    late = 0.5 ** times[above][0].samples if mostly else 1.0
    return Probed(below, above, 1.0 - late)


def _waiting(case: CaseSummary) -> tuple[Metric, float] | None:
    """The time of a probe, and its patience (s); None if it was not measured."""
    time = case.metric("time")
    return None if time is None else (time, int(case.case.axis("patience")) * 1e-6)


def _equal_from(compared: Curve) -> Change | None:
    """The step down of Ssend over Send to 1."""
    for change in find_changes(compared, affine=False):
        after = [column for column, at in enumerate(compared.at) if at >= change.above][:_AFTER]
        usual = np.nanmedian(compared.figures[:, after], axis=0)
        if (
            change.kind is Kind.STEP
            and change.height < 0
            and bool(np.all(np.abs(np.log(usual)) < EQUAL))
        ):
            return change
    return None
