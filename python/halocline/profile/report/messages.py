"""Data movement: message sizes, bytes by rank, communication matrix."""

from __future__ import annotations

import math
from bisect import bisect
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from halocline.profile.profile import bin_width
from halocline.profile.report.parts import (
    BYTES_AXIS,
    PERCENT_AXIS,
    Bins,
    Drawing,
    Panel,
    Part,
    Shown,
    Specification,
    chart,
    hues,
    named_hues,
    plain,
    ranks_table,
    stacked_ranks,
    tooltips,
)
from halocline.profile.text import bytes_text, class_text, count_text, percent
from halocline.profile.totals import SizeTotal
from halocline.profile.words import OTHERS
from halocline.report.cells import Cell, Table
from halocline.report.palette import colour

_MOST_FUNCTIONS = 12
_SHADES = 5  # of cells, on a logarithmic scale
_MOST_CELLS = 96  # along each side of a matrix


def sizes(shown: Sequence[Shown]) -> Part | None:
    """The histogram of message sizes, overall and by call."""
    sizes_of = {run.name: run.totals.sizes() for run in shown}
    used = [size.size_class for run_sizes in sizes_of.values() for size in run_sizes]
    if not used:
        return None
    classes = list(range(min(used), max(used) + 1))
    drawings = [
        Drawing(
            f"{quantity}-by-size",
            title,
            described,
            (Panel("", _histogram(shown, sizes_of, classes, quantity)),),
        )
        for quantity, title, described in (
            (
                "messages",
                "Messages by size",
                "Each bar covers sizes above the previous label up to its own. Messages "
                "are counted at the sender; each rank's part in a collective counts as one.",
            ),
            ("bytes", "Bytes by size of the message", "The same messages by their bytes."),
        )
    ]
    drawings.append(
        Drawing(
            "messages-by-call",
            "Messages by size and call",
            " ".join(["The colours are on a logarithmic scale.", *_cuts(shown)]),
            tuple(Panel(run.name, _by_call(run, classes, _shades(shown))) for run in shown),
        )
    )
    details = (_sizes_table(shown, classes), _calls_table(shown, classes))
    return Part("sizes", "Message sizes", tuple(drawings), details=details)


def _cuts(shown: Sequence[Shown]) -> Iterator[str]:
    """Of which runs not all functions are drawn."""
    for run in shown:
        functions = len(run.totals.giving_functions)
        if functions > _MOST_FUNCTIONS:
            yield f"{run.name}: the first {_MOST_FUNCTIONS} of {functions} functions."


def _histogram(
    shown: Sequence[Shown],
    sizes_of: dict[str, tuple[SizeTotal, ...]],
    classes: Sequence[int],
    what: str,
) -> Specification:
    values = []
    for run in shown:
        whole = run.totals.messages if what == "messages" else run.totals.bytes
        for size in sizes_of[run.name]:
            number = size.messages if what == "messages" else size.bytes
            text = count_text(number) if what == "messages" else bytes_text(number)
            value = number / max(1, whole)
            values.append(
                {
                    "run": run.name,
                    "size": class_text(size.size_class),
                    "value": value,
                    "text": f"{text} ({percent(value)})",
                }
            )
    return chart(
        values,
        190,
        mark={"type": "bar", "width": {"band": 0.94}},
        encoding={
            "x": _size_axis(classes),
            "xOffset": {"field": "run", "sort": [run.name for run in shown]},
            "y": {
                "field": "value",
                "type": "quantitative",
                "title": f"share of {what}",
                "axis": PERCENT_AXIS,
            },
            "color": hues(shown),
            "tooltip": tooltips(run="run", size="size up to", text=what),
        },
    )


def _size_axis(classes: Sequence[int]) -> Specification:
    names = [class_text(number) for number in classes]
    return {
        "field": "size",
        "type": "ordinal",
        "sort": names,
        "scale": {"domain": names},
        "title": "message size, up to",
        "axis": {"labelAngle": -45 if len(classes) > 12 else 0, "labelOverlap": True},
    }


