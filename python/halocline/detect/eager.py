"""The eager limit: the size from which a standard send waits for its receive."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from halocline.detect.changes import Change, Kind, find_changes
from halocline.detect.curves import Curve, curve, ratio, usable
from halocline.summary.metrics import Metric
from halocline.summary.stats import CONFIDENCE, estimate
from halocline.summary.summary import CaseSummary

Sized = list[tuple[int, CaseSummary]]
SsendTakes = Literal["longer", "equal", "unknown"]

EQUAL = 0.03  # a smaller difference between Send and Ssend counts as equal
_AFTER = 3  # points past a step that must be equal
_PATIENCE_PER_BYTE_S = 10e-9  # additional patience in the driver, see eager_probe.cpp


@dataclass(frozen=True)
class Probed:
    """The result of the late-receiver probe: a send of `below` returned, none from `above` up did.

    `above` is None if the largest one tried returned; `below` if none did. One send that
    returns is proof; that `above` does not return holds with at least `confidence`.
    """

    below: int | None
    above: int | None
    confidence: float


@dataclass(frozen=True)
class EagerLimit:
    """The result of each method, independent of the others."""

    probed: Probed | None  # None: method not used
    synchronous: Change | None  # size from which Ssend takes as long as Send
    compared: bool  # whether any size has both
    # Without `synchronous`: at the largest sizes `longer` than Send, or `equal` at all.
    ssend_takes: SsendTakes | None
    steps: tuple[Change, ...]  # steps in the time of Send, whether a limit or not

    @property
    def between(self) -> tuple[int | None, int | None]:
        """The limit, from the most reliable method: the largest size below, the next above."""
        if self.probed is not None:
            return self.probed.below, self.probed.above
        if self.synchronous is not None:
            return self.synchronous.surely_above, self.synchronous.surely_below
        return None, None


def eager_limit(send: Sized, ssend: Sized, probe: Sized) -> EagerLimit:
    """From the cases of `pingpong` over send_recv and ssend_recv and of `eager_probe`, by size."""
    compared = ratio(ssend, send)
    equal_from = _equal_from(compared)
    return EagerLimit(
        probed=probed(probe),
        synchronous=equal_from,
        compared=len(compared.at) > 0,
        ssend_takes=_ssend_takes(compared) if compared.at and not equal_from else None,
        steps=tuple(c for c in find_changes(curve(send)) if c.kind is Kind.STEP),
    )


def probed(probe: Iterable[tuple[int, CaseSummary]]) -> Probed | None:
    """Evaluate `eager_probe` cases: the time is at least the patience unless the send returned.

    One shorter batch proves it, so the fastest decides, and noise cannot fake it.
    """
    waits = [(size, *wait) for size, case in probe if (wait := _waiting(size, case))]
    if not waits:
        return None
    returned = [wait for wait in waits if wait[1].minimum < wait[2]]
    below = max((size for size, *_ in returned), default=None)
    above = min((size for size, *_ in waits if below is None or size > below), default=None)
    if above is None:
        return Probed(below, None, 1.0)
    # A send that could return may still be late if its rank waits for a core. If most are
    # on time at sizes known to return, the probability that all were late is at most this.
    mostly = bool(returned) and all(
        time.median < patience_s for size, time, patience_s in returned if size == below
    )
    tries = sum(time.samples for size, time, _ in waits if size == above)
    return Probed(below, above, 1.0 - 0.5**tries if mostly else 0.0)


def _waiting(size: int, case: CaseSummary) -> tuple[Metric, float] | None:
    """The time of a probe, and its patience (s); None if it was not measured."""
    patience_s = int(case.case.axis("patience")) * 1e-6 + size * _PATIENCE_PER_BYTE_S
    time = case.metric("time")
    return None if time is None else (time, patience_s)


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


def _ssend_takes(compared: Curve) -> SsendTakes:
    """At 95 %; `unknown` with too few sizes or launches, or where intervals include both."""
    logarithms = np.log(usable(compared).figures)
    spans = [
        estimate(column[np.isfinite(column)]).bounds(1 - CONFIDENCE) for column in logarithms.T
    ]
    if len(spans) < _AFTER:
        return "unknown"
    if all(low > 1 + EQUAL for low, _ in spans[-_AFTER:]):
        return "longer"
    equal = all(low > 1 - EQUAL and high < 1 + EQUAL for low, high in spans)
    return "equal" if equal else "unknown"
