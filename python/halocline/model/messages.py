"""Which cases of a run time single messages, and where: the curves used for fits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from halocline.detect.curves import Curve, curve
from halocline.detect.eager import probed
from halocline.hosts.reachable import BETWEEN_NODES
from halocline.specification.configuration import Configuration, layout_of
from halocline.summary.summary import CaseSummary, Summary

_ALONE, _BOTH_WAYS = "pingpong", "pingping"
_SIMULTANEOUS = ("pairs", "contention", "distance")
_PROBE = "eager_probe"
_SMALL = 64  # bytes up to which a message is pure overhead


@dataclass(frozen=True, order=True)
class Place:
    """A library with its settings, and whether its messages leave the node."""

    mpi: str
    settings: Configuration  # except the layout
    off_node: bool
    between: str = BETWEEN_NODES

    @property
    def name(self) -> str:
        settings = " ".join(f"{key}={value}" for key, value in self.settings)
        where = self.between if self.off_node else "on node"
        return ", ".join(filter(None, (self.mpi, settings, where)))


@dataclass(frozen=True)
class Probe:
    """The result of the eager-limit probe, and a send's overhead.

    `limit`: the largest size (B) sent eagerly, and the smallest that was not.
    """

    limit: tuple[float, float] | None
    returned_s: float | None  # the time of a small send and of the notice that it returned


# By the number of messages that leave, enter or stay on a node at once.
Curves = Mapping[int, Curve]


def curves(summary: Summary) -> dict[tuple[Place, str], Curves]:
    """The times of messages by place and protocol, single and simultaneous."""
    by_place: dict[tuple[Place, str], dict[int, dict[int, CaseSummary]]] = defaultdict(
        lambda: defaultdict(dict)
    )
    for case in sorted(summary.cases, key=_among_others):
        at_once = _at_once(case, _nodes(case, summary))
        place = place_of(case, summary)
        if case.figures_s and at_once and place is not None:
            protocol = str(case.case.axis("protocol"))
            sizes = by_place[place, protocol][at_once]
            sizes.setdefault(int(case.case.axis("bytes")), case)
    return {
        key: {at_once: curve(sizes.items()) for at_once, sizes in sorted(by_number.items())}
        for key, by_number in by_place.items()
    }


def place_of(case: CaseSummary, summary: Summary) -> Place | None:
    """The place of all messages of a case; None if only some leave the node."""
    off_node = {pair.off_node for pair in case.pairs}
    nodes = _nodes(case, summary)
    if off_node in ({True}, {False}):
        leaves = off_node == {True}
    elif nodes in (1, case.case.ranks):
        leaves = nodes > 1
    else:
        return None
    settings = tuple((k, v) for k, v in case.case.configuration if k != "layout")
    return Place(case.case.mpi, settings, leaves, summary.between)


def _nodes(case: CaseSummary, summary: Summary) -> int:
    library = summary.libraries.get(case.case.label)
    layout = layout_of(case.case.configuration, case.case.ranks)
    return (library.nodes if library else 0) or layout.nodes


def probes(summary: Summary) -> dict[Place, Probe]:
    """The result of the eager-limit probe in each place."""
    sized: dict[Place, list[tuple[int, CaseSummary]]] = defaultdict(list)
    for case in summary.cases:
        place = place_of(case, summary)
        if case.case.workload == _PROBE and case.figures_s and place is not None:
            sized[place].append((int(case.case.axis("bytes")), case))
    return {place: _probe(cases) for place, cases in sized.items()}


def _probe(cases: list[tuple[int, CaseSummary]]) -> Probe:
    limit = probed(cases)
    between = None
    if limit is not None and limit.above is not None:
        between = (float(limit.below if limit.below is not None else -1), float(limit.above))
    returned = [
        time.median
        for size, case in sorted(cases, key=lambda pair: pair[0])
        if size <= _SMALL and limit is not None and (limit.below or -1) >= size
        if (time := case.metric("time"))
    ]
    return Probe(between, returned[0] if returned else None)


def _among_others(case: CaseSummary) -> bool:
    """Sort key: two ranks alone come before the same among others."""
    return case.case.workload not in (_ALONE, _BOTH_WAYS)


def _at_once(case: CaseSummary, nodes: int) -> int:
    """The number of simultaneous messages of a node; 0 for other kinds of cases.

    Also 0 if not every node takes part in all pairs.
    """
    workload, axes = case.case.workload, dict(case.case.axes)
    if workload in (_ALONE, _BOTH_WAYS):
        return 2 if workload == _BOTH_WAYS else 1
    if workload not in _SIMULTANEOUS:
        return 0
    off_node = any(pair.off_node for pair in case.pairs)
    if len(case.pairs) > 1 and nodes != (2 if off_node else 1):
        return 0
    ways = 2 if axes["pattern"] == _BOTH_WAYS else 1
    return ways * max(len(case.pairs), 1)