def _by_call(each: Shown, classes: Sequence[int], shades: Sequence[int]) -> Specification:
    totals = each.totals
    functions = totals.giving_functions[:_MOST_FUNCTIONS]
    names = [_shade_text(low, end) for low, end in pairwise(shades)]
    values = [
        {
            "function": function,
            "size": class_text(size.size_class),
            "shade": names[bisect(shades, size.messages) - 1],
            "text": count_text(size.messages),
            "moved": bytes_text(size.bytes),
        }
        for function in functions
        for size in totals.sizes(function)
    ]
    return chart(
        values,
        22 * len(functions),
        mark={"type": "rect", "stroke": colour("surface"), "strokeWidth": 1.5},
        encoding={
            "x": _size_axis(classes),
            "y": {"field": "function", "type": "nominal", "sort": list(functions), "title": None},
            "color": {
                "field": "shade",
                "type": "ordinal",
                "scale": {
                    "domain": names,
                    "range": [colour(f"heat-{shade + 1}") for shade in range(len(names))],
                },
                "legend": {"title": "messages", "orient": "top", "symbolType": "square"},
            },
            "tooltip": tooltips(function="call", size="size up to", text="messages", moved="bytes"),
        },
    )


def _shades(shown: Sequence[Shown]) -> list[int]:
    """Where each colour begins, on a logarithmic scale from 1 message, and where the last ends."""
    most = max(
        size.messages
        for run in shown
        for function in run.totals.giving_functions[:_MOST_FUNCTIONS]
        for size in run.totals.sizes(function)
    )
    begins = {math.ceil(most ** (shade / _SHADES)) for shade in range(_SHADES)}
    return [*sorted(begins), most + 1]


def _shade_text(first: int, end: int) -> str:
    return count_text(first) + (f" to {count_text(end - 1)}" if end > first + 1 else "")


def _calls_table(shown: Sequence[Shown], classes: Sequence[int]) -> Table:
    rows = []
    for run in shown:
        for function in run.totals.giving_functions:
            messages = {size.size_class: size.messages for size in run.totals.sizes(function)}
            cells = plain(*(count_text(messages.get(number, 0)) for number in classes))
            rows.append(((function, run.name), cells))
    heads = tuple(map(class_text, classes))
    caption = "Messages by call and size, up to that of each column"
    return Table(caption, ("function", "run"), heads, tuple(rows))


def _sizes_table(shown: Sequence[Shown], classes: Sequence[int]) -> Table:
    by_class = [{size.size_class: size for size in run.totals.sizes()} for run in shown]
    rows = []
    for number in classes:
        cells: list[Cell] = []
        for sizes_ in by_class:
            size = sizes_.get(number, SizeTotal(number, 0, 0))
            cells += plain(count_text(size.messages), bytes_text(size.bytes))
        rows.append(((class_text(number),), tuple(cells)))
    totals = [run.totals for run in shown]
    last = [cell for t in totals for cell in plain(count_text(t.messages), bytes_text(t.bytes))]
    rows.append((("all",), tuple(last)))
    heads = tuple(head for run in shown for head in (f"messages, {run.name}", "bytes"))
    return Table("Messages by size", ("size up to",), heads, tuple(rows))


def ranks(shown: Sequence[Shown]) -> Part | None:
    """The bytes sent by each rank."""
    if not any(run.totals.bytes for run in shown):
        return None
    highest = max(float(_means(run).max()) for run in shown)
    drawing = Drawing(
        "bytes-by-rank",
        "Bytes by rank",
        "Bytes sent by each rank: to single ranks, and to collectives, where its part counts once."
        + (f" The rest went to {OTHERS}." if any(map(_others, shown)) else ""),
        tuple(Panel(run.name, _rank_bars(run, highest)) for run in shown),
    )
    rows = []
    for run in shown:
        sent = run.totals.rank_bytes_sent
        texts = (run.totals.bytes, sent.min(), run.totals.bytes / run.totals.size, sent.max())
        rows.append(((run.name,), plain(*(bytes_text(float(value)) for value in texts))))
    heads = ("total", "minimum per rank", "mean", "maximum per rank")
    table = Table("Bytes sent", ("run",), heads, tuple(rows))
    by_rank = ranks_table(drawing.title, drawing)
    return Part("ranks", "Data by rank", (drawing,), (table,), (by_rank,))


