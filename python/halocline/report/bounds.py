"""Memory bandwidth from the kernels: the lines that bound messages on a node."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from halocline.base.quantities import rate_text, size_label
from halocline.base.units import size_text
from halocline.report.entries import ON_NODE, Entry, entries
from halocline.report.palette import colour
from halocline.report.rows import Row, bounded
from halocline.summary.bounds import COPY, TRIAD, largest_cache_bytes
from halocline.summary.ratios import plus_minus
from halocline.summary.summary import Summary

_NAMES = {COPY: "copy", TRIAD: "triad"}
_RANKS = 2  # of a ping-pong
_ACTIVE = {"one": "one rank", "all": "all at once"}
_DASHES = {
    (COPY, "one"): [6, 3],
    (COPY, "all"): [2, 2],
    (TRIAD, "one"): [9, 3, 2, 3],
    (TRIAD, "all"): [1, 4],
}
_LINE = {
    "type": "line",
    "strokeWidth": 1.2,
    "clip": True,
    "aria": False,
    "color": colour("muted"),
    "opacity": 0.8,
}
_LABEL = {
    "type": "text",
    "align": "right",
    "dx": -4,
    "fontSize": 9.5,
    "clip": True,
    "aria": False,
    "color": colour("muted"),
}
# Drawn below the letters, which curves passing there would make unreadable.
_AROUND = {"stroke": colour("surface"), "strokeWidth": 3, "strokeJoin": "round"}
_LABEL_HEIGHT = 0.07  # of the panel


def bounds(summaries: Sequence[Summary]) -> list[Row]:
    """A row for each size of each kernel, by the first series that measured it; none for runs on
    several machines, whose curves would be drawn below the bounds of one of them.

    The kernels do not communicate: libraries make no difference to them.
    """
    if len({(s.machine, str(s.environment.get("host", ""))) for s in summaries}) > 1:
        return []
    cases = [
        entry
        for entry in entries(summaries, (COPY, TRIAD))
        if entry.word("stores") != "streaming" and entry.place == ON_NODE
    ]
    matched = {_kind(entry) for entry in cases if not _other_ranks(entry)}
    rows: dict[tuple[str, int], Row] = {}
    for entry in cases:
        bandwidth = entry.metric("bandwidth")
        if bandwidth is None or (_other_ranks(entry) and _kind(entry) in matched):
            continue
        bound, size = _bound_name(entry), entry.number("bytes")
        row = {"bound": bound, "at": size, "kind": _kind(entry)}
        rows.setdefault((bound, size), row | bounded(bandwidth, rate_text))
    return list(rows.values())


def _kind(entry: Entry) -> tuple[str, str]:
    return entry.workload, entry.word("active")


def _other_ranks(entry: Entry) -> bool:
    """Whether all ranks together were not those of a ping-pong."""
    return entry.word("active") == "all" and entry.summary.case.ranks != _RANKS


def _bound_name(entry: Entry) -> str:
    """`copy, one rank`; of other ranks than a ping-pong's, how many."""
    active = _ACTIVE[entry.word("active")]
    if _other_ranks(entry):
        active = f"all {entry.summary.case.ranks} at once"
    return f"{_NAMES[entry.workload]}, {active}"


def cached(summaries: Sequence[Summary], size: int) -> bool:
    """Whether two buffers of this size fit into the largest cache of all machines here."""
    caches = [largest_cache_bytes(summary.environment) for summary in summaries]
    return bool(caches) and all(cache is not None and 2 * size <= cache for cache in caches)


def memory_text(summaries: Sequence[Summary]) -> str:
    """The copy rate of memory; where the caches hold all copied arrays, how to measure it."""
    copies = [
        (entry.number("bytes"), rate)
        for entry in entries(summaries, (COPY,))
        if (entry.word("active"), entry.word("stores")) == ("one", "plain")
        if (rate := entry.metric("bandwidth"))
    ]
    beyond = f"for memory alone: halocline run memory_copy bytes={_beyond(summaries)}"
    if not copies:
        return beyond
    size, rate = max(copies, key=lambda each: each[0])
    speed = f"{rate_text(rate.median)} {plus_minus(rate.half_width_relative)}"
    speed_text = f"one rank copies {size_label(size)} at {speed}"
    if cached(summaries, size // 2):
        return f"{speed_text}, which may fit into the caches; {beyond}"
    return f"memory alone: {speed_text}"


def _beyond(summaries: Sequence[Summary]) -> str:
    """An array size that no cache holds, as an axis value: `512MiB`."""
    caches = (largest_cache_bytes(summary.environment) for summary in summaries)
    largest = max((cache for cache in caches if cache), default=0)
    return size_text(2 ** largest.bit_length())


def with_bounds(
    specification: dict[str, Any], bounds: Sequence[Row], span: tuple[float, float]
) -> dict[str, Any]:
    """A faceted chart of bandwidths with the bounds in each panel; `span` of its y axis."""
    if not bounds:
        return specification
    spec = specification["spec"]
    line = next(layer for layer in spec["layer"] if "y" in layer["encoding"])["encoding"]
    x = {"field": "at", "type": "quantitative", "scale": line["x"]["scale"]}
    y = {"field": "bandwidth", "type": "quantitative", "scale": line["y"]["scale"]}
    layers = [
        {
            "data": {"values": [_plain(row) for row in rows]},
            "mark": {**_LINE, "strokeDash": _DASHES[rows[0]["kind"]]},
            "encoding": {"x": x, "y": y},
        }
        for rows in _lines(bounds)
    ]
    names = [
        {
            "data": {"values": _labels(_lines(bounds), span)},
            "mark": _LABEL | more,
            "encoding": {"x": x, "y": y, "text": {"field": "bound", "type": "nominal"}},
        }
        for more in (_AROUND, {})
    ]
    return specification | {"spec": spec | {"layer": [*layers, *spec["layer"], *names]}}


def _lines(bounds: Sequence[Row]) -> list[list[Row]]:
    """The rows of each bound, by size."""
    names = dict.fromkeys(row["bound"] for row in bounds)
    by_size = sorted(bounds, key=lambda row: int(row["at"]))
    return [[row for row in by_size if row["bound"] == name] for name in names]


def _plain(row: Row) -> Row:
    return {name: row[name] for name in ("at", "bandwidth", "bound")}


def _labels(lines: Sequence[Sequence[Row]], span: tuple[float, float]) -> list[Row]:
    """The names to the left of the lines, stacked around them."""
    apart = (span[1] / span[0]) ** _LABEL_HEIGHT
    labels = [_plain(rows[0]) for rows in sorted(lines, key=lambda rows: -rows[0]["bandwidth"])]
    middle = math.exp(sum(math.log(label["bandwidth"]) for label in labels) / len(labels))
    # Half a line below the panel's edge, which would clip the first label.
    highest = min(middle * apart ** ((len(labels) - 1) / 2), span[1] / math.sqrt(apart))
    left = min(label["at"] for label in labels)
    for place, label in enumerate(labels):
        label |= {"at": left, "bandwidth": highest / apart**place}
    return labels
