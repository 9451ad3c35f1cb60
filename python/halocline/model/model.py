"""All models of a run: fitted, judged, and tested on cases not used in the fit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from halocline.base.errors import UserError
from halocline.base.quantities import size_label
from halocline.model.fit import Fit, fit
from halocline.model.messages import Place, Probe, curves, probes
from halocline.model.parameters import LogGP, MaxRate, loggp, max_rate
from halocline.model.predict import MODELS, Prediction, predictions
from halocline.model.workloads import Demand, Untold, copies, demand, predictable
from halocline.specification.cases import AxisValue
from halocline.summary.summary import CaseSummary, Summary

PREDICTION_ALLOWED = 0.15  # median over the cases of a workload in a place


@dataclass(frozen=True)
class Messages:
    """The models of one protocol in one place."""

    place: Place
    protocol: str
    fits: dict[int, Fit]  # Hockney's, by how many messages touch a node at once
    loggp: LogGP | None
    max_rate: MaxRate | None


@dataclass(frozen=True)
class Predicted:
    """A case not used in any fit."""

    place: Place
    workload: str
    protocol: str  # source of the message times
    axes: tuple[tuple[str, AxisValue], ...]
    ranks: int
    measured_s: float
    by_model: dict[str, Prediction]
    left_out: str  # what the prediction omits or extrapolates
    figures_s: Mapping[int, float] = field(default_factory=dict)  # measured, by turn


@dataclass(frozen=True)
class Accuracy:
    """The error of a model for a workload in a place; None without predictions."""

    place: Place
    workload: str
    protocol: str
    model: str
    cases: int
    median_error: float | None
    worst_error: float | None
    rejected: str  # why it must not be used for this; empty if usable


@dataclass(frozen=True)
class Model:
    """All models; `unpredicted` counts the measured cases that were not predicted, by reason."""

    messages: tuple[Messages, ...]
    probes: dict[Place, Probe]
    predicted: tuple[Predicted, ...]
    accuracies: tuple[Accuracy, ...]
    unpredicted: dict[str, int]


def model(summary: Summary) -> Model:
    """The models of a run; UserError if it has no messages to fit them to."""
    measured, probed = curves(summary), probes(summary)
    if not any(1 in by_number for by_number in measured.values()):
        raise UserError(
            "no times of single messages, needed for the fit",
            where=str(summary.path),
            remedy="use a run that has `pingpong` at several sizes, such as a survey, or measure "
            "one with `halocline model --measure`",
        )
    messages = []
    for (place, protocol), by_number in sorted(measured.items()):
        probe = probed.get(place)
        limit = probe.limit if probe else None
        fits = {k: fit(curve, limit) for k, curve in by_number.items()}
        parameters = loggp(fits[1], probe) if 1 in fits else None
        rates = max_rate(fits, by_number)
        messages.append(Messages(place, protocol, fits, parameters, rates))
    predicted, unpredicted = _predicted(summary, messages)
    return Model(tuple(messages), probed, predicted, _accuracies(predicted), unpredicted)


def _predicted(
    summary: Summary, messages: Sequence[Messages]
) -> tuple[tuple[Predicted, ...], dict[str, int]]:
    known = {(entry.place, entry.protocol): entry for entry in messages}
    copied = copies(summary)
    predicted: list[Predicted] = []
    unpredicted: dict[str, int] = defaultdict(int)
    for place, case in predictable(summary):
        where = place.name if place else case.case.label
        try:
            if place is None:
                raise Untold("some of its messages leave the node, some do not")
            predicted.append(_one(place, case, demand(case, copied, place.off_node), known))
        except Untold as why:
            unpredicted[f"{case.case.workload}, {where}: {why}"] += 1
    return tuple(predicted), dict(unpredicted)


def _one(
    place: Place,
    case: CaseSummary,
    wanted: Demand,
    known: Mapping[tuple[Place, str], Messages],
) -> Predicted:
    messages = known.get((place, wanted.protocol))
    if messages is None:
        raise Untold(f"no times of messages over {wanted.protocol}")
    ranks = case.case.ranks
    at_once = 2 if place.off_node else ranks  # one in and one out, or one of each rank
    time = case.metric("time")
    assert time is not None
    return Predicted(
        place,
        case.case.workload,
        wanted.protocol,
        case.case.axes,
        ranks,
        time.median,
        predictions(wanted, at_once, messages.fits, messages.loggp, messages.max_rate),
        "; ".join(filter(None, (wanted.left_out, _beyond(wanted, messages.fits)))),
        case.figures_s,
    )


def _beyond(wanted: Demand, fits: Mapping[int, Fit]) -> str:
    """What says that messages are larger than those of a fit; empty if none is, or no fit is."""
    largest = max((size for phase in wanted.phases for size in phase), default=0)
    usable = [fit for fit in fits.values() if not fit.rejected]
    fitted = min((max(left.bytes for left in fit.residuals) for fit in usable), default=largest)
    if largest <= fitted:
        return ""
    return (
        f"extrapolated: its messages are of up to {size_label(largest)}, those of the fit of up to "
        f"{size_label(fitted)}"
    )


def _accuracies(predicted: Sequence[Predicted]) -> tuple[Accuracy, ...]:
    groups: dict[tuple[Place, str, str], list[Predicted]] = defaultdict(list)
    for case in predicted:
        groups[case.place, case.workload, case.protocol].append(case)
    return tuple(_accuracy(*key, name, cases) for key, cases in groups.items() for name in MODELS)


def _accuracy(
    place: Place, workload: str, protocol: str, name: str, cases: Sequence[Predicted]
) -> Accuracy:
    errors = [
        abs(time_s / case.measured_s - 1)
        for case in cases
        if (time_s := case.by_model[name].time_s) is not None
    ]
    if not errors:
        reason = next(case.by_model[name].reason for case in cases)
        return Accuracy(place, workload, protocol, name, 0, None, None, reason)
    median = float(np.median(errors))
    rejected = ""
    if median > PREDICTION_ALLOWED:
        rejected = (
            f"its median error is {100 * median:.0f} %; "
            f"{100 * PREDICTION_ALLOWED:.0f} % are allowed"
        )
    return Accuracy(place, workload, protocol, name, len(errors), median, max(errors), rejected)
