"""Launches disturbed too much by other work: docs/decisions/0034-launches-under-load.md."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from halocline.samples.agreement import Key
from halocline.samples.records import Loss

# An undisturbed launch loses 1 to 5 % of its time; next to one busy process, half. In a launch of
# a few milliseconds, the process that started it takes as much, up to 10 ms, on any node.
LOST_MOST, LOST_OFTEN, LOST_LEAST_S = 0.25, 3, 0.02

# Other work is taken to persist after it took this many launches in a row, this share of the
# budget, and this long.
LOST_IN_A_ROW, LOST_OF_BUDGET, LOST_LONG_S = 3, 0.1, 10.0


FEWER_RANKS = "use no more ranks than cores"


def took(share: float, *, own_ranks: bool) -> str:
    """What took this share of a launch's time: its own ranks where they share cores."""
    of_time = f"{100 * share:.0f} % of the time"
    if own_ranks:
        return f"ranks sharing cores waited for each other {of_time}"
    return f"other work took {of_time}"


@dataclass
class LostInARow:
    """The discarded launches of one kind since the last valid one."""

    budget_s: float
    launches: int = 0
    seconds: float = 0.0
    share: float = 0.0  # of the last launch's time

    def saw(self, share_lost: float | None, seconds: float) -> None:
        """A launch ended; `share_lost` is None if it is valid."""
        if share_lost is None:
            self.launches, self.seconds = 0, 0.0
        else:
            self.launches, self.seconds = self.launches + 1, self.seconds + seconds
            self.share = share_lost

    @property
    def hopeless(self) -> bool:
        """Whether further launches would be lost too."""
        long_s = max(LOST_OF_BUDGET * self.budget_s, LOST_LONG_S)
        return self.launches >= LOST_IN_A_ROW and self.seconds >= long_s


def launches_under_load(losses: Iterable[tuple[Key, Loss]]) -> dict[Key, float]:
    """The launches under load, with the share of their time taken by other work.

    A launch is kept or discarded as a whole, with all its cases.
    """
    of_launch: dict[Key, list[Loss]] = defaultdict(list)
    for key, loss in losses:
        of_launch[key].append(loss)
    shares = {}
    for key, launch_losses in of_launch.items():
        timed_s = sum(loss.timed_s for loss in launch_losses)
        lost_s = sum(loss.lost_s for loss in launch_losses)
        often = sum(loss.preemptions for loss in launch_losses) >= LOST_OFTEN
        if often and lost_s > max(LOST_MOST * timed_s, LOST_LEAST_S):
            shares[key] = lost_s / timed_s
    return shares
