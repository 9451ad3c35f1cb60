"""Launches that other work had too much of: docs/decisions/0034-launches-under-load.md."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from halocline.agreement import Key
from halocline.records import Loss

# Alone a launch loses 1 to 5 % of its time, beside one busy process half of it. Of one of a few
# milliseconds as much goes to what started it, up to 10 ms, on any node.
LOST_MOST, LOST_OFTEN, LOST_LEAST_S = 0.25, 3, 0.02


def launches_under_load(losses: Iterable[tuple[Key, Loss]]) -> dict[Key, float]:
    """The launches under load, with the share of their time that other work had.

    A launch as a whole: what is left of it has all of its cases, or none.
    """
    of_launch: dict[Key, list[Loss]] = defaultdict(list)
    for key, loss in losses:
        of_launch[key].append(loss)
    found = {}
    for key, each in of_launch.items():
        timed_s = sum(loss.timed_s for loss in each)
        lost_s = sum(loss.lost_s for loss in each)
        often = sum(loss.preemptions for loss in each) >= LOST_OFTEN
        if often and lost_s > max(LOST_MOST * timed_s, LOST_LEAST_S):
            found[key] = lost_s / timed_s
    return found
