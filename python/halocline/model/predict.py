"""The time of a workload by each model, from its messages alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from halocline.model.fit import Fit
from halocline.model.hockney import Hockney
from halocline.model.parameters import NO_PROBE, LogGP, MaxRate
from halocline.model.workloads import Demand

HOCKNEY, LOGGP, SHARED, MAX_RATE = "Hockney", "LogGP", "Hockney, shared", "max-rate"
MODELS = (HOCKNEY, LOGGP, SHARED, MAX_RATE)
NO_RATES = "the rates need usable fits for two numbers of simultaneous messages"
# Protocols that send and receive in a fixed order, one message or pair after the other.
_IN_TURNS = ("send_recv", "ssend_recv", "sendrecv")


@dataclass(frozen=True)
class Prediction:
    """A time, or why it is missing."""

    time_s: float | None
    reason: str = ""


def predictions(
    wanted: Demand,
    at_once: int,
    fits: Mapping[int, Fit],
    parameters: LogGP | None,
    rates: MaxRate | None,
) -> dict[str, Prediction]:
    """Predictions by model. `at_once` messages leave or enter a node during the exchange.

    Hockney: messages one after the other, each with its single time. LogGP: those of a phase
    overlap, and each after the first costs the overheads of a send and a receive, and its bytes.
    Hockney, shared: the same, with the fit for as many simultaneous messages. Max-rate: the same,
    with a message's bytes at the single rate or its share of the node's, whichever is less.
    """
    alone = _usable(fits, 1)
    by_model = {}
    for name in MODELS:
        model = _usable(fits, at_once) if name == SHARED else alone
        if name == MAX_RATE and isinstance(model, Hockney):
            model = _capped(model, at_once, rates)
        if isinstance(model, str):
            by_model[name] = Prediction(None, model)
        elif name == HOCKNEY:
            by_model[name] = Prediction(wanted.copies_s + _one_by_one(wanted, model))
        elif _in_turns(wanted):
            # Simultaneous messages were measured in both directions.
            turns = 2 if name == LOGGP else 1
            by_model[name] = Prediction(wanted.copies_s + turns * _sum(wanted, model))
        elif parameters is None or parameters.overhead_at_most_s is None:
            by_model[name] = _single(wanted, model)
        else:
            by_model[name] = Prediction(
                wanted.copies_s + _overlapping(wanted, model, 2 * parameters.overhead_at_most_s)
            )
    return by_model


def _usable(fits: Mapping[int, Fit], at_once: int) -> Hockney | str:
    """The model, or why it is missing."""
    fitted = fits.get(at_once)
    return (fitted.usable if fitted else None) or _why_not(fitted, at_once)


def _capped(alone: Hockney, at_once: int, rates: MaxRate | None) -> Hockney | str:
    """The time of a message that shares the node with others; or why it is unknown."""
    if rates is None or rates.rejected:
        return rates.rejected if rates else NO_RATES
    if rates.node_rate is None:
        return alone
    least_s = at_once / rates.node_rate.value
    return Hockney(
        tuple(replace(piece, per_byte_s=max(piece.per_byte_s, least_s)) for piece in alone.pieces)
    )


def _why_not(fitted: Fit | None, at_once: int) -> str:
    if fitted is None:
        return (
            f"no times of {at_once} messages at once" if at_once > 1 else "no times of one message"
        )
    return fitted.rejected


def _in_turns(wanted: Demand) -> bool:
    return wanted.protocol in _IN_TURNS


def _one_by_one(wanted: Demand, model: Hockney) -> float:
    """A rank that alternates between sending and receiving waits for both directions."""
    return (2 if _in_turns(wanted) else 1) * _sum(wanted, model)


def _sum(wanted: Demand, model: Hockney) -> float:
    return sum(model.time_s(size) for phase in wanted.phases for size in phase)


def _single(wanted: Demand, model: Hockney) -> Prediction:
    """Without overheads: only where no phase has a second message."""
    if any(len(phase) > 1 for phase in wanted.phases):
        return Prediction(None, NO_PROBE)
    return Prediction(wanted.copies_s + _sum(wanted, model))


def _overlapping(wanted: Demand, model: Hockney, overheads_s: float) -> float:
    return sum(_phase(sorted(phase), model, overheads_s) for phase in wanted.phases)


def _phase(sizes: list[int], model: Hockney, overheads_s: float) -> float:
    *rest, largest = sizes
    return model.time_s(largest) + sum(_others(rest, model, overheads_s))


def _others(sizes: list[int], model: Hockney, overheads_s: float) -> Iterator[float]:
    return (overheads_s + size * model.piece(size).per_byte_s for size in sizes)
