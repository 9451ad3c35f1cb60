"""A model in its JSON schema."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from halocline.model.fit import ERROR_ALLOWED, Fit
from halocline.model.messages import Place
from halocline.model.model import PREDICTION_ALLOWED, Messages, Model, Predicted

SCHEMA = 1


def to_json(model: Model, run: str) -> dict[str, Any]:
    """The model of a run; times in seconds, sizes in bytes, errors relative."""
    return {
        "schema": SCHEMA,
        "run": run,
        "fit_error_allowed": ERROR_ALLOWED,
        "prediction_error_allowed": PREDICTION_ALLOWED,
        "messages": [_messages(entry) for entry in model.messages],
        "predicted": [_predicted(entry) for entry in model.predicted],
        "accuracies": [
            {**_place(entry.place), **{k: v for k, v in asdict(entry).items() if k != "place"}}
            for entry in model.accuracies
        ],
        "not_predicted": [{"reason": why, "cases": n} for why, n in model.unpredicted.items()],
    }


def _place(place: Place) -> dict[str, Any]:
    return {"mpi": place.mpi, "configuration": dict(place.settings), "off_node": place.off_node}


def _messages(messages: Messages) -> dict[str, Any]:
    rates = messages.max_rate
    return {
        **_place(messages.place),
        "protocol": messages.protocol,
        "hockney": [{"at_once": k, **_fit(fit)} for k, fit in messages.fits.items()],
        "loggp": asdict(messages.loggp) if messages.loggp else None,
        "max_rate": {**asdict(rates), "rejected": rates.rejected} if rates else None,
    }


def _fit(fit: Fit) -> dict[str, Any]:
    return {
        "launches": fit.launches,
        "rejected": fit.rejected,
        "median_error": fit.median_error,
        "worst_error": fit.worst_error,
        "pieces": [asdict(piece) for piece in fit.pieces],
        "residuals": [{**asdict(residual), "error": residual.error} for residual in fit.residuals],
    }


def _predicted(each: Predicted) -> dict[str, Any]:
    return {
        **_place(each.place),
        "workload": each.workload,
        "protocol": each.protocol,
        "axes": dict(each.axes),
        "ranks": each.ranks,
        "measured_s": each.measured_s,
        "predicted": {name: asdict(prediction) for name, prediction in each.by_model.items()},
        "left_out": each.left_out,
    }
