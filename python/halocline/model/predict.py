"""What each model says that a workload takes, from its messages alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from halocline.model.fit import Fit
from halocline.model.hockney import Hockney
from halocline.model.parameters import NO_PROBE, LogGP
from halocline.model.workloads import Demand

HOCKNEY, LOGGP, MAX_RATE = "Hockney", "LogGP", "max-rate"
MODELS = (HOCKNEY, LOGGP, MAX_RATE)
# Protocols that send and receive in one order, a message or a pair of them after the other.
_IN_TURNS = ("send_recv", "ssend_recv", "sendrecv")


@dataclass(frozen=True)
class Told:
    """A time, or why there is none."""

    time_s: float | None
    reason: str = ""


def predictions(
    wanted: Demand, at_once: int, fits: Mapping[int, Fit], parameters: LogGP | None
) -> dict[str, Told]:
    """By the model's name. `at_once` messages touch a node while the workload exchanges.

    Hockney: each message takes its time alone, one after the other. LogGP: those of a phase
    overlap, and each after the first costs the overheads of a send and a receive, and its bytes.
    Max-rate: the same, with what messages take that share the node.
    """
    alone, shared = fits.get(1), fits.get(at_once)
    found = {}
    for name in MODELS:
        fitted = shared if name == MAX_RATE else alone
        if (model := fitted.usable if fitted else None) is None:
            found[name] = Told(None, _why_not(fitted, at_once if name == MAX_RATE else 1))
        elif name == HOCKNEY:
            found[name] = Told(wanted.copies_s + _one_by_one(wanted, model))
        elif _in_turns(wanted):
            turns = 1 if name == MAX_RATE else 2
            found[name] = Told(wanted.copies_s + turns * _sum(wanted, model))
        elif parameters is None or parameters.overhead_at_most_s is None:
            found[name] = _single(wanted, model)
        else:
            found[name] = Told(
                wanted.copies_s + _overlapping(wanted, model, 2 * parameters.overhead_at_most_s)
            )
    return found


def _why_not(fitted: Fit | None, at_once: int) -> str:
    if fitted is None:
        return (
            f"no times of {at_once} messages at once" if at_once > 1 else "no times of one message"
        )
    return fitted.rejected


def _in_turns(wanted: Demand) -> bool:
    return wanted.protocol in _IN_TURNS


def _one_by_one(wanted: Demand, model: Hockney) -> float:
    """A rank that sends and receives in turns waits for both ways."""
    return (2 if _in_turns(wanted) else 1) * _sum(wanted, model)


def _sum(wanted: Demand, model: Hockney) -> float:
    return sum(model.time_s(size) for phase in wanted.phases for size in phase)


def _single(wanted: Demand, model: Hockney) -> Told:
    """Without overheads: only where no phase has a second message."""
    if any(len(phase) > 1 for phase in wanted.phases):
        return Told(None, NO_PROBE)
    return Told(wanted.copies_s + _sum(wanted, model))


def _overlapping(wanted: Demand, model: Hockney, overheads_s: float) -> float:
    return sum(_phase(sorted(phase), model, overheads_s) for phase in wanted.phases)


def _phase(sizes: list[int], model: Hockney, overheads_s: float) -> float:
    *others, largest = sizes
    return model.time_s(largest) + sum(_others(others, model, overheads_s))


def _others(sizes: list[int], model: Hockney, overheads_s: float) -> Iterator[float]:
    return (overheads_s + size * model.piece(size).per_byte_s for size in sizes)