def _means(each: Shown) -> np.ndarray:
    return Bins.of(each.totals).means(each.totals.rank_bytes_sent)


def _others(each: Shown) -> int:
    return int(each.totals.rank_other_bytes.sum())


def _rank_bars(each: Shown, highest: float) -> Specification:
    bins = Bins.of(each.totals)
    totals = each.totals
    collective, others = totals.rank_collective_bytes, totals.rank_other_bytes
    kinds = ("to single ranks", "in collectives", "to others")[: 3 if _others(each) else 2]
    columns = (totals.rank_bytes_sent - collective - others, collective, others)[: len(kinds)]
    values = [
        {
            "bin": number,
            "rank": bins.label(number),
            "kind": kind,
            "order": order,
            "value": round(mean),
            "text": bytes_text(mean),
        }
        for order, (kind, column) in enumerate(zip(kinds, columns, strict=True))
        for number, mean in enumerate(bins.means(column))
    ]
    y = {
        "title": "bytes sent",
        "axis": BYTES_AXIS,
        "scale": {"domain": [0, max(1.0, highest)]},
    }
    colours = named_hues(kinds, "kind")
    return stacked_ranks(values, bins, 170, y, colours, kind="what", text="bytes")


def matrix(shown: Sequence[Shown]) -> Part | None:
    """The communication matrix."""
    if not any(run.totals.partners for run in shown):
        return None
    panels = tuple(Panel(run.name, matrix=_cells(run)) for run in shown)
    drawing = Drawing(
        "matrix",
        "From rank to rank",
        "Bytes from each rank to each, on a logarithmic scale. Collectives have no single receiver "
        "and are in the table below"
        + (f", and so is what went to {OTHERS}." if any(map(_others, shown)) else "."),
        panels,
    )
    rows = []
    for run in shown:
        totals = run.totals
        collective = int(totals.rank_collective_bytes.sum())
        most = totals.matrix(_MOST_CELLS)
        sender, receiver = divmod(int(most.argmax()), len(most))
        width = bin_width(totals.size, _MOST_CELLS)
        pair = f"{_span(run, sender, width)} → {_span(run, receiver, width)}"
        rows.append(
            (
                (run.name,),
                plain(
                    bytes_text(totals.bytes - collective - _others(run)),
                    bytes_text(collective),
                    bytes_text(_others(run)),
                    count_text(totals.partners),
                    f"{pair}: {bytes_text(float(most.max()))}",
                ),
            )
        )
    heads = ("rank to rank", "in collectives", "to others", "communicating pairs", "most")
    return Part(
        "matrix-of-ranks",
        "Rank to rank",
        (drawing,),
        (Table("Bytes sent", ("run",), heads, tuple(rows)),),
    )


def _span(each: Shown, number: int, width: int) -> str:
    numbers = [rank.rank for rank in each.profile.ranks[number * width : (number + 1) * width]]
    return f"{numbers[0]}" if len(numbers) == 1 else f"{numbers[0]}–{numbers[-1]}"


def _cells(each: Shown) -> Specification:
    """The matrix for the page to draw; with many ranks, several per cell."""
    width = bin_width(each.totals.size, _MOST_CELLS)
    bytes_of = each.totals.matrix(_MOST_CELLS)
    filled = np.flatnonzero(bytes_of)
    return {
        "cells": len(bytes_of),
        "width": width,
        "ranks": [rank.rank for rank in each.profile.ranks],
        "at": filled.tolist(),
        "bytes": [_rounded(int(bytes_of.flat[place])) for place in filled],
    }


def _rounded(number: int) -> int:
    """Six digits, more than a drawing can show."""
    digits = max(0, int(math.log10(number)) - 5)
    return round(number, -digits)
