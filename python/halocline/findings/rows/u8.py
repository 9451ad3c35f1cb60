"""U8: latency and bandwidth as predictors of which place is faster, and by how much."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from halocline.errors import UserError
from halocline.findings.claim import Answer, Claim, Number, Unanswered
from halocline.findings.evidence import ALIKE
from halocline.model.model import Predicted, model
from halocline.model.predict import HOCKNEY, MODELS
from halocline.summary import Summary

PAIRS = 10  # at least, for an answer
# What "rather well" is taken for.
ORDERED, ERROR = 0.95, 0.25


@dataclass(frozen=True)
class Pair:
    """The same case in two places: the ratio of its times, measured and predicted."""

    measured: float
    predicted: float

    @property
    def ordered(self) -> bool | None:
        """Whether the faster one was foreseen; None where readers would call them alike."""
        if abs(math.log(self.measured)) <= math.log1p(ALIKE):
            return None
        return (self.measured > 1) == (self.predicted > 1)

    @property
    def error(self) -> float:
        """How far the predicted ratio is off, as a share."""
        return math.expm1(abs(math.log(self.predicted / self.measured)))


def judge(summary: Summary) -> Answer:
    """How well the ratios between places follow from messages alone."""
    try:
        found = model(summary).predicted
    except UserError as problem:
        raise Unanswered(str(problem)) from None
    by_model = {name: pairs(found, name) for name in MODELS}
    simple = by_model[HOCKNEY]
    apart = [each.ordered for each in simple if each.ordered is not None]
    if len(apart) < PAIRS:
        raise Unanswered(
            f"{len(apart)} pairs of places whose times differ and are predicted, at least {PAIRS} "
            "are needed: `--mpi mpich --mpi intel` gives more places"
        )
    ordered, error = float(np.mean(apart)), _median_error(simple)
    numbers = [Number("Hockney: share of pairs whose faster place was foreseen", ordered, "")]
    numbers += [
        Number(f"{name}: median error of the ratio, {len(each)} pairs", _median_error(each), "")
        for name, each in by_model.items()
        if each
    ]
    holds = ordered >= ORDERED and error <= ERROR
    because = (
        f"from the latency and bandwidth of messages, and of copies, the faster of two places is "
        f"foreseen in {100 * ordered:.0f} % of {len(apart)} pairs, and how much faster it is to "
        f"{100 * error:.0f} % in the median; rather well is taken for {100 * ORDERED:.0f} % and "
        f"{100 * ERROR:.0f} %. Places are MPI libraries on a node and between nodes, the cases "
        "halos, all-to-alls and redistributions"
    )
    return Answer("reproduced" if holds else "differs", because, tuple(numbers))


def pairs(found: Sequence[Predicted], name: str) -> list[Pair]:
    """Every case in two places that the model tells of both."""
    alike: dict[object, list[tuple[float, float]]] = defaultdict(list)
    for each in found:
        if (time_s := each.told[name].time_s) is not None:
            key = each.workload, each.protocol, each.axes, each.ranks
            alike[key].append((each.measured_s, time_s))
    return [
        Pair(one[0] / other[0], one[1] / other[1])
        for places in alike.values()
        for one, other in combinations(places, 2)
    ]


def _median_error(found: Sequence[Pair]) -> float:
    return float(np.median([each.error for each in found]))


claim = Claim(
    id="U8",
    text="the simple specifications predict relative communication performance rather well",
    paper="X1, XD1 and XT3, conclusions",
    experiment="specifications",
    judge=judge,
)
