"""Advice on the ranks of a coupled model's components, in words."""

from __future__ import annotations

from collections.abc import Iterator

from halocline.base.quantities import time_text
from halocline.model.components import Advice, Cost


def lines(advice: Advice) -> Iterator[str]:
    """For the terminal: the layouts, fastest first, then the basis of the prediction."""
    for layout in advice.layouts:
        yield f"{time_text(layout.predicted_s)}: {advice.command(layout)}"
    for cost in advice.costs.of.values():
        yield _cost_text(cost)
    for checked in advice.checked:
        yield (
            f"{checked.layout.words}: measured {time_text(checked.measured_s)}, "
            f"predicted {time_text(checked.layout.predicted_s)} ({checked.error:+.0%})"
        )


def _cost_text(cost: Cost) -> str:
    measured = ", ".join(f"{time_text(s)} on {n}" for n, s in cost.measured_s.items())
    if len(cost.measured_s) == 1:
        return f"{cost.component}: {measured}; as if its ranks shared all of it"
    return (
        f"{cost.component}: {measured}; {time_text(cost.shared_s)} shared by its ranks, "
        f"{time_text(cost.repeated_s)} on each"
    )
