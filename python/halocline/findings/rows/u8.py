"""U8: latency and bandwidth as predictors of which place is faster, and by how much."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np
from scipy.special import bdtr, betaincinv

from halocline.base.errors import UserError
from halocline.base.units import counted
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
from halocline.model.messages import Place
from halocline.model.model import Predicted, model
from halocline.model.predict import HOCKNEY, MODELS
from halocline.summary.ratios import side_by_side
from halocline.summary.stats import estimate
from halocline.summary.summary import Summary

PAIRS = 10  # of places, each in one pair, at least, for an answer
MORE = (
    "name more libraries, as in `--mpi mpich --mpi intel --mpi openmpi`, and sweep settings of each"
)
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
    both: tuple[Place, Place]

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
    """The share of pairs whose order was predicted, with its exact binomial bounds.

    Pairs that have a place in common depend on each other: the mean over all pairs is as certain
    as that over `independent` ones, at least.
    """

    right: int
    wrong: int
    independent: int

    @property
    def value(self) -> float:
        """The share."""
        return self.right / (self.right + self.wrong)

    def bounds(self, risk: float) -> tuple[float, float]:
        """Its interval at this risk."""
        right = self.value * self.independent
        wrong = self.independent - right
        low = float(betaincinv(right, wrong + 1, risk / 2)) if right else 0.0
        high = float(betaincinv(right + 1, wrong, 1 - risk / 2)) if wrong else 1.0
        return low, high


@dataclass(frozen=True)
class MedianError:
    """The median of the errors of pairs, of which so many are independent."""

    pairs: Sequence[Pair | Places]
    independent: int

    @property
    def value(self) -> float:
        """The median."""
        return float(np.median([pair.error for pair in self.pairs]))

    def bounds(self, risk: float) -> tuple[float, float]:
        """Bounds by rank, of errors as small, or as large, as they may be; none for few pairs."""
        least, most = zip(*(pair.errors(risk) for pair in self.pairs), strict=True)
        count = self.independent
        # The median lies beyond this many errors, counted from either end.
        rank = int(np.sum(bdtr(np.arange(count // 2), count, 0.5) <= risk / 2))
        if rank == 0:
            return 0.0, math.inf
        share = (rank - 1) / (count - 1)
        return (
            float(np.quantile(least, share, method="lower")),
            float(np.quantile(most, 1 - share, method="higher")),
        )


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
    both: dict[tuple[Place, Place], list[Pair]] = defaultdict(list)
    for places in cases.values():
        for (one, one_s), (other, other_s) in combinations(places, 2):
            launches = side_by_side([one.figures_s, other.figures_s])
            if len(launches) > 1:
                logs = estimate([math.log(a / b) for a, b in launches])
                both[one.place, other.place].append(Pair(Compared(logs), one_s / other_s))
    return [Places(of_both, names) for names, of_both in both.items()]


def independent(found: Sequence[Places]) -> int:
    """A number of pairs in which each place occurs once; at least half of the largest one."""
    neighbours = Counter(place for pair in found for place in pair.both)
    taken: set[Place] = set()
    # Those with few others first: they have the fewest choices.
    for pair in sorted(found, key=lambda pair: sum(neighbours[place] for place in pair.both)):
        if not taken.intersection(pair.both):
            taken.update(pair.both)
    return len(taken) // 2


def _ordered(simple: Sequence[Places]) -> Quantity:
    apart = [pair for pair in simple if pair.ordered is not None]
    count = independent(apart)
    if count < PAIRS:
        raise Unanswered(
            f"{counted(count, 'independent pair')} of places of one kind with significantly "
            f"different times are predicted, at least {PAIRS} are needed: {MORE}"
        )
    right = sum(bool(pair.ordered) for pair in apart)
    return Share(right, len(apart) - right, count)


def _median(simple: Sequence[Places]) -> Quantity:
    count = independent(simple)
    if count < PAIRS:
        raise Unanswered(
            f"{counted(count, 'independent pair')} of places of one kind are predicted, at least "
            f"{PAIRS} are needed: {MORE}"
        )
    return MedianError(simple, count)


claim = Claim(
    id="U8",
    text="the simple specifications predict relative communication performance rather well",
    paper="X1, XD1 and XT3, conclusions",
    experiments=("specifications",),
    judge=judge,
    criteria=(ORDERED, ERROR),
    compares_libraries=True,
)
