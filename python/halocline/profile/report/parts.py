"""Building blocks of the page's sections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from halocline.base.quantities import BYTES, RATES, TIMES, axis_label
from halocline.profile.input_output import Numbers
from halocline.profile.profile import Integers, Profile, bin_width
from halocline.profile.totals import Totals
from halocline.report.cells import Cell, Table
from halocline.report.look import LOOK
from halocline.report.palette import SERIES, colour

Specification = dict[str, Any]

MOST_BARS = 128  # ranks that remain distinguishable next to each other


@dataclass(frozen=True)
class Shown:
    """A profile on the page: its numbers, and its name among the others."""

    name: str
    totals: Totals

    @property
    def profile(self) -> Profile:
        return self.totals.profile


@dataclass(frozen=True)
class Panel:
    """One drawing: a Vega-Lite specification, or a matrix that the page draws itself."""

    label: str
    specification: Specification | None = None
    matrix: Specification | None = None


@dataclass(frozen=True)
class Drawing:
    """Panels next to each other under one title."""

    name: str
    title: str
    description: str
    panels: tuple[Panel, ...]


@dataclass(frozen=True)
class Part:
    """A section; omitted without data."""

    name: str
    title: str
    drawings: tuple[Drawing, ...] = ()
    tables: tuple[Table, ...] = ()
    details: tuple[Table, ...] = field(default=())  # shown on demand
    notes: tuple[str, ...] = ()
    abreast: bool = False  # small drawings, next to each other


def names_of(profiles: Sequence[Profile]) -> tuple[str, ...]:
    """Distinct names: the number of ranks, with the folder if necessary."""
    by_size = [f"{profile.size} rank{'' if profile.size == 1 else 's'}" for profile in profiles]
    if len(set(by_size)) == len(by_size):
        return tuple(by_size)
    stems = [profile.folder.stem for profile in profiles]
    if len(set(stems)) == len(stems):
        return tuple(f"{stem}, {size}" for stem, size in zip(stems, by_size, strict=True))
    return tuple(
        f"{number}: {profile.folder}, {size}"
        for number, (profile, size) in enumerate(zip(profiles, by_size, strict=True), 1)
    )


def chart(values: Sequence[Specification], height: int, **rest: Any) -> Specification:
    """A full-width chart."""
    return {
        "data": {"values": list(values)},
        "width": "container",
        "height": height,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "config": LOOK,
        **rest,
    }


def hues(shown: Sequence[Shown]) -> Specification:
    """A colour for each profile; a legend only for several."""
    return named_hues([run.name for run in shown], "run")


def named_hues(names: Sequence[str], field_name: str) -> Specification:
    """A colour for each name."""
    return {
        "field": field_name,
        "type": "nominal",
        "scale": {
            "domain": list(names),
            "range": [colour(f"series-{i % SERIES}") for i in range(len(names))],
        },
        "legend": {"title": None, "orient": "top"} if len(names) > 1 else None,
    }


def grouped_bars(
    shown: Sequence[Shown], values: Sequence[Specification], order: Sequence[str], title: str
) -> Specification:
    """One row per name, with one bar per run; from rows with name, run, value and text."""
    bar = max(7, 16 - 2 * len(shown))
    return chart(
        values,
        len(order) * (bar * len(shown) + 8),
        mark={"type": "bar", "height": {"band": 0.92}},
        encoding={
            "y": {
                "field": "name",
                "type": "nominal",
                "sort": list(order),
                "title": None,
                "axis": {"labelLimit": 180},
            },
            "yOffset": {"field": "run", "sort": [run.name for run in shown]},
            "x": {"field": "value", "type": "quantitative", "title": title, "axis": PERCENT_AXIS},
            "color": hues(shown),
            "tooltip": tooltips(name="function", run="run", text="value"),
        },
    )


def stacked_ranks(
    values: Sequence[Specification],
    bins: Bins,
    height: int,
    y: Specification,
    colours: Specification,
    **tips: str,
) -> Specification:
    """A bar per bin of ranks, stacked by kind; from rows with bin, rank, kind, order and value."""
    return chart(
        values,
        height,
        mark={"type": "bar", "width": {"band": 0.9}},
        encoding={
            "x": bins.axis,
            "y": {"field": "value", "type": "quantitative", "stack": "zero", **y},
            "order": {"field": "order", "type": "quantitative"},
            "color": colours,
            "tooltip": tooltips(rank="rank", **tips),
        },
    )


def ranks_table(caption: str, drawing: Drawing) -> Table:
    """The numbers of bars by rank, a row for each bar and a column for each kind."""
    bars: dict[tuple[str, str], dict[str, str]] = {}
    for panel in drawing.panels:
        for row in (panel.specification or {})["data"]["values"]:
            bars.setdefault((panel.label, row["rank"]), {})[row["kind"]] = row["text"]
    kinds = tuple(dict.fromkeys(kind for texts in bars.values() for kind in texts))
    rows = tuple((keys, plain(*(of.get(kind, "") for kind in kinds))) for keys, of in bars.items())
    return Table(f"{caption}; of several ranks the mean", ("run", "rank"), kinds, rows)


PERCENT_AXIS: Specification = {"format": ".0%", "tickCount": 6}
BYTES_AXIS: Specification = {
    "labelExpr": axis_label(BYTES),
    "tickCount": 5,
}
RATE_AXIS: Specification = {"labelExpr": axis_label(RATES), "tickCount": 5}
TIME_AXIS: Specification = {
    "labelExpr": axis_label(TIMES),
    "tickCount": 5,
}


def tooltips(**fields: str) -> list[Specification]:
    """Fields with their titles."""
    return [{"field": name, "type": "nominal", "title": title} for name, title in fields.items()]


@dataclass(frozen=True)
class Bins:
    """Ranks along an axis: single ones, or several per bin."""

    ranks: tuple[int, ...]  # world ranks, by place
    width: int

    @classmethod
    def of(cls, totals: Totals) -> Bins:
        """Few enough bins to be distinguishable."""
        ranks = tuple(rank.rank for rank in totals.profile.ranks)
        return cls(ranks, bin_width(len(ranks), MOST_BARS))

    @property
    def count(self) -> int:
        return -(-len(self.ranks) // self.width)

    def label(self, number: int) -> str:
        """`7`, or `8 to 11`."""
        first = number * self.width
        last = min(first + self.width, len(self.ranks)) - 1
        return (
            f"{self.ranks[first]}"
            if first == last
            else f"{self.ranks[first]} to {self.ranks[last]}"
        )

    def means(self, values: Numbers | Integers) -> Numbers:
        """The mean of each bin."""
        begins = np.arange(0, len(values), self.width)
        sums: Numbers = np.add.reduceat(values.astype(np.float64), begins)
        sizes = np.minimum(self.width, len(values) - begins)
        return sums / sizes

    @property
    def axis(self) -> Specification:
        """Ranks along x: bars at the position of their bin."""
        step = max(1, -(-self.count // 16))
        shown = list(range(0, self.count, step))
        names = ", ".join(f"'{number}': '{self.ranks[number * self.width]}'" for number in shown)
        return {
            "field": "bin",
            "type": "ordinal",
            "title": "rank" if self.width == 1 else f"rank, {self.width} to a bar",
            "axis": {
                "labelAngle": 0,
                "values": shown,
                "labelExpr": f"{{{names}}}[datum.label]",
                "ticks": False,
            },
        }


def plain(*texts: str) -> tuple[Cell, ...]:
    """Cells without intervals: a profile counts, it does not estimate."""
    return tuple(Cell(text) for text in texts)
