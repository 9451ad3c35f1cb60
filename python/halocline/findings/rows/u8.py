"""U8: latency and bandwidth as predictors of which place is faster, and by how much."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np
from scipy.special import bdtr, betaincinv

from halocline.base.errors import UserError
from halocline.findings.claim import (
    TOLERANCE,
    Claim,
    Criterion,
    Evidence,
    Number,
    Quantity,
    Unanswered,
)
from halocline.findings.evidence import Compared, check
from halocline.findings.verdicts import RISK
from halocline.model.model import Predicted, model
from halocline.model.predict import HOCKNEY, MODELS
from halocline.summary.ratios import side_by_side
from halocline.summary.stats import estimate
from halocline.summary.summary import Summary

PAIRS = 10  # of places, at least, for an answer
MORE = "name more libraries, as in `--mpi mpich --mpi intel --mpi openmpi`"
# Node against slow hosts is trivial to order.
PLACES = ("two places of one kind: both on a node, or both between nodes",)
ORDERED = Criterion(
    "which is faster",
    "share of pairs of places whose order latency and bandwidth predict, for most of the cases "
    "that are significantly more than 10 % apart",
    0.8,
    places=PLACES,
)
ERROR = Criterion(
    "by how much",
    "median error of the predicted ratio",
    high=0.25,
    places=PLACES,
)


@dataclass(frozen=True)
class Pair:
    """The same case in two places: the ratio of its times, measured and predicted."""

    measured: Compared
    predicted: float

    @property
    def ordered(self) -> bool | None:
        """Whether the faster one was predicted; None if they may be equal."""
        low, high = self.measured.bounds(RISK)
        if low > 1 + TOLERANCE:
            return self.predicted > 1
        return self.predicted < 1 if high < 1 - TOLERANCE else None

    @property
    def error(self) -> float:
        """The relative error of the predicted ratio."""
        return math.expm1(abs(math.log(self.predicted / self.measured.value)))

    def errors(self, risk: float) -> tuple[float, float]:
        """The bounds of that error, from the interval of the measured ratio."""
        low, high = self.measured.bounds(risk)
        most = max(self.predicted / low if low else math.inf, high / self.predicted) - 1
        least = max(low / self.predicted, self.predicted / high, 1.0) - 1
        return least, most


@dataclass(frozen=True)
class Places:
    """All cases of two places. Sizes of one workload say much the same: together they are one
    observation.
    """

    cases: Sequence[Pair]

    @property
    def ordered(self) -> bool | None:
        """Whether most orders were predicted; None if no case is far apart."""
        known = [case.ordered for case in self.cases if case.ordered is not None]
        return 2 * sum(known) > len(known) if known else None

    @property
    def error(self) -> float:
        """The median error over the cases."""
        return float(np.median([case.error for case in self.cases]))

    def errors(self, risk: float) -> tuple[float, float]:
        """The medians of the errors' bounds."""
        least, most = zip(*(case.errors(risk) for case in self.cases), strict=True)
        return float(np.median(least)), float(np.median(most))


@dataclass(frozen=True)
class Share:
    """The share of pairs whose order was predicted, with its exact binomial bounds."""

    right: int
    wrong: int

    @property
    def value(self) -> float:
        """The share."""
        return self.right / (self.right + self.wrong)

    def bounds(self, risk: float) -> tuple[float, float]:
        """Its interval at this risk."""
        low = float(betaincinv(self.right, self.wrong + 1, risk / 2)) if self.right else 0.0
        high = float(betaincinv(self.right + 1, self.wrong, 1 - risk / 2)) if self.wrong else 1.0
        return low, high


@dataclass(frozen=True)
class MedianError:
    """The median of the errors of pairs."""

    pairs: Sequence[Pair | Places]

    @property
    def value(self) -> float:
        """The median."""
        return float(np.median([pair.error for pair in self.pairs]))

    def bounds(self, risk: float) -> tuple[float, float]:
        """Bounds by rank, of errors as small, or as large, as they may be; none for few pairs."""
        least, most = zip(*(pair.errors(risk) for pair in self.pairs), strict=True)
        count = len(self.pairs)
        # The median lies beyond this many errors, counted from either end.
        rank = int(np.sum(bdtr(np.arange(count // 2), count, 0.5) <= risk / 2))
        if rank == 0:
            return 0.0, math.inf
        return sorted(least)[rank - 1], sorted(most)[count - rank]


def judge(summary: Summary) -> Evidence:
    """How well the ratios between places follow from messages alone."""
    try:
        predictions = model(summary).predicted
    except UserError as problem:
        raise Unanswered(str(problem)) from None
    by_model = {name: pairs(predictions, name) for name in MODELS}
    simple = by_model[HOCKNEY]
    checks = (
        check(ORDERED, "share of pairs whose order was predicted", partial(_ordered, simple)),
        check(ERROR, "median error of the predicted ratio", partial(_median, simple)),
    )
    numbers = tuple(
        Number(
            f"{name}: median error of the ratio, {len(model_pairs)} pairs of places",
            float(np.median([pair.error for pair in model_pairs])),
            "",
        )
        for name, model_pairs in by_model.items()
        if model_pairs
    )
    return Evidence(checks, numbers, "Places are MPI libraries and their settings")


def pairs(predictions: Sequence[Predicted], name: str) -> list[Places]:
    """Every two places, with the cases that the model predicts for both."""
    cases: dict[object, list[tuple[Predicted, float]]] = defaultdict(list)
    for case in predictions:
        if (time_s := case.by_model[name].time_s) is not None:
            key = case.workload, case.protocol, case.axes, case.ranks, case.place.off_node
            cases[key].append((case, time_s))
    both: dict[object, list[Pair]] = defaultdict(list)
    for places in cases.values():
        for (one, one_s), (other, other_s) in combinations(places, 2):
            launches = side_by_side([one.figures_s, other.figures_s])
            if len(launches) > 1:
                logs = estimate([math.log(a / b) for a, b in launches])
                both[one.place, other.place].append(Pair(Compared(logs), one_s / other_s))
    return [Places(of_both) for of_both in both.values()]


def _ordered(simple: Sequence[Places]) -> Quantity:
    apart = [pair.ordered for pair in simple if pair.ordered is not None]
    if len(apart) < PAIRS:
        raise Unanswered(
            f"{len(apart)} pairs of places of one kind with significantly different times are "
            f"predicted, at least {PAIRS} are needed: {MORE}"
        )
    return Share(sum(apart), len(apart) - sum(apart))


def _median(simple: Sequence[Places]) -> Quantity:
    if len(simple) < PAIRS:
        raise Unanswered(
            f"{len(simple)} pairs of places of one kind are predicted, at least {PAIRS} are "
            f"needed: {MORE}"
        )
    return MedianError(simple)


claim = Claim(
    id="U8",
    text="the simple specifications predict relative communication performance rather well",
    paper="X1, XD1 and XT3, conclusions",
    experiments=("specifications",),
    judge=judge,
    criteria=(ORDERED, ERROR),
    compares_libraries=True,
)
