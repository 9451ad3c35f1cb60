"""Launches lost to other work: how they are reported, and when to stop launching."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from halocline.base.progress import left_text
from halocline.campaign.queues import Queue
from halocline.launch.binding import cores_of_a_node
from halocline.samples.under_load import FEWER_RANKS, LostInARow, took
from halocline.specification.configuration import layout_of


@dataclass(frozen=True)
class Kind:
    """A class of launches that other work on this machine disturbs in the same way."""

    nodes: int
    crowded: bool  # more ranks than cores: they wait for each other

    @property
    def where(self) -> str:
        """The kind in words."""
        place = "on one node" if self.nodes == 1 else f"on {self.nodes} nodes"
        return f"{place} with more ranks than cores" if self.crowded else place


def kind_of(queue: Queue) -> Kind:
    """The kind of a queue's launches."""
    nodes = layout_of(queue.configuration, queue.ranks).nodes
    on_a_node = Counter(queue.node_of_rank or (0,) * queue.ranks)
    return Kind(nodes, max(on_a_node.values()) > cores_of_a_node(queue.hosts, nodes))


@dataclass
class Lost(LostInARow):
    """The lost launches of a kind, and whether to stop launching."""

    warned: bool = False
    given_up: bool = False
    tried_again: bool = False

    def to(self, kind: Kind) -> str:
        """What took the time of the last launch."""
        return took(self.share, own_ranks=kind.crowded)

    def report(
        self, kind: Kind, launch: str, libraries: Sequence[str], say: Callable[[str], None]
    ) -> None:
        """Report once that a launch was discarded, and once that launching stops."""
        if self.launches and not self.warned:
            self.warned = True
            say(f"{launch} is discarded: {self.to(kind)}. {_what_holds(kind, libraries)}")
        if self.hopeless and not self.given_up:
            self.given_up = True
            say(
                f"{self.launches} launches in a row were discarded ({left_text(self.seconds)}): no "
                f"more are started {kind.where}"
            )


def try_again(lost: Sequence[Lost]) -> bool:
    """Whether something was given up although the disturbing work may have ended since."""
    if all(series.given_up for series in lost):
        return False  # no time has passed since
    waiting = [series for series in lost if series.given_up and not series.tried_again]
    for series in waiting:
        series.given_up, series.tried_again = False, True
    return bool(waiting)


def _what_holds(kind: Kind, libraries: Sequence[str]) -> str:
    if kind.crowded:
        return FEWER_RANKS.capitalize()
    sides = " ".join(libraries) if len(libraries) > 1 else "A B"
    return (
        f"While that work runs, nothing can be measured {kind.where}: end it (`top` "
        f"shows it), or run `halocline compare {sides}`, whose sides take turns and share the load"
    )
